/** The steps of docs/OPERATIONS.md, carried out. */
import { describe, expect, it } from "vitest";
import { ask, patch, put } from "../../support/admin.ts";
import { clock, START_MS, useClock } from "../../support/clock.ts";
import { acquire, tryAcquire } from "../../support/leases.ts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
/** The time that the recipe of a successor adds: the longest lease that a policy may allow, and an hour. */
const ADDED_MS = 90_000_000;

useClock();

async function idsOf(namespace: string, query: string): Promise<string[]> {
  const { status, text, body } = await ask(`/v1/ids/${namespace}${query}`);
  if (status !== 200) throw new Error(`${namespace} gives no ID: ${text}`);
  return body.ids as string[];
}

async function idOf(namespace: string, query = "?shard=0"): Promise<bigint> {
  const [id = ""] = await idsOf(namespace, query);
  return BigInt(id);
}

async function definitionOf(namespace: string): Promise<Record<string, unknown>> {
  const { body } = await ask(`/v1/namespaces/${namespace}`);
  const { kind, layout, policy, shards, regions, keyShards } = body;
  return { kind, layout, policy, shards, regions, keyShards };
}

/** The recipe's successor: the same body with an earlier epoch, by `aheadMs` and what the recipe adds. */
async function makeSuccessor(namespace: string, name: string, aheadMs: number): Promise<void> {
  const definition = await definitionOf(namespace);
  const layout = definition.layout as Record<string, number>;
  const epochMs = Number(layout.epochMs) - aheadMs - ADDED_MS;
  const { status, text } = await put(name, { ...definition, layout: { ...layout, epochMs } });
  if (status !== 201) throw new Error(`no successor: ${text}`);
}

/** The largest ID whose time is before that. */
async function lastBefore(namespace: string, untilMs: number): Promise<bigint> {
  const { body } = await ask(`/v1/range/${namespace}?from=${START_MS}&until=${untilMs}`);
  return BigInt(String(body.last));
}

describe("a clock that was set back", () => {
  it("further than maxStepBackMs: after raising it the namespace continues at once, above all earlier IDs", async () => {
    await put("behind", { kind: "snowflake", policy: { maxWaitMs: 77, reserveMs: 50 } });
    clock.step(3 * HOUR_MS);
    const before = await idOf("behind");
    clock.step(-3 * HOUR_MS);
    const refused = await ask("/v1/ids/behind?shard=0");
    expect([refused.status, refused.body.code]).toEqual([503, "clock_behind"]);
    const { body } = await ask("/v1/shards/behind/0");
    expect(body.lanes).toMatchObject([{ leadMs: expect.closeTo(3 * HOUR_MS, -4) }]);
    const policy = { maxStepBackMs: 4 * HOUR_MS };
    expect(await patch("behind", { policy })).toMatchObject({
      status: 200,
      body: { policy: { maxWaitMs: 77, reserveMs: 50, ...policy } },
    });
    expect(await idOf("behind")).toBeGreaterThan(before);
  });
});

describe("a mark that was poisoned by a wrong clock", () => {
  it("a year ahead: a successor begins above all IDs that were issued or may still be minted", async () => {
    const policy = { leaseTtlMaxMs: 24 * HOUR_MS };
    await put("poisoned", { kind: "snowflake", preset: "twitter", policy, shards: 12 });
    clock.step(YEAR_MS);
    await idOf("poisoned");
    const lease = await acquire("poisoned", { ttlMs: 24 * HOUR_MS });
    clock.step(-YEAR_MS);
    expect((await ask("/v1/ids/poisoned?shard=0")).body.code).toBe("clock_behind");
    const { body } = await ask("/v1/shards/poisoned/0");
    const [{ leadMs } = { leadMs: 0 }] = body.lanes as { leadMs: number }[];
    const aheadMs = Math.max(leadMs, lease.notAfter - START_MS);
    await makeSuccessor("poisoned", "poisoned-2", aheadMs);
    expect((await ask("/v1/namespaces/poisoned", { method: "DELETE" })).status).toBe(204);
    const id = await idOf("poisoned-2");
    expect(id).toBeGreaterThan(await lastBefore("poisoned", lease.notAfter));
    expect((await ask(`/v1/decode/poisoned-2/${id}`)).body.unixMs).toBe(START_MS);
    const { body: made } = await ask("/v1/namespaces/poisoned-2");
    expect(made).toMatchObject({ shards: 12, policy: { maxBorrowMs: 0, reserveMs: 50 } });
  });
});

describe("a data folder older than the last IDs issued from it", () => {
  it.each(["default", "twitter", "js53"])(
    "%s repeats IDs at once, but none after the wait",
    async (preset) => {
      // The same namespace before the crash and as restored, without the IDs issued in between.
      const [crashed, restored] = [`${preset}-crashed`, `${preset}-restored`];
      for (const name of [crashed, restored]) await put(name, { kind: "snowflake", preset });
      const definition = await definitionOf(crashed);
      const { maxBorrowMs, maxStepBackMs } = definition.policy as Record<string, number>;
      const { tickMs } = definition.layout as Record<string, number>;
      const many = "?shard=0&count=10";
      const given = new Set(await idsOf(crashed, many));
      expect((await idsOf(restored, many)).filter((id) => given.has(id))).not.toEqual([]);
      // Again, with the line as far ahead as it may be by demand, and restored right after that.
      for (const id of await idsOf(crashed, "?shard=1&count=4000")) given.add(id);
      clock.step(Number(maxBorrowMs) + Number(maxStepBackMs) + Number(tickMs) + 1000);
      for (const shard of [0, 1]) {
        const ids = await idsOf(restored, `?shard=${shard}&count=1000`);
        expect(ids.filter((id) => given.has(id))).toEqual([]);
      }
    },
  );

  it("segments continue in a namespace that starts above all issued numbers", async () => {
    const restored = { kind: "segment", step: 100 };
    await put("numbers", restored);
    const used = await idOf("numbers", "?order=strict");
    const start = `${used + 1000n}`;
    expect((await put("numbers-2", { ...restored, start })).status).toBe(201);
    expect(await idOf("numbers-2", "?order=strict")).toBe(used + 1000n);
  });

  it("leases that the desk has lost are over after their longest ttl", async () => {
    // Two desks: one as it was at the crash, one as it was restored, knowing nothing of the other's lease.
    const { layout: ofDefault } = await definitionOf("default");
    const layout = { ...(ofDefault as object), workerBits: 1 };
    for (const name of ["crashed", "restored"]) {
      expect((await put(name, { kind: "snowflake", layout })).status).toBe(201);
    }
    const ttlMs = 60_000;
    const forgotten = await acquire("crashed", { ttlMs });
    clock.step(ttlMs);
    const next = await acquire("restored", { ttlMs });
    expect(next.worker).toBe(forgotten.worker);
    expect(next.notBefore).toBeGreaterThanOrEqual(forgotten.notAfter);
    expect((await tryAcquire("restored")).status).toBe(503);
  });
});
