/** The Workers that ours is compared with: each does a part of what Edgeflake does, in one route. */
import { DurableObject } from "cloudflare:workers";
import { Hono } from "hono";

interface Bindings {
  readonly NOOP: DurableObjectNamespace<Noop>;
  readonly COUNTER: DurableObjectNamespace<Counter>;
}

const ID = "249811737438601216";
/** As many headers as an answer of Edgeflake has. */
const HEADERS = { "cache-control": "no-store", "edgeflake-shard": "0" };
/** As long as the description of a line. */
const SPEC = "x".repeat(260);
const BATCH = JSON.stringify({
  ids: Array.from({ length: 10_000 }, (_, index) => `${BigInt(ID) + BigInt(index)}`),
});

export class Noop extends DurableObject {
  noop(..._args: readonly unknown[]): string {
    return ID;
  }
}

/** The usual counter in a Durable Object: it writes a row for each ID. */
export class Counter extends DurableObject {
  readonly #sql: SqlStorage;

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#sql.exec("CREATE TABLE IF NOT EXISTS counter (id INTEGER PRIMARY KEY, value INTEGER)");
    this.#sql.exec("INSERT OR IGNORE INTO counter (id, value) VALUES (0, 0)");
  }

  next(): string {
    const update = "UPDATE counter SET value = value + 1 WHERE id = 0 RETURNING value";
    return `${this.#sql.exec(update).one().value}`;
  }
}

const app = new Hono<{ Bindings: Bindings }>();
app.get("/hello", (c) => c.text("hello"));
app.get("/json", (c) => c.json({ ids: [ID] }));
app.get("/json-headers", (c) => c.json({ ids: [ID] }, 200, HEADERS));
app.get("/noop", async (c) => c.json({ ids: [await c.env.NOOP.getByName("noop").noop()] }));
app.get("/noop-headers", async (c) => {
  const stub = c.env.NOOP.getByName("noop");
  return c.json({ ids: [await stub.noop(SPEC, 1, true, 250, Date.now())] }, 200, HEADERS);
});
app.get("/batch", async (c) => {
  await c.env.NOOP.getByName("noop").noop();
  return c.body(BATCH, 200, { "content-type": "application/json" });
});
app.get("/row", async (c) => c.json({ ids: [await c.env.COUNTER.getByName("counter").next()] }));

export default app;

/** The least a Worker can do, without a router. */
export const bare = { fetch: () => new Response("hello") } satisfies ExportedHandler;
