/** Problems: failures of a request as values, with their HTTP status and title (RFC 9457). */

import type { FieldError } from "./allowed.ts";
import type { ParameterError } from "./binding.ts";
import { isDefinite, type Refusal, type RefusalCode } from "./refusal.ts";

export type ProblemCode =
  | RefusalCode
  | "body_too_large"
  | "builtin_namespace"
  | "internal"
  | "invalid_body"
  | "invalid_parameter"
  | "method_not_allowed"
  | "namespace_retired"
  | "not_configured"
  | "not_found"
  | "rate_limited"
  | "registry_unavailable"
  | "unauthorized"
  | "unknown_namespace"
  | "unsupported_media_type"
  | "wrong_kind";

interface ProblemKind {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 415 | 429 | 500 | 503;
  readonly title: string;
}

/** Status and title of every code. */
export const PROBLEM_KINDS: Readonly<Record<ProblemCode, ProblemKind>> = {
  invalid_parameter: { status: 400, title: "Invalid parameter" },
  invalid_body: { status: 400, title: "Invalid request body" },
  wrong_kind: { status: 400, title: "Wrong namespace kind" },
  unauthorized: { status: 401, title: "Unauthorized" },
  forbidden: { status: 403, title: "Forbidden" },
  builtin_namespace: { status: 403, title: "Built-in namespace" },
  not_found: { status: 404, title: "Not found" },
  unknown_namespace: { status: 404, title: "Unknown namespace" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  namespace_retired: { status: 410, title: "Namespace retired" },
  body_too_large: { status: 413, title: "Request body too large" },
  unsupported_media_type: { status: 415, title: "Unsupported media type" },
  rate_limited: { status: 429, title: "Rate limit exceeded" },
  exhausted: { status: 409, title: "Segment exhausted" },
  idempotency_conflict: { status: 409, title: "Idempotency conflict" },
  lease_lost: { status: 409, title: "Lease lost" },
  layout_conflict: { status: 409, title: "Layout conflict" },
  internal: { status: 500, title: "Internal error" },
  clock_before_epoch: { status: 500, title: "Clock before epoch" },
  timestamp_exhausted: { status: 500, title: "Timestamp exhausted" },
  clock_behind: { status: 503, title: "Clock behind" },
  clock_disagreement: { status: 503, title: "Clock disagreement" },
  no_worker_free: { status: 503, title: "No worker ID free" },
  not_configured: { status: 503, title: "Not configured" },
  platform_limit: { status: 503, title: "Platform limit reached" },
  registry_unavailable: { status: 503, title: "Registry unavailable" },
  shard_overloaded: { status: 503, title: "Shard overloaded" },
  shard_saturated: { status: 503, title: "Shard saturated" },
  shard_unavailable: { status: 503, title: "Shard unavailable" },
};

export interface Problem {
  readonly code: ProblemCode;
  /** One sentence for the person who reads the response. */
  readonly detail: string;
  /** True: rejected before anything was granted. False: IDs may have been skipped. Default true. */
  readonly definite?: boolean;
  /** When to retry, in ms; absent if time does not help. */
  readonly retryAfterMs?: number | undefined;
  readonly errors?: readonly (ParameterError | FieldError)[];
  /** The stored and the requested value of a conflict. */
  readonly conflict?: { readonly stored: unknown; readonly wished: unknown };
  /** Methods for the Allow header. */
  readonly allow?: readonly string[];
}

/** A value, or the problem in its place. */
export type Outcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: Problem };

export function failed(problem: Problem): { readonly ok: false; readonly problem: Problem } {
  return { ok: false, problem };
}

/** The problem for a refusal by an object. */
export function problemOf(refusal: Refusal, definite = isDefinite(refusal)): Problem {
  const { code, detail, retryAfterMs } = refusal;
  return { code, detail, definite, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Maximum errors in a problem: without a bound, a 400 could be larger than its request. */
export const ERRORS_MAX = 32;

/** All rejected parameters at once, each with its allowed values. */
export function invalidParameters(errors: readonly ParameterError[]): Problem {
  const detail = detailOf(errors.map((error) => `${error.parameter} ${error.detail}`));
  return { code: "invalid_parameter", detail, errors: errors.slice(0, ERRORS_MAX) };
}

/** All rejected fields of a body at once, each with its allowed values. */
export function invalidBody(errors: readonly FieldError[]): Problem {
  const detail = detailOf(errors.map((error) => `${error.field} ${error.detail}`));
  return { code: "invalid_body", detail, errors: errors.slice(0, ERRORS_MAX) };
}

function detailOf(details: readonly string[]): string {
  const more = details.length > ERRORS_MAX ? `; and ${details.length - ERRORS_MAX} more` : "";
  return `${details.slice(0, ERRORS_MAX).join("; ")}${more}.`;
}

/** A retired namespace issues nothing, and PUT can't use its name again. */
export const NAMESPACE_RETIRED: Problem = {
  code: "namespace_retired",
  detail: "This namespace is retired, and its name can't be reused.",
};
