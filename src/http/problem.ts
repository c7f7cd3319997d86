/** Errors on the wire: RFC 9457 problem details, one table from code to status and title. */
import type { Context } from "hono";
import type { ParameterError } from "../core/binding.ts";
import { isDefinite, type Refusal, type RefusalCode } from "../core/errors.ts";
import type { FieldError } from "../core/field-error.ts";
import { ERRORS_MAX, REGISTRY_RETRY_MS } from "./limits.ts";

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
  invalid_parameter: { status: 400, title: "A parameter is not taken" },
  invalid_body: { status: 400, title: "The body is not taken" },
  wrong_kind: { status: 400, title: "The namespace is of another kind" },
  unauthorized: { status: 401, title: "A key is needed" },
  forbidden: { status: 403, title: "The key may not do this" },
  builtin_namespace: { status: 403, title: "A built-in namespace never changes" },
  not_found: { status: 404, title: "There is nothing here" },
  unknown_namespace: { status: 404, title: "There is no such namespace" },
  method_not_allowed: { status: 405, title: "The method is not allowed here" },
  namespace_retired: { status: 410, title: "The namespace is retired" },
  body_too_large: { status: 413, title: "The body is too large" },
  unsupported_media_type: { status: 415, title: "The body's type is not taken" },
  rate_limited: { status: 429, title: "Too much was asked for in too short a time" },
  exhausted: { status: 409, title: "The segment has no numbers left" },
  idempotency_conflict: { status: 409, title: "The Idempotency-Key was used for another request" },
  lease_lost: { status: 409, title: "The lease is not the token's any more" },
  layout_conflict: { status: 409, title: "The layout differs from the stored one" },
  internal: { status: 500, title: "Something failed inside" },
  clock_before_epoch: { status: 500, title: "The clock is before the layout's epoch" },
  timestamp_exhausted: { status: 500, title: "The layout's time has run out" },
  clock_behind: { status: 503, title: "The clock is behind the IDs already issued" },
  clock_disagreement: { status: 503, title: "The clocks disagree" },
  no_worker_free: { status: 503, title: "Every worker ID is on lease" },
  not_configured: { status: 503, title: "This deployment is not configured" },
  registry_unavailable: { status: 503, title: "The registry does not answer" },
  shard_overloaded: { status: 503, title: "The shard's queue is full" },
  shard_saturated: { status: 503, title: "The shard is saturated" },
  shard_unavailable: { status: 503, title: "Shard unavailable" },
};

/** A request read as its schema says, or the answer that says what it takes. */
export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly response: Response };

export interface Problem {
  readonly code: ProblemCode;
  readonly detail: string;
  /** True: refused before anything was granted. False: IDs may have been skipped. Default true. */
  readonly definite?: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly errors?: readonly (ParameterError | FieldError)[];
  /** Both sides of a conflict. */
  readonly conflict?: { readonly stored: unknown; readonly wished: unknown };
  /** Methods for the Allow header. */
  readonly allow?: readonly string[];
}

/** Answers with `application/problem+json`. */
export function problem(c: Context, what: Problem): Response {
  const { code, detail, definite = true, retryAfterMs, errors, conflict, allow } = what;
  const { status, title } = PROBLEM_KINDS[code];
  const requestId: unknown = c.get("requestId");
  const type = `/docs#${code}`;
  c.set("problemCode", code);
  const facts = { type, title, status, detail, code, requestId, definite, retryAfterMs };
  const body = { ...facts, errors, conflict };
  return c.body(JSON.stringify(body), status, {
    "content-type": "application/problem+json",
    "cache-control": "no-store",
    ...(retryAfterMs !== undefined && { "retry-after": `${Math.ceil(retryAfterMs / 1000)}` }),
    ...(status === 401 && { "www-authenticate": 'Bearer realm="edgeflake"' }),
    ...(allow && { allow: allow.join(", ") }),
  });
}

/** A refusal that came from an object, or stands for its answer. */
export function refused(c: Context, refusal: Refusal, definite = isDefinite(refusal)): Response {
  return problem(c, { ...refusal, definite });
}

/** The route has no meaning for a namespace of this kind. */
export function wrongKind(c: Context, detail: string): Response {
  return problem(c, { code: "wrong_kind", detail });
}

/** Every bad parameter at once, each with what it takes. */
export function invalidParameters(c: Context, errors: readonly ParameterError[]): Response {
  const shown = errors.slice(0, ERRORS_MAX);
  const more = errors.length > shown.length ? `; and ${errors.length - shown.length} more` : "";
  const detail = shown.map((error) => `${error.parameter} ${error.detail}`).join("; ");
  return problem(c, { code: "invalid_parameter", detail: `${detail}${more}.`, errors: shown });
}

/** The registry failed or did not answer in time. */
export function registryUnavailable(c: Context, maybeDone: boolean): Response {
  const detail = maybeDone
    ? "The registry of namespaces and keys did not answer; it may have done what was asked."
    : "The registry of namespaces and keys does not answer; try again.";
  const code = "registry_unavailable";
  return problem(c, { code, detail, definite: !maybeDone, retryAfterMs: REGISTRY_RETRY_MS });
}
