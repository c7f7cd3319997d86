import { ApiError } from "../api.ts";
import { savedKey } from "../session.ts";
import { duration } from "../shard-state.ts";

/** That a form was filled in wrongly, and in which field: by its label. */
export class WrongField extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** Whether that is what went wrong. */
export function isWrong(error: unknown, field: string): boolean {
  return error instanceof WrongField && error.field === field;
}

/**
 * What went wrong, in words, which scope would help, and when to try again. `id`: by which the field that it is about
 * names it. `doubt`: said where it may be done nonetheless.
 */
export function Problem(props: { error: unknown; scope?: string; id?: string; doubt?: string }) {
  const { error, scope, id, doubt = "" } = props;
  if (error === undefined) return null;
  return (
    <p class="problem" role="alert" {...(id !== undefined && { id })}>
      {error instanceof ApiError ? wordsOf(error, scope, doubt) : messageOf(error)}
    </p>
  );
}

function wordsOf(error: ApiError, scope: string | undefined, doubt: string): string {
  const { status, code, message, retryAfterMs, isInDoubt } = error;
  const needs = scope === undefined ? "" : ` This section needs a key with the scope ${scope}.`;
  if (status === 401 && savedKey() === "") return `This service asks for a key.${needs}`;
  if (status === 401) {
    return `The key of this tab is not in force: it is another service’s, revoked or past its time.${needs}`;
  }
  // A name that is nobody's to change is refused with another code: no scope helps.
  if (status === 403 && code !== "builtin_namespace") return `${message}${needs}`;
  const unsure = isInDoubt && doubt !== "" ? ` ${doubt}` : "";
  // In whole seconds, upwards: too soon would be refused again.
  const later = Math.ceil(retryAfterMs / 1000) * 1000;
  return `${message}${unsure}${later > 0 ? ` Try again in ${duration(later)}.` : ""}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : `${error}`;
}
