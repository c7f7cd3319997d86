/** Restarts and clock steps under the real object: real SQLite, real eviction, a moved clock. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { PRESETS } from "../../../src/core/layout/presets.ts";
import { clock, START_MS, useClock } from "../../support/clock.ts";
import { idsOf, problemOf } from "../../support/requests.ts";
import { stubOf } from "../../support/shards.ts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

useClock("waits");

/** Corrupts the instance's memory, then evicts it: only a new instance can answer. */
async function corruptAndEvict(namespace: string, shard: number): Promise<void> {
  const stub = stubOf(namespace, shard);
  await runInDurableObject(stub, (instance) => {
    Object.assign(instance, { grant: "corrupted" });
  });
  await evictDurableObject(stub);
}

describe("corrupting the instance", () => {
  it("breaks its answers until it is evicted, so eviction is real", async () => {
    const stub = stubOf("default", 7);
    const [before] = await idsOf("default", "?shard=7");
    await runInDurableObject(stub, (instance) => {
      Object.assign(instance, { grant: "corrupted" });
    });
    expect(await problemOf("/v1/ids/default?shard=7")).toMatchObject({ status: 503 });
    await evictDurableObject(stub);
    const [after] = await idsOf("default", "?shard=7");
    expect(after).toBeGreaterThan(before ?? 0n);
  });
});

describe.each([...PRESETS.keys()])("%s", (namespace) => {
  it("repeats no ID through evictions after any request while the clock advances", async () => {
    const ids: bigint[] = [];
    for (const count of [1, 1, 4095, 4096, 4097, 1]) {
      ids.push(...(await idsOf(namespace, `?shard=0&count=${count}`)));
      await corruptAndEvict(namespace, 0);
      clock.step(2000);
    }
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("repeats no ID through an abort in the middle of a burst", async () => {
    const stub = stubOf(namespace, 1);
    const ids: bigint[] = [];
    for (let round = 0; round < 2; round += 1) {
      const burst = Array.from({ length: 8 }, () => idsOf(namespace, "?shard=1&count=10"));
      const aborted = runInDurableObject(stub, (_, state) => state.abort("test")).catch(() => null);
      const answers = await Promise.allSettled([...burst, aborted]);
      for (const answer of answers) {
        if (answer.status === "fulfilled" && answer.value) ids.push(...answer.value);
      }
      clock.step(2000);
    }
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each([
    ["1 ms", 1],
    ["1 s", 1000],
    ["30 min", HOUR_MS / 2],
    ["1 year", YEAR_MS],
  ])(
    "a clock %s back repeats no ID, running and restarted, and IDs continue when it has caught up",
    async (title, backMs) => {
      const shard = ["1 ms", "1 s", "30 min", "1 year"].indexOf(title) + 2;
      const ids = await idsOf(namespace, `?shard=${shard}&count=100`);
      const path = `/v1/ids/${namespace}?shard=${shard}`;
      let refusals = 0;
      const tryOne = async (): Promise<void> => {
        const { status, body, retryAfter } = await problemOf(path);
        if (status === 200) {
          if (Array.isArray(body.ids)) ids.push(...body.ids.map(BigInt));
          return;
        }
        expect([status, body.code]).toEqual([503, "clock_behind"]);
        expect(Number(retryAfter)).toBe(Math.ceil(Number(body.retryAfterMs) / 1000));
        refusals += 1;
      };
      clock.set(START_MS - backMs);
      await tryOne();
      await tryOne();
      await corruptAndEvict(namespace, shard);
      await tryOne();
      // Running and restarted, `default` forgives up to 1 h, twitter and leaf wait up to 100 ms; the
      // other two have further lanes to use, each of which serves once.
      const forgives = { default: HOUR_MS, twitter: 1, leaf: 1 }[namespace];
      if (forgives !== undefined) expect(refusals).toBe(backMs > forgives ? 3 : 0);
      // Two seconds past the mark that the start left: caught up.
      clock.set(START_MS + 4000);
      ids.push(...(await idsOf(namespace, `?shard=${shard}&count=10`)));
      expect(new Set(ids).size).toBe(ids.length);
    },
  );
});

describe("default through evictions in one ms", () => {
  it("strictly increases: each start begins at the mark", async () => {
    const ids: bigint[] = [];
    for (const count of [1, 1, 4095, 4096, 4097, 1]) {
      ids.push(...(await idsOf("default", `?shard=6&count=${count}`)));
      await corruptAndEvict("default", 6);
    }
    expect(ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id))).toBe(true);
  });
});

describe("default through steps of the clock", () => {
  const steps = [-1, -1000, -HOUR_MS / 2, HOUR_MS / 2, -0.9 * HOUR_MS, HOUR_MS];

  it.each([false, true])("strictly increases, with restarts between: %s", async (restarted) => {
    const shard = restarted ? 1 : 0;
    const ids: bigint[] = [];
    for (const stepMs of steps) {
      ids.push(...(await idsOf("default", `?shard=${shard}&count=5000`)));
      clock.step(stepMs);
      if (restarted) await corruptAndEvict("default", shard);
    }
    const sorted = [...ids].sort((a, b) => (a < b ? -1 : 1));
    expect(ids).toEqual(sorted);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("after a step forward and back over an hour refuses, and continues by itself", async () => {
    const ids = await idsOf("default", "?shard=2&count=10");
    clock.set(START_MS + 3 * HOUR_MS);
    ids.push(...(await idsOf("default", "?shard=2&count=10")));
    clock.set(START_MS);
    const { status, body, retryAfter } = await problemOf("/v1/ids/default?shard=2");
    expect([status, body.code, body.definite]).toEqual([503, "clock_behind", true]);
    const retryAfterMs = Number(body.retryAfterMs);
    expect(Number(retryAfter)).toBe(Math.ceil(retryAfterMs / 1000));
    clock.set(START_MS + retryAfterMs);
    ids.push(...(await idsOf("default", "?shard=2")));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.at(-1)).toBeGreaterThan(ids.at(-2) ?? 0n);
  });
});

describe("with a frozen Date, as deployed", () => {
  beforeEach(() => {
    // Waits take no time here and, unlike elsewhere, move no clock.
    vi.spyOn(scheduler, "wait").mockResolvedValue(undefined);
  });

  it.each([...PRESETS.keys()])("%s: every request ends", async (namespace) => {
    const statuses: number[] = [];
    for (let request = 0; request < 6; request += 1) {
      const { status } = await problemOf(`/v1/ids/${namespace}?shard=6&count=10000`);
      statuses.push(status);
    }
    expect(statuses.every((status) => status === 200 || status === 503)).toBe(true);
    clock.set(START_MS + 10_000);
    expect(await idsOf(namespace, "?shard=6")).toHaveLength(1);
  });

  it("twitter: the 4,097th ID of the ms is refused within maxWait, with a time to retry", async () => {
    await idsOf("twitter", "?shard=7&count=4096");
    const { status, body, retryAfter } = await problemOf("/v1/ids/twitter?shard=7");
    expect([status, body.code, retryAfter]).toEqual([503, "shard_saturated", "1"]);
    expect(body.retryAfterMs).toBe(1);
  });
});
