import type { Context } from "hono";

/** The request's waitUntil as a plain function, for work that may outlive the answer. */
export function waitUntilOf(c: Context): (work: Promise<unknown>) => void {
  return (work) => c.executionCtx.waitUntil(work);
}
