import { ApiError } from "../api.ts";
import { savedKey } from "../session.ts";

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
 * names it.
 */
export function Problem(props: { error: unknown; scope?: string; id?: string }) {
  const { error, scope, id } = props;
  if (error === undefined) return null;
  return (
    <p class="problem" role="alert" {...(id !== undefined && { id })}>
      {error instanceof ApiError ? wordsOf(error, scope) : messageOf(error)}
    </p>
  );
}

function wordsOf({ status, message, retryAfterMs }: ApiError, scope: string | undefined): string {
  const needs = scope === undefined ? "" : ` This section needs a key with the scope ${scope}.`;
  if (status === 401 && savedKey() === "") return `This service asks for a key.${needs}`;
  if (status === 401) {
    return `The key of this tab is not in force: it is another service’s, revoked or past its time.${needs}`;
  }
  if (status === 403) return `${message}${needs}`;
  if (retryAfterMs > 0) return `${message} Try again in ${Math.ceil(retryAfterMs / 1000)} s.`;
  return message;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : `${error}`;
}
