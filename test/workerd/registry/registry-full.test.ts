/** How many namespaces a deployment may have: retired ones count only against the names. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { NAMES_MAX, NAMESPACES_MAX } from "../../../src/core/limits.ts";
import { ask, put } from "../../support/admin.ts";
import { useClock } from "../../support/clock.ts";

useClock();

/** Rows as PUT and DELETE leave them, made at once. */
async function rows(prefix: string, count: number, retiredMs: number | null): Promise<void> {
  await runInDurableObject(env.REGISTRY.getByName("registry"), (_, { storage }) => {
    storage.sql.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO namespace (name, definition, createdMs, retiredMs)
       SELECT ? || i, (SELECT definition FROM namespace WHERE name = 'first'), 0, ? FROM n`,
      count,
      prefix,
      retiredMs,
    );
  });
}

it("retired namespaces make room, until too many names exist", async () => {
  expect((await put("first")).status).toBe(201);
  await rows("gone-", NAMESPACES_MAX, 1);
  expect((await put("second")).status).toBe(201);

  await rows("used-", NAMESPACES_MAX - 2, null);
  const full = await put("third");
  expect([full.status, full.body.code]).toEqual([403, "forbidden"]);
  expect(full.body.detail).toContain("limit (10000) reached");
  expect((await put("second")).status).toBe(200);

  expect((await ask("/v1/namespaces/second", { method: "DELETE" })).status).toBe(204);
  expect((await put("third")).status).toBe(201);
  expect((await ask("/v1/namespaces/third", { method: "DELETE" })).status).toBe(204);

  await rows("more-", NAMES_MAX - 2 * NAMESPACES_MAX - 1, 1);
  const names = await put("fourth");
  expect([names.status, names.body.code]).toEqual([403, "forbidden"]);
  expect(names.body.detail).toContain("limit (100000) reached");
});
