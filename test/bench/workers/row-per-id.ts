/** What people do today: a counter in a Durable Object that writes a row for each ID. */
import { DurableObject } from "cloudflare:workers";
import { Hono } from "hono";

interface Bindings {
  readonly COUNTER: DurableObjectNamespace<Counter>;
}

export class Counter extends DurableObject {
  readonly #sql: SqlStorage;

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS counter (id INTEGER PRIMARY KEY, value INTEGER NOT NULL)",
    );
    this.#sql.exec("INSERT OR IGNORE INTO counter (id, value) VALUES (0, 0)");
  }

  next(): string {
    const row = this.#sql
      .exec("UPDATE counter SET value = value + 1 WHERE id = 0 RETURNING value")
      .one();
    return `${row.value}`;
  }
}

const app = new Hono<{ Bindings: Bindings }>();
app.get("/", async (c) => c.json({ ids: [await c.env.COUNTER.getByName("counter").next()] }));

export default app;
