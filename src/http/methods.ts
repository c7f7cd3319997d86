import type { Context } from "hono";
import { problem } from "./problem.ts";

export const ISSUING_METHODS = ["GET", "POST"];

/** The answer to a method that a path does not take. */
export function methodRefused(c: Context, allow: readonly string[]): Response {
  const detail = `This path takes ${allow.join(", ")}.`;
  return problem(c, { code: "method_not_allowed", detail, allow });
}
