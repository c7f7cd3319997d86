/** Errors on the wire: RFC 9457 problem details, one table from code to status and title. */
import type { Context } from "hono";
import type { Refusal, RefusalCode } from "../core/errors.ts";

export type ProblemCode =
  | RefusalCode
  | "internal"
  | "invalid_body"
  | "invalid_parameter"
  | "method_not_allowed"
  | "not_configured"
  | "not_found"
  | "unknown_namespace";

interface ProblemKind {
  readonly status: 400 | 404 | 405 | 409 | 500 | 503;
  readonly title: string;
}

const KINDS: Readonly<Record<ProblemCode, ProblemKind>> = {
  invalid_parameter: { status: 400, title: "A parameter is not taken" },
  invalid_body: { status: 400, title: "The body is not taken" },
  not_found: { status: 404, title: "There is nothing here" },
  unknown_namespace: { status: 404, title: "There is no such namespace" },
  method_not_allowed: { status: 405, title: "The method is not allowed here" },
  layout_conflict: { status: 409, title: "The layout differs from the stored one" },
  internal: { status: 500, title: "Something failed inside" },
  clock_before_epoch: { status: 500, title: "The clock is before the layout's epoch" },
  timestamp_exhausted: { status: 500, title: "The layout's time has run out" },
  clock_behind: { status: 503, title: "The clock is behind the IDs already issued" },
  clock_disagreement: { status: 503, title: "The clocks disagree" },
  not_configured: { status: 503, title: "This deployment is not configured" },
  shard_overloaded: { status: 503, title: "The shard's queue is full" },
  shard_saturated: { status: 503, title: "The shard is saturated" },
};

/** One parameter that is not taken, and what is. */
export interface ParameterError {
  readonly parameter: string;
  readonly detail: string;
}

export interface Problem {
  readonly code: ProblemCode;
  readonly detail: string;
  /** True: refused before anything was granted. False: IDs may have been skipped. Default true. */
  readonly definite?: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly errors?: readonly ParameterError[];
  /** Methods for the Allow header. */
  readonly allow?: readonly string[];
}

/** Answers with `application/problem+json`. */
export function problem(c: Context, problem: Problem): Response {
  const { code, detail, definite = true, retryAfterMs, errors, allow } = problem;
  const { status, title } = KINDS[code];
  const requestId: unknown = c.get("requestId");
  const type = `/docs#${code}`;
  const body = { type, title, status, detail, code, requestId, definite, retryAfterMs, errors };
  return c.body(JSON.stringify(body), status, {
    "content-type": "application/problem+json",
    "cache-control": "no-store",
    ...(retryAfterMs !== undefined && { "retry-after": `${Math.ceil(retryAfterMs / 1000)}` }),
    ...(allow && { allow: allow.join(", ") }),
  });
}

/** A refusal that came from a shard. */
export function refused(c: Context, refusal: Refusal, definite: boolean): Response {
  return problem(c, { ...refusal, definite });
}

/** Every bad parameter at once, each with what it takes. */
export function invalidParameters(c: Context, errors: readonly ParameterError[]): Response {
  const detail = errors.map((error) => `${error.parameter} ${error.detail}`).join("; ");
  return problem(c, { code: "invalid_parameter", detail: `${detail}.`, errors });
}
