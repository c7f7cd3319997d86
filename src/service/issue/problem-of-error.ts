import type { Problem } from "../../core/problem.ts";
import { REGISTRY_RETRY_MS } from "../limits.ts";
import { KeyRevokedError, RegistryUnavailableError } from "../registry/registry-call.ts";
import { KEYS_LIMITED, KeysLimitedError } from "./rate-limit.ts";

/** No key in force: one text for every such token, so that it tells nothing about the token. */
export const UNAUTHORIZED: Problem = {
  code: "unauthorized",
  detail: "This route requires `Authorization: Bearer KEY` with a valid key.",
};

/** Whether an error only carries a refusal: its caller can mend it, and the log needs no stack. */
export function isRefusal(error: unknown): boolean {
  return error instanceof KeyRevokedError || error instanceof KeysLimitedError;
}

/** The problem for an error thrown inside. */
export function problemOfError(error: unknown): Problem {
  if (error instanceof KeyRevokedError) return UNAUTHORIZED;
  if (error instanceof KeysLimitedError) return KEYS_LIMITED;
  if (error instanceof RegistryUnavailableError) return registryUnavailable(error.maybeDone);
  const detail = "Internal error; the log has a line with this requestId.";
  return { code: "internal", detail, definite: false };
}

function registryUnavailable(maybeDone: boolean): Problem {
  const detail = maybeDone
    ? "The registry of namespaces and keys did not answer; the change may have been made."
    : "The registry of namespaces and keys did not answer; retry.";
  const code = "registry_unavailable";
  return { code, detail, definite: !maybeDone, retryAfterMs: REGISTRY_RETRY_MS };
}
