import { ApiError } from "../api.ts";
import { savedKey } from "../session.ts";

/** What went wrong, in words, which scope would help, and when to try again. */
export function Problem({ error, scope }: { error: unknown; scope?: string }) {
  if (error === undefined) return null;
  return (
    <p class="problem" role="alert">
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
