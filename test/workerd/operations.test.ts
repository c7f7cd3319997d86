/** What docs/OPERATIONS.md tells an operator to do, done. */
import { describe, expect, it } from "vitest";
import { ask, put } from "../support/admin.ts";
import { freezeClock, START_MS, step } from "../support/frozen-clock.ts";
import { acquire, tryAcquire } from "../support/leases.ts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

freezeClock();

async function idOf(namespace: string, query = "?shard=0"): Promise<bigint> {
  const { status, text, body } = await ask(`/v1/ids/${namespace}${query}`);
  if (status !== 200) throw new Error(`${namespace} gives no ID: ${text}`);
  return BigInt(String((body.ids as string[])[0]));
}

async function layoutOf(namespace: string): Promise<Record<string, number>> {
  const { body } = await ask(`/v1/namespaces/${namespace}`);
  return body.layout as Record<string, number>;
}

describe("a clock that was set back", () => {
  it("further than is forgiven: a larger maxStepBackMs goes on at once, above all before", async () => {
    await put("behind");
    step(3 * HOUR_MS);
    const before = await idOf("behind");
    step(-3 * HOUR_MS);
    const refused = await ask("/v1/ids/behind?shard=0");
    expect([refused.status, refused.body.code]).toEqual([503, "clock_behind"]);
    const { body } = await ask("/v1/shards/behind/0");
    expect(body.lanes).toMatchObject([{ leadMs: expect.closeTo(3 * HOUR_MS, -4) }]);
    const policy = { maxStepBackMs: 4 * HOUR_MS };
    expect((await put("behind", { kind: "snowflake", policy })).status).toBe(200);
    expect(await idOf("behind")).toBeGreaterThan(before);
  });
});

describe("a mark that was poisoned by a wrong clock", () => {
  it("a year ahead: a namespace whose epoch is earlier begins above all that was issued", async () => {
    await put("poisoned");
    step(YEAR_MS);
    const before = [await idOf("poisoned"), await idOf("poisoned", "?shard=1")];
    step(-YEAR_MS);
    expect((await ask("/v1/ids/poisoned?shard=0")).body.code).toBe("clock_behind");
    const layout = await layoutOf("poisoned");
    const epochMs = Number(layout.epochMs) - 2 * YEAR_MS;
    const made = await put("poisoned-2", { kind: "snowflake", layout: { ...layout, epochMs } });
    expect(made.status).toBe(201);
    expect((await ask("/v1/namespaces/poisoned", { method: "DELETE" })).status).toBe(204);
    const id = await idOf("poisoned-2");
    for (const old of before) expect(id).toBeGreaterThan(old);
    const { body } = await ask(`/v1/decode/poisoned-2/${id}`);
    expect(body.unixMs).toBe(START_MS);
  });
});

describe("a data folder that is older than what was issued from it", () => {
  it("segments go on in a namespace that starts above what was given out", async () => {
    const restored = { kind: "segment", step: 100 };
    await put("numbers", restored);
    const used = await idOf("numbers", "?order=strict");
    const start = `${used + 1000n}`;
    expect((await put("numbers-2", { ...restored, start })).status).toBe(201);
    expect(await idOf("numbers-2", "?order=strict")).toBe(used + 1000n);
  });

  it("leases that the desk has forgotten are over once their longest ttl has passed", async () => {
    // Two desks: one as it was at the crash, one as it was restored, knowing nothing of the other's lease.
    const layout = { ...(await layoutOf("default")), workerBits: 1 };
    for (const name of ["crashed", "restored"]) {
      expect((await put(name, { kind: "snowflake", layout })).status).toBe(201);
    }
    const ttlMs = 60_000;
    const forgotten = await acquire("crashed", { ttlMs });
    step(ttlMs);
    const next = await acquire("restored", { ttlMs });
    expect(next.worker).toBe(forgotten.worker);
    expect(next.notBefore).toBeGreaterThanOrEqual(forgotten.notAfter);
    expect((await tryAcquire("restored")).status).toBe(503);
  });
});
