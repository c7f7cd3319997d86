/** Batches from the isolate's memory: whole, of one shard, fresh when they leave, never twice. */
import { evictDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { FRESH_COUNT_FIRST } from "../../../src/core/blocks/fresh-demand.ts";
import { decompose } from "../../../src/core/layout/id.ts";
import { writeGrantReply } from "../../../src/core/line/grant-reply.ts";
import { app } from "../../../src/http/app.ts";
import { worker } from "../../../src/http/worker.ts";
import { takeIds } from "../../../src/service/issue/take.ts";
import {
  BATCH_AT_ONCE_DIVISOR,
  BATCH_BLOCKS_MAX,
  BATCH_FRESH_DIVISOR,
  FRESH_NAMESPACES_MAX,
} from "../../../src/service/limits.ts";
import { ask, put } from "../../support/admin.ts";
import { clock, START_MS, useClock } from "../../support/clock.ts";
import { realGrant, recordedShards } from "../../support/recorded/recorded-shards.ts";
import { recordedWorker } from "../../support/recorded/recorded-worker.ts";
import { NO_LIMITERS, send } from "../../support/send.ts";
import { namespaceOf, stubOf } from "../../support/shards.ts";

const FRESH_FOR_MS = 250;
/** Misses that make repeated demand. */
const MISSES = 4;
const { layout } = namespaceOf("default");

useClock();

type Got = Awaited<ReturnType<ReturnType<typeof recordedWorker>["get"]>>;

/** Whole, in order, and all of the shard that the header names. */
function checkBatch({ status, ids, shard }: Got, count: number): void {
  expect(status).toBe(200);
  expect(ids).toHaveLength(count);
  let before = -1n;
  for (const text of ids) {
    const id = BigInt(text);
    if (id <= before) throw new Error(`${id} after ${before}`);
    if (decompose(layout, id)?.shard !== shard) throw new Error(`${id} is not of shard ${shard}`);
    before = id;
  }
}

function distinct(ids: readonly string[]): void {
  expect(new Set(ids).size).toBe(ids.length);
}

/** A namespace with an unused stock for batches of `count` in memory. */
async function leased(name: string, count: number, body?: unknown) {
  await put(name, body);
  const recorded = recordedWorker();
  const path = `/v1/ids/${name}?count=${count}`;
  const ids: string[] = [];
  for (let miss = 0; miss < MISSES; miss += 1) ids.push(...(await recorded.get(path)).ids);
  return { ...recorded, path, ids };
}

describe("batches", () => {
  it.each([2, 300, 4096, 4097, 10_000])(
    "of %d are prefetched for repeated demand",
    async (count) => {
      await put(`batches-${count}`);
      const { get } = recordedWorker();
      const path = `/v1/ids/batches-${count}?count=${count}`;
      for (let miss = 1; miss <= MISSES; miss += 1) {
        const answer = await get(path, miss % 2 ? worker : app);
        checkBatch(answer, count);
        const asked = [...(miss === MISSES ? [FRESH_COUNT_FIRST * count] : []), count];
        expect(answer.asked.map((call) => call.count)).toEqual(asked);
        expect(answer.behind).toBe(miss === MISSES ? 1 : 0);
      }
      const fromMemory = await get(path);
      checkBatch(fromMemory, count);
      expect(fromMemory).toMatchObject({ asked: [], behind: 0 });
      // The router has the same memory.
      checkBatch(await get(path, app), count);
    },
  );

  it("of all sizes come from memory while it has enough, each ID once", async () => {
    const { get, ids, calls } = await leased("sizes", 3000);
    const before = calls.length;
    for (const count of [2, 4095, 10, 3000, 4096, 500, 2, 2000, 10_000, 4096, 3, 4097, 9000, 2]) {
      const answer = await get(`/v1/ids/sizes?count=${count}`);
      checkBatch(answer, count);
      ids.push(...answer.ids);
      clock.step(1);
    }
    distinct(ids);
    expect(calls.length - before).toBeLessThan(12);
  });

  it.each([
    ["?count=5&order=strict", { count: 5, strict: true }],
    ["?count=5&key=a", { count: 5, strict: true }],
    ["?count=5&shard=3", { count: 5, strict: false, shard: 3 }],
  ])("%s come from a shard, even if memory has enough", async (query, call) => {
    const { get } = await leased(`pinned${query.length}`, 5);
    for (const to of [worker, app]) {
      const answer = await get(`/v1/ids/pinned${query.length}${query}`, to);
      expect(answer).toMatchObject({ behind: 0, asked: [call] });
    }
  });

  it("larger than the stock come from a shard, and the stock stays", async () => {
    const { get, path } = await leased("more", 100);
    const answer = await get("/v1/ids/more?count=501");
    checkBatch(answer, 501);
    expect(answer.asked).toMatchObject([{ count: 501 }]);
    expect(await get(path)).toMatchObject({ asked: [] });
  });

  it("ascend, also if the shard waited and continued from the last lane to the first of that tick", async () => {
    const { sequenceCount } = namespaceOf("js53").layout;
    const start = 250_000_000 * sequenceCount;
    const { shards } = recordedShards(() =>
      Promise.resolve(`[1,0,1,${start},${start + 3},0,${start},${start + 4}]`),
    );
    const bindings: Env = Object.assign({ ...env, SHARD: shards }, NO_LIMITERS);
    for (const to of [worker, app]) {
      const answer = await send(to, "/v1/ids/js53?count=7", { bindings });
      const { ids }: { ids: string[] } = JSON.parse(answer.text);
      expect(ids).toHaveLength(7);
      expect(ids.map(Number)).toEqual(ids.map(Number).toSorted((one, other) => one - other));
    }
  });

  it("use another stock than single IDs", async () => {
    const { get } = await leased("apart", 50);
    expect((await get("/v1/ids/apart")).asked).toMatchObject([{ count: 1 }]);
    expect((await get("/v1/ids/apart")).asked).toMatchObject([
      { count: FRESH_COUNT_FIRST },
      { count: 1 },
    ]);
    expect((await get("/v1/ids/apart")).asked).toEqual([]);
  });

  it("by service binding come from the same memory", async () => {
    const { calls } = await leased("bound", 6);
    const shard = calls.at(-1)?.shard ?? -1;
    const grants = async () => {
      const { body } = await ask(`/v1/shards/bound/${shard}`);
      return body.counters;
    };
    const before = await grants();
    const ids = await exports.Edgeflake.nextIds("bound", 6);
    expect(ids.map((id) => decompose(layout, BigInt(id))?.shard)).toEqual(Array(6).fill(shard));
    expect(await grants()).toEqual(before);
  });
});

describe("a stock for batches", () => {
  it.each([
    [FRESH_FOR_MS, true],
    [FRESH_FOR_MS + 1, false],
    [-1, false],
  ])("serves at the age of %d ms: %s", async (ageMs, isServed) => {
    const { get, path } = await leased(`aged${ageMs}`, 7);
    clock.step(ageMs);
    const answer = await get(path);
    checkBatch(answer, 7);
    // The next stock may be fetched behind the answer.
    expect(answer.asked.some(({ count }) => count === 7)).toBe(!isServed);
  });

  it("does not exist if freshForMs is 0", async () => {
    const body = { kind: "snowflake", policy: { freshForMs: 0 } };
    const { get, path } = await leased("never", 7, body);
    expect(await get(path)).toMatchObject({ behind: 0, asked: [{ count: 7 }] });
  });

  it("does not exist if a line opens too few IDs at once, so that no request waits behind a prefetch", async () => {
    const open = (count: number) =>
      Math.floor(layout.sequenceCount / BATCH_AT_ONCE_DIVISOR) / count;
    const body = { kind: "snowflake", preset: "twitter" };
    const large = await leased("waits", 1000, body);
    expect(open(1000)).toBeLessThan(2);
    for (let request = 0; request < 4; request += 1) {
      clock.step(3);
      expect(await large.get(large.path)).toMatchObject({ behind: 0, asked: [{ count: 1000 }] });
    }
    const small = await leased("waits-not", 100, body);
    expect((await small.get(small.path)).asked).toEqual([]);
  });

  it("is at most half of the IDs that its line opens while it is fresh", async () => {
    const policy = { freshForMs: 50 };
    const { get, path, calls } = await leased("grows", 10_000, { kind: "snowflake", policy });
    for (let request = 0; request < 40; request += 1) await get(path);
    const largest = Math.max(...calls.map(({ count }) => count));
    const most = (policy.freshForMs * layout.sequenceCount) / BATCH_FRESH_DIVISOR;
    expect(largest).toBeGreaterThan(most / 2);
    expect(largest).toBeLessThanOrEqual(most);
  });

  it("does not exist if a tick outlives it: leftovers would starve the rest of the tick", async () => {
    const { get, path } = await leased("slow", 4, { kind: "snowflake", preset: "js53" });
    for (let request = 0; request < 4; request += 1) {
      expect(await get(path)).toMatchObject({ behind: 0, asked: [{ count: 4 }] });
    }
    const policy = { freshForMs: 1000 };
    const patient = await leased("patient", 4, { kind: "snowflake", preset: "js53", policy });
    expect((await patient.get(patient.path)).asked).toEqual([]);
  });

  it("is fetched without a wait, and a shard that refuses it stays the home", async () => {
    await put("closed");
    const { shards, calls } = recordedShards((call) => {
      if (call.count === 9) return realGrant(call);
      const refusal = { code: "shard_saturated", detail: "full", retryAfterMs: 1000 } as const;
      const reply = { ok: false, refusal, granted: 0, waitedMs: 0 } as const;
      return Promise.resolve(writeGrantReply(reply, { instance: 1, nowMs: 0 }));
    });
    const bindings: Env = Object.assign({ ...env, SHARD: shards }, NO_LIMITERS);
    for (let request = 0; request <= MISSES; request += 1) {
      await send(worker, "/v1/ids/closed?count=9", { bindings });
    }
    const leases = calls.filter(({ count }) => count > 9);
    expect(leases.map(({ waitLeftMs }) => waitLeftMs)).toEqual([0]);
    const home = calls[0]?.shard;
    expect(calls.every(({ shard }) => shard === home)).toBe(true);
  });

  it("that is too small and too old makes room for larger batches", async () => {
    const { get } = await leased("grown", 2);
    clock.step(FRESH_FOR_MS + 1);
    let fromMemory = 0;
    for (let request = 0; request < 100; request += 1) {
      const { asked } = await get("/v1/ids/grown?count=100");
      if (!asked.some(({ count }) => count === 100)) fromMemory += 1;
      clock.step(10);
    }
    expect(fromMemory).toBeGreaterThan(50);
  });

  it("has two batches if a line opens no more", async () => {
    const count = Math.floor(layout.sequenceCount / BATCH_AT_ONCE_DIVISOR / 2);
    const body = { kind: "snowflake", preset: "twitter" };
    const { get, path, calls } = await leased("two", count, body);
    expect(calls.map((call) => call.count)).toContain(2 * count);
    // The only call is the next prefetch.
    expect(await get(path)).toMatchObject({ behind: 1, asked: [{ count: 2 * count }] });
    await put("two-not", body);
    const { get: getMore } = recordedWorker();
    for (let request = 0; request <= MISSES; request += 1) {
      const more = await getMore(`/v1/ids/two-not?count=${count + 1}`);
      expect(more).toMatchObject({ behind: 0, asked: [{ count: count + 1 }] });
    }
  });

  it("has a bounded number of blocks if a tick has few IDs", async () => {
    const narrow = { timestampBits: 41, datacenterBits: 0, workerBits: 10, laneBits: 0 };
    const body = {
      kind: "snowflake",
      layout: { ...narrow, sequenceBits: 1, epochMs: START_MS - 1000, tickMs: 1 },
      policy: { maxBorrowMs: 60_000, freshForMs: 60_000 },
    };
    const most = 2 * BATCH_BLOCKS_MAX;
    const { calls } = await leased("narrow", most / 2, body);
    expect(Math.max(...calls.map(({ count }) => count))).toBe(most);
  });

  it("of the oldest namespace is evicted if there are too many", async () => {
    const { get, path } = await leased("oldest", 4);
    const namespace = namespaceOf("default");
    // Real shards would take a minute on a busy machine.
    const { shards: SHARD } = recordedShards(async ({ count }) => {
      const grants = [{ lane: 0, start: 0, end: count }];
      return writeGrantReply({ ok: true, grants }, { instance: 1, nowMs: 0 });
    });
    const placement = { strict: false };
    const source = { env: { ...env, SHARD }, namespace, placement, waitUntil: () => undefined };
    expect(await get(path)).toMatchObject({ asked: [] });
    for (let others = 0; others < FRESH_NAMESPACES_MAX; others += 1) {
      await takeIds({ ...source, namespace: { ...namespace, name: `other-${others}` } }, 4);
    }
    expect(await get(path)).toMatchObject({ behind: 0, asked: [{ count: 4 }] });
  });

  it("whose fetch fails leaves each request its own call, and is not fetched again at once", async () => {
    await put("failing");
    const { shards, calls } = recordedShards((call) => {
      if (call.count > 9) return Promise.reject(new Error("broken"));
      return realGrant(call);
    });
    const bindings: Env = Object.assign({ ...env, SHARD: shards }, NO_LIMITERS);
    const ids: string[] = [];
    for (let request = 0; request < 10; request += 1) {
      const answer = await send(worker, "/v1/ids/failing?count=9", { bindings });
      expect(answer.status).toBe(200);
      ids.push(...(JSON.parse(answer.text) as { ids: string[] }).ids);
    }
    distinct(ids);
    const leases = calls.filter(({ count }) => count > 9);
    // Asked for once, and repeated once by the same call.
    expect(leases).toHaveLength(2);
  });
});

describe("no ID of a batch comes twice", () => {
  it("in rounds of concurrent requests of all sizes, with evictions and a clock that moves", async () => {
    await put("crowd");
    const { get, calls } = recordedWorker();
    const COUNTS = [1, 2, 10, 1, 700, 1, 33, 2, 1500, 1];
    const ids: string[] = [];
    let requests = 0;
    for (const stepMs of [0, 3, 251, -20, 1500, -3000]) {
      clock.step(stepMs);
      const asked = calls.length;
      const round = await Promise.all(
        Array.from({ length: 70 }, async (_, index) => {
          const count = COUNTS[index % COUNTS.length] ?? 1;
          if (index % 7 === 3) await scheduler.wait(index % 5);
          const answer = await get(`/v1/ids/crowd?count=${count}`, index % 11 ? worker : app);
          checkBatch(answer, count);
          return answer;
        }),
      );
      requests += round.length;
      for (const answer of round) ids.push(...answer.ids);
      // A round that is answered from memory alone wakes no shard.
      for (const shard of new Set(calls.slice(asked).map((call) => call.shard))) {
        await evictDurableObject(stubOf("crowd", shard));
      }
    }
    distinct(ids);
    expect(calls.length).toBeLessThan(requests);
  });
});
