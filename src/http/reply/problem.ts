/** Responses with problem details (RFC 9457). */
import type { Context } from "hono";
import type { ParameterError } from "../../core/binding.ts";
import {
  invalidParameters as invalid,
  PROBLEM_KINDS,
  type Problem,
  problemOf,
} from "../../core/problem.ts";
import type { Refusal } from "../../core/refusal.ts";

/** A parsed request, or the response that rejects it. */
export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly response: Response };

/** The body, status and headers of a problem. */
export function problemParts(
  problem: Problem,
  requestId: string,
): [
  body: string,
  status: (typeof PROBLEM_KINDS)[Problem["code"]]["status"],
  headers: Record<string, string>,
] {
  const { code, detail, definite = true, retryAfterMs, errors, conflict, allow } = problem;
  const { status, title } = PROBLEM_KINDS[code];
  const type = `/docs#${code}`;
  const facts = { type, title, status, detail, code, requestId, definite, retryAfterMs };
  const headers = {
    "content-type": "application/problem+json",
    "cache-control": "no-store",
    ...(retryAfterMs !== undefined && { "retry-after": `${Math.ceil(retryAfterMs / 1000)}` }),
    ...(status === 401 && { "www-authenticate": 'Bearer realm="edgeflake"' }),
    ...(allow && { allow: allow.join(", ") }),
  };
  return [JSON.stringify({ ...facts, errors, conflict }), status, headers];
}

/** Responds with a problem. */
export function problem(c: Context, what: Problem): Response {
  const requestId: string = c.get("requestId");
  c.set("problemCode", what.code);
  return c.body(...problemParts(what, requestId));
}

/** Responds with an object's refusal. */
export function refused(c: Context, refusal: Refusal): Response {
  return problem(c, problemOf(refusal));
}

/** Responds that the route does not support namespaces of this kind. */
export function wrongKind(c: Context, detail: string): Response {
  return problem(c, { code: "wrong_kind", detail });
}

export function invalidParameters(c: Context, errors: readonly ParameterError[]): Response {
  return problem(c, invalid(errors));
}
