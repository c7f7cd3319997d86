/** What a call to a Durable Object costs that does nothing, from Hono, and a batch's text without its IDs. */
import { DurableObject } from "cloudflare:workers";
import { Hono } from "hono";

interface Bindings {
  readonly NOOP: DurableObjectNamespace<Noop>;
}

export class Noop extends DurableObject {
  noop(): string {
    return "249811737438601216";
  }
}

const BATCH = JSON.stringify({
  ids: Array.from({ length: 10_000 }, (_, index) => `${249_811_737_438_601_216n + BigInt(index)}`),
});

const app = new Hono<{ Bindings: Bindings }>();
app.get("/", async (c) => c.json({ ids: [await c.env.NOOP.getByName("noop").noop()] }));
app.get("/batch", async (c) => {
  await c.env.NOOP.getByName("noop").noop();
  return c.body(BATCH, 200, { "content-type": "application/json" });
});

export default app;
