import type { Surroundings } from "../../service/registry/authorise.ts";

/** The parts of a context of the router that a request's surroundings come from. */
interface RouterContext {
  readonly env: Env;
  readonly executionCtx: { waitUntil(work: Promise<unknown>): void };
}

/** The bindings of a request in the router, and its waitUntil as a plain function. */
export function surroundingsOf(c: RouterContext): Surroundings {
  return { env: c.env, waitUntil: (work) => c.executionCtx.waitUntil(work) };
}
