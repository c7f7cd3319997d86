import type { Context } from "hono";
import type { Problem } from "../../core/problem.ts";
import { problem } from "./problem.ts";

export const ISSUING_METHODS = ["GET", "POST"];

/** The problem of a method that a path does not allow. */
export function methodNotAllowed(allow: readonly string[]): Problem {
  const detail = `This path allows ${allow.join(", ")}.`;
  return { code: "method_not_allowed", detail, allow };
}

/** The response to a method that a path does not allow. */
export function methodRefused(c: Context, allow: readonly string[]): Response {
  return problem(c, methodNotAllowed(allow));
}
