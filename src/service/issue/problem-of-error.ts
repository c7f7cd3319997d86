import { type Problem, problemOf } from "../../core/problem.ts";
import { REGISTRY_RETRY_MS } from "../limits.ts";
import { platformLimitOf } from "../object-call.ts";
import { KeyRevokedError, RegistryUnavailableError } from "../registry/registry-call.ts";
import { KEYS_LIMITED, KeysLimitedError } from "./rate-limit.ts";

/** The problem of an invalid or missing key. It is the same for all tokens, so that it reveals nothing about them. */
export const UNAUTHORIZED: Problem = {
  code: "unauthorized",
  detail: "This route requires `Authorization: Bearer KEY` with a valid key.",
};

/** Whether an error is a refusal that the caller can fix. The log needs no stack for it. */
export function isRefusal(error: unknown): boolean {
  return error instanceof KeyRevokedError || error instanceof KeysLimitedError;
}

/** The problem for a thrown error. */
export function problemOfError(error: unknown): Problem {
  if (error instanceof KeyRevokedError) return UNAUTHORIZED;
  if (error instanceof KeysLimitedError) return KEYS_LIMITED;
  if (error instanceof RegistryUnavailableError) {
    const limit = platformLimitOf(error.cause);
    return limit ? problemOf(limit) : registryUnavailable(error.maybeDone);
  }
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
