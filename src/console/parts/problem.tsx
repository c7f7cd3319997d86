import { ApiError } from "../api.ts";

/** What went wrong, in words, and which scope would help. */
export function Problem({ error, scope }: { error: unknown; scope?: string }) {
  if (error === undefined) return null;
  const { message } = error instanceof Error ? error : { message: `${error}` };
  const needs = error instanceof ApiError && [401, 403].includes(error.status) && scope;
  return (
    <p class="problem" role="alert">
      {message}
      {needs ? ` This section needs a key with the scope ${scope}.` : ""}
    </p>
  );
}
