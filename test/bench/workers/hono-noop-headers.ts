/** As hono-noop, with the arguments of Edgeflake's call and the headers of its answer. */
import { DurableObject } from "cloudflare:workers";
import { Hono } from "hono";
import { EDGEFLAKE_HEADERS } from "../edgeflake-headers.ts";

interface Bindings {
  readonly NOOP: DurableObjectNamespace<Noop>;
}

/** As long as a line spec. */
const SPEC = "x".repeat(260);

export class Noop extends DurableObject {
  noop(_spec: string, _count: number, _strict: boolean, _waitMs: number, _nowMs: number): string {
    return "249811737438601216";
  }
}

const app = new Hono<{ Bindings: Bindings }>();
app.get("/", async (c) => {
  const stub = c.env.NOOP.getByName("noop");
  return c.json({ ids: [await stub.noop(SPEC, 1, true, 250, Date.now())] }, 200, EDGEFLAKE_HEADERS);
});

export default app;
