import type { Surroundings } from "../../service/registry/authorise.ts";

/** The parts of a Hono context that surroundingsOf needs. */
interface RouterContext {
  readonly env: Env;
  readonly executionCtx: { waitUntil(work: Promise<unknown>): void };
}

/** The bindings of a routed request, and its waitUntil as a plain function. */
export function surroundingsOf(c: RouterContext): Surroundings {
  return { env: c.env, waitUntil: (work) => c.executionCtx.waitUntil(work) };
}
