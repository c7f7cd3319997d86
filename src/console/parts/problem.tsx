import { ApiError } from "../api.ts";
import { addressOf } from "../route.ts";
import { savedKey } from "../session.ts";
import { duration } from "../shards/shard-state.ts";

/** An invalid field of a form, named by its label. */
export class WrongField extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** Whether an error is about that field. */
export function isWrong(error: unknown, field: string): boolean {
  return error instanceof WrongField && error.field === field;
}

/**
 * An error in words, with the scope that it needs and when to retry. Offers to create a namespace that does not exist.
 * `id`: for the `aria-describedby` of its field. `doubt`: added if the service may have done the action despite the error.
 */
export function Problem(props: { error: unknown; scope?: string; id?: string; doubt?: string }) {
  const { error, scope, id, doubt = "" } = props;
  if (error === undefined) return null;
  return (
    <p class="problem" role="alert" {...(id !== undefined && { id })}>
      {error instanceof ApiError ? wordsOf(error, scope, doubt) : messageOf(error)}
      {error instanceof ApiError && error.unknownNamespace !== "" && (
        <>
          {" "}
          <a href={addressOf("design", [], { name: error.unknownNamespace })}>
            Create {error.unknownNamespace}
          </a>
        </>
      )}
    </p>
  );
}

function wordsOf(error: ApiError, scope: string | undefined, doubt: string): string {
  const { status, code, message, retryAfterMs, isInDoubt, unknownNamespace } = error;
  if (unknownNamespace !== "") return `There is no namespace ${unknownNamespace}.`;
  const needs = scope === undefined ? "" : ` This section needs a key with the scope ${scope}.`;
  if (status === 401 && savedKey() === "") return `This service requires a key.${needs}`;
  if (status === 401) {
    return `The key of this tab is not valid: it is revoked, expired or of another service.${needs}`;
  }
  // No scope allows changing a built-in namespace. The service's own message often names what the key lacks.
  const isClear = code === "builtin_namespace" || /\bscope\b|other namespaces/.test(message);
  if (status === 403 && !isClear) return `${message}${needs}`;
  const unsure = isInDoubt && doubt !== "" ? ` ${doubt}` : "";
  // Rounded up to seconds: an early retry would be rejected again.
  const later = Math.ceil(retryAfterMs / 1000) * 1000;
  return `${message}${unsure}${later > 0 ? ` Try again in ${duration(later)}.` : ""}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : `${error}`;
}
