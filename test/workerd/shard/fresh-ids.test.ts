/** Single IDs from the isolate's memory: leased ahead, fresh when they leave, never twice. */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ADMIN } from "../../../src/core/api-key.ts";
import { blocksOf } from "../../../src/core/blocks/block.ts";
import { CLAIM_LAPSES_MS } from "../../../src/core/blocks/block-buffer.ts";
import { FRESH_COUNT_FIRST } from "../../../src/core/blocks/fresh-demand.ts";
import { decompose } from "../../../src/core/layout/id.ts";
import { type GrantResult, writeGrantReply } from "../../../src/core/line/grant-reply.ts";
import { defineNamespace, type SnowflakeInput } from "../../../src/core/namespace/namespace.ts";
import { app } from "../../../src/http/app.ts";
import { worker } from "../../../src/http/worker.ts";
import type { Placement } from "../../../src/service/calls/pick-shard.ts";
import type { Shards } from "../../../src/service/calls/shards.ts";
import { takeIds } from "../../../src/service/issue/take.ts";
import {
  CACHE_TRUSTED_MS,
  FRESH_BLOCKS_MAX,
  FRESH_NAMESPACES_MAX,
  HOME_COUNT_MAX,
} from "../../../src/service/limits.ts";
import {
  type SnowflakeNamespace,
  namespaceOf as servedNamespace,
} from "../../../src/service/registry/namespaces.ts";
import { ask, put } from "../../support/admin.ts";
import { clock, START_MS, useClock } from "../../support/clock.ts";
import {
  type GrantCall,
  realGrant,
  recordedShards,
} from "../../support/recorded/recorded-shards.ts";
import { recordedWorker } from "../../support/recorded/recorded-worker.ts";
import { request } from "../../support/requests.ts";
import { NO_LIMITERS, send } from "../../support/send.ts";
import { inStorage, namespaceOf, stubOf } from "../../support/shards.ts";

const HOUR_MS = 3_600_000;
const FRESH_FOR_MS = 250;
const FRESH: Placement = { strict: false };

useClock();

let serial = 0;

/** A namespace of its own for each test, as the isolate remembers what it leased. */
function someNamespace(policy: SnowflakeInput["policy"] = {}, layout?: SnowflakeInput["layout"]) {
  serial += 1;
  const defined = defineNamespace({ kind: "snowflake", policy, ...(layout && { layout }) });
  if (defined.kind !== "defined") throw new Error("not a namespace");
  const { definition } = defined;
  const namespace = servedNamespace({ name: `leased-${serial}`, definition, createdMs: START_MS });
  if (namespace.kind !== "snowflake") throw new Error("of another kind");
  return namespace;
}

function layoutOf(sequenceBits: number): SnowflakeInput["layout"] {
  const usual = { timestampBits: 41, datacenterBits: 0, workerBits: 10, laneBits: 0 };
  return { ...usual, sequenceBits, epochMs: 0, tickMs: 1 };
}

interface Single {
  readonly id: bigint;
  readonly shard: number;
  readonly fromMemory: boolean;
}

/** Requests single IDs as a route does. `works`: the work passed to waitUntil. */
function holderOf(shards: Shards, namespace: SnowflakeNamespace) {
  const works: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void works.push(work);
  const one = async (placement = FRESH): Promise<Single> => {
    const begun = takeIds({ env: { ...env, SHARD: shards }, namespace, placement, waitUntil }, 1);
    const fromMemory = !("then" in begun);
    const issued = await begun;
    if (!issued.ok) throw new Error(issued.refusal.code);
    const [block, more] = issued.blocks;
    if (block?.count !== 1 || more) throw new Error("not a single ID");
    return { id: block.first, shard: issued.shard, fromMemory };
  };
  const times = async (count: number): Promise<Single[]> => {
    const singles: Single[] = [];
    for (let made = 0; made < count; made += 1) singles.push(await one());
    return singles;
  };
  return { one, times, works, waitUntil };
}

const CLOCK = { instance: 1, nowMs: 0 };

/** Grants positions one after another, each once. */
function granter() {
  const nexts = new Map<string, number>();
  return ({ namespace, shard, count }: GrantCall): Extract<GrantResult, { ok: true }> => {
    const name = `${namespace}/${shard}`;
    const start = nexts.get(name) ?? 0;
    nexts.set(name, start + count);
    return { ok: true, grants: [{ lane: 0, start, end: start + count }] };
  };
}

const overloaded = () => Object.assign(new Error("overloaded"), { overloaded: true });
const refusal = (code: "shard_saturated" | "layout_conflict"): string => {
  const because = { code, detail: code, retryAfterMs: 1 };
  return writeGrantReply({ ok: false, refusal: because, granted: 0, waitedMs: 0 }, CLOCK);
};

/** An open prefetch. */
interface HeldLease {
  readonly call: GrantCall;
  readonly grant: () => GrantResult;
  readonly refuse: (code: "shard_saturated" | "layout_conflict") => void;
  readonly fail: (error: Error) => void;
}

/** Shards that answer single IDs at once, and prefetches on command. */
function heldShards() {
  const grantNext = granter();
  const held: HeldLease[] = [];
  const { shards, calls } = recordedShards((call) => {
    if (call.count === 1) return Promise.resolve(writeGrantReply(grantNext(call), CLOCK));
    return new Promise((resolve, reject) => {
      const grant = () => {
        const reply = grantNext(call);
        resolve(writeGrantReply(reply, CLOCK));
        return reply;
      };
      held.push({ call, grant, refuse: (code) => resolve(refusal(code)), fail: reject });
    });
  });
  const counts = () => calls.map(({ count }) => count);
  return { shards, calls, counts, held };
}

/** Long enough for everything that waits for nothing outside. */
const settled = () => scheduler.wait(1);

/** An isolate with an open prefetch. */
async function asking(policy: SnowflakeInput["policy"] = {}) {
  const shards = heldShards();
  const namespace = someNamespace(policy);
  const holder = holderOf(shards.shards, namespace);
  await holder.times(2);
  expect(shards.counts()).toEqual([1, FRESH_COUNT_FIRST, 1]);
  return { ...shards, ...holder, namespace };
}

/** An isolate with an unused stock in memory. */
async function leased(policy: SnowflakeInput["policy"] = {}) {
  const holder = await asking(policy);
  holder.held[0]?.grant();
  await settled();
  return holder;
}

function distinct(ids: readonly (bigint | string)[]): void {
  expect(new Set(ids.map(String)).size).toBe(ids.length);
}

describe("a lone request", () => {
  it("costs one exact call, and fetches no stock", async () => {
    await put("lone");
    const { get } = recordedWorker();
    const { ids, behind, asked } = await get("/v1/ids/lone");
    expect(ids).toHaveLength(1);
    expect(asked).toMatchObject([{ namespace: "lone", count: 1, strict: false }]);
    expect(behind).toBe(0);
  });

  it("costs the same for ever if requests are further apart than freshForMs", async () => {
    const { shards, counts } = heldShards();
    const { one, works } = holderOf(shards, someNamespace());
    for (let request = 0; request < 20; request += 1) {
      expect(await one()).toMatchObject({ fromMemory: false });
      clock.step(FRESH_FOR_MS + 1);
    }
    expect(counts()).toEqual(Array.from({ length: 20 }, () => 1));
    expect(works).toEqual([]);
  });

  it("costs one exact call after a long silence without any call", async () => {
    const { one, times, held, calls, works } = await leased();
    await times(FRESH_COUNT_FIRST);
    held[1]?.grant();
    await settled();
    const [asked, left] = [calls.length, works.length];
    clock.step(HOUR_MS);
    await settled();
    expect(calls.length).toBe(asked);
    expect(await one()).toMatchObject({ fromMemory: false });
    expect(calls.slice(asked)).toMatchObject([{ count: 1 }]);
    expect(works.length).toBe(left);
  });

  it("costs one exact call after a long silence in the middle of a used stock", async () => {
    const { one, held, calls } = await leased();
    // Each prefetch but the last is answered at once.
    for (const answered of [1, 2]) {
      while (!held[answered]) expect(await one()).toMatchObject({ fromMemory: true });
      held[answered]?.grant();
      await settled();
    }
    for (let used = 0; used < 4; used += 1) {
      expect(await one()).toMatchObject({ fromMemory: true });
    }
    const asked = calls.length;
    clock.step(HOUR_MS);
    await one();
    expect(calls.slice(asked)).toMatchObject([{ count: 1 }]);
  });

  it("costs one exact call after a failed refill and a long silence", async () => {
    const { one, times, held, calls } = await leased();
    // The stock is used up, and the next prefetch fails.
    await times(FRESH_COUNT_FIRST + 1);
    held[1]?.refuse("layout_conflict");
    await settled();
    await one();
    const asked = calls.length;
    clock.step(HOUR_MS);
    await one();
    expect(calls.slice(asked)).toMatchObject([{ count: 1 }]);
  });
});

describe("repeated demand", () => {
  it.each([
    ["with a limit", "repeated-limited", {}],
    ["without", "repeated", NO_LIMITERS],
  ])(
    "prefetches in the background, and the next IDs come from memory, %s",
    async (_, name, limit) => {
      await put(name);
      const path = `/v1/ids/${name}`;
      const { get } = recordedWorker(limit);
      const answers = [await get(path), await get(path)];
      expect(answers[1]?.asked.map(({ count }) => count)).toEqual([FRESH_COUNT_FIRST, 1]);
      expect(answers.map(({ behind }) => behind)).toEqual([0, 1]);
      const fromMemory = await get(path);
      expect(fromMemory).toMatchObject({ status: 200, asked: [], behind: 0 });
      expect(fromMemory.shard).toBe(answers[1]?.shard);
      // The router has the same memory.
      expect(await get(path, app)).toMatchObject({ asked: [], behind: 0 });
      for (let request = 0; request < 6; request += 1) {
        answers.push(await get(path, request % 2 ? app : worker));
      }
      distinct([...answers, fromMemory].flatMap(({ ids }) => ids));
    },
  );

  it("fills the memory of the whole Worker", async () => {
    await put("whole");
    const waitUntil = () => undefined;
    const namespace = { ...namespaceOf("default"), name: "whole" };
    const source = { env, namespace, placement: FRESH, waitUntil };
    for (let round = 0; round < 2; round += 1) await request("/v1/ids/whole");
    await vi.waitUntil(() => !("then" in takeIds(source, 1)), { timeout: 30_000 });
  });

  it("causes one prefetch at a time", async () => {
    const { shards, held, counts } = heldShards();
    const { one, works } = holderOf(shards, someNamespace());
    const singles = await Promise.all(Array.from({ length: 50 }, () => one()));
    distinct(singles.map(({ id }) => id));
    expect(held).toHaveLength(1);
    expect(works).toHaveLength(1);
    expect(counts().filter((count) => count === 1)).toHaveLength(50);
  });

  it("of a steady rate causes about one call per freshForMs, and wastes little", async () => {
    const grant = granter();
    const { shards, calls } = recordedShards(async (call) => writeGrantReply(grant(call), CLOCK));
    const { times } = holderOf(shards, someNamespace());
    const ids: bigint[] = [];
    for (let ms = 0; ms < 5000; ms += 1) {
      ids.push(...(await times(10)).map(({ id }) => id));
      clock.step(1);
    }
    distinct(ids);
    const leases = calls.filter(({ count }) => count > 1).slice(10);
    expect(leases.length).toBeLessThan((5000 / FRESH_FOR_MS) * 1.5);
    const granted = calls.reduce((sum, { count }) => sum + count, 0);
    expect(granted).toBeLessThan(ids.length * 1.2);
  });

  it("that stops causes no more prefetches", async () => {
    const { one, held, counts } = await leased();
    const at = async (ms: number): Promise<Single> => {
      clock.set(START_MS + ms);
      return await one();
    };
    for (const ms of [0, 245]) expect(await at(ms)).toMatchObject({ fromMemory: true });
    held[1]?.grant();
    await settled();
    for (const ms of [300, 400]) expect(await at(ms)).toMatchObject({ fromMemory: true });
    const asked = counts().length;
    for (const ms of [2020, 2280, 2540]) expect(await at(ms)).toMatchObject({ fromMemory: false });
    expect(counts().slice(asked)).toEqual([1, 1, 1]);
    expect(held).toHaveLength(2);
  });

  it.each([
    ["a home shard's share", undefined, HOME_COUNT_MAX],
    ["a number of blocks", layoutOf(2), FRESH_BLOCKS_MAX * 4],
    ["an idle line's room", layoutOf(0), 8],
  ])("prefetches at most %s", async (_, layout, most) => {
    const grant = granter();
    const { shards, calls } = recordedShards(async (call) => writeGrantReply(grant(call), CLOCK));
    const policy = most === 8 ? { maxBorrowMs: 4, maxWaitMs: 3 } : {};
    const { times } = holderOf(shards, someNamespace(policy, layout));
    for (let ms = 0; ms < 100; ms += 1) {
      await times(200);
      clock.step(1);
    }
    expect(Math.max(...calls.map(({ count }) => count))).toBe(most);
  });
});

describe("an ID from memory", () => {
  it("is issued up to the age of freshForMs, and not a ms later", async () => {
    const { one } = await leased();
    clock.step(FRESH_FOR_MS);
    expect(await one()).toMatchObject({ fromMemory: true });
    clock.step(1);
    expect(await one()).toMatchObject({ fromMemory: false });
  });

  it("has the age of the stock in use, even if that has many left", async () => {
    const { one } = await leased();
    expect(await one()).toMatchObject({ fromMemory: true });
    clock.step(FRESH_FOR_MS);
    expect(await one()).toMatchObject({ fromMemory: true });
    clock.step(1);
    expect(await one()).toMatchObject({ fromMemory: false });
    clock.step(-1);
    // The lease is gone for good.
    expect(await one()).toMatchObject({ fromMemory: false });
  });

  it("is not from the next stock either if that is too old", async () => {
    const { times, held, one } = await leased();
    await times(2);
    held[1]?.grant();
    await settled();
    clock.step(FRESH_FOR_MS + 1);
    expect(await one()).toMatchObject({ fromMemory: false });
  });

  it("ages from its request on, not from its response on", async () => {
    const { one, held } = await asking();
    clock.step(200);
    held[0]?.grant();
    await settled();
    clock.step(50);
    expect(await one()).toMatchObject({ fromMemory: true });
    clock.step(1);
    expect(await one()).toMatchObject({ fromMemory: false });
  });

  it("is not issued if the clock went back before its request", async () => {
    const { one } = await leased();
    clock.step(-1);
    expect(await one()).toMatchObject({ fromMemory: false });
    clock.step(1);
    expect(await one()).toMatchObject({ fromMemory: false });
  });

  it("is not issued from a stock in use if the clock went back before its request", async () => {
    const { one } = await leased();
    expect(await one()).toMatchObject({ fromMemory: true });
    clock.step(-1);
    expect(await one()).toMatchObject({ fromMemory: false });
  });

  it("ages by the current policy: a lowered freshForMs applies to the stock", async () => {
    const { one, shards, namespace } = await leased({ freshForMs: 60_000 });
    clock.step(FRESH_FOR_MS + 1);
    expect(await one()).toMatchObject({ fromMemory: true });
    const lowered = { ...namespace, policy: { ...namespace.policy, freshForMs: FRESH_FOR_MS } };
    expect(await holderOf(shards, lowered).one()).toMatchObject({ fromMemory: false });
  });

  it("has the freshForMs of its own namespace", async () => {
    const { one } = await leased({ freshForMs: 20 });
    clock.step(20);
    expect(await one()).toMatchObject({ fromMemory: true });
    clock.step(1);
    expect(await one()).toMatchObject({ fromMemory: false });
  });

  it("is checked by the clock of each request, in the whole Worker", async () => {
    await put("aging");
    const { get } = recordedWorker();
    for (let request = 0; request < 2; request += 1) await get("/v1/ids/aging");
    expect((await get("/v1/ids/aging")).asked).toEqual([]);
    clock.step(FRESH_FOR_MS + 1);
    expect((await get("/v1/ids/aging")).asked).toContainEqual(
      expect.objectContaining({ count: 1 }),
    );
  });
});

/** Long enough that no lease of these tests gets too old. */
const LONG_FRESH = { freshForMs: 60_000 };

describe("a refill", () => {
  const FAILURES: [how: string, fail: (lease: HeldLease) => void][] = [
    ["is refused", ({ refuse }) => refuse("layout_conflict")],
    ["finds its shards saturated", ({ refuse }) => refuse("shard_saturated")],
    ["throws", ({ fail }) => fail(new Error("broken"))],
    ["finds its shards overloaded", ({ fail }) => fail(overloaded())],
    ["is never answered", () => undefined],
  ];

  it.each(FAILURES)(
    "that %s is not repeated within CLAIM_LAPSES_MS, and requests still succeed",
    async (_, fail) => {
      const { one, times, held, calls, works } = await asking(LONG_FRESH);
      // It may repeat the call, or call another shard, at once.
      for (let answered = 0; answered < held.length; answered += 1) {
        const [lease] = held.slice(answered);
        if (lease) fail(lease);
        await settled();
      }
      const asked = calls.length;
      const singles = await times(50);
      clock.step(CLAIM_LAPSES_MS - 1);
      singles.push(...(await times(50)));
      expect(calls.slice(asked).map(({ count }) => count)).toEqual(singles.map(() => 1));
      expect(singles.every(({ fromMemory }) => !fromMemory)).toBe(true);
      distinct(singles.map(({ id }) => id));
      clock.step(1);
      await one();
      expect(works).toHaveLength(2);
      held.at(-1)?.grant();
      await settled();
      expect(await one()).toMatchObject({ fromMemory: true });
    },
  );

  it("that throws once is repeated at once, and its IDs are used", async () => {
    const { one, held } = await asking();
    held[0]?.fail(new Error("reset"));
    await settled();
    held[1]?.grant();
    await settled();
    expect(await one()).toMatchObject({ fromMemory: true });
  });

  it("never makes a request or its background work fail", async () => {
    const { shards } = recordedShards(async (call) => {
      if (call.count > 1) throw new Error("broken");
      return writeGrantReply({ ok: true, grants: [{ lane: 0, start: 7, end: 8 }] }, CLOCK);
    });
    const { times, works } = holderOf(shards, someNamespace());
    await times(10);
    expect(works).toHaveLength(1);
    await Promise.all(works);
  });

  it("that answers after its claim lapsed is dropped", async () => {
    const { one, held } = await asking(LONG_FRESH);
    clock.step(CLAIM_LAPSES_MS);
    held[0]?.grant();
    await settled();
    expect(await one()).toMatchObject({ fromMemory: false });
  });

  it("that answers just before its claim lapses is used", async () => {
    const { one, held } = await asking(LONG_FRESH);
    clock.step(CLAIM_LAPSES_MS - 1);
    held[0]?.grant();
    await settled();
    expect(await one()).toMatchObject({ fromMemory: true });
  });

  it("that answers during the next refill is dropped, and the next one is used", async () => {
    const { one, times, held, namespace } = await asking(LONG_FRESH);
    clock.step(CLAIM_LAPSES_MS);
    await one();
    expect(held).toHaveLength(2);
    held[0]?.grant();
    await settled();
    expect(await one()).toMatchObject({ fromMemory: false });
    expect(held).toHaveLength(2);
    const lease = held[1]?.grant();
    await settled();
    const ids = idsOfReply(namespace, held[1]?.call, lease);
    const singles = await times(ids.length);
    expect(singles.map(({ id }) => id)).toEqual(ids);
  });

  it("that answers after another stock arrived is dropped", async () => {
    const { one, times, held, namespace } = await asking(LONG_FRESH);
    clock.step(CLAIM_LAPSES_MS);
    await one();
    const lease = held[1]?.grant();
    await settled();
    held[0]?.grant();
    await settled();
    const ids = idsOfReply(namespace, held[1]?.call, lease);
    const singles = await times(ids.length);
    expect(singles.map(({ id }) => id)).toEqual(ids);
    expect(await one()).toMatchObject({ fromMemory: false });
  });

  it("that is too old when it answers is dropped", async () => {
    const { one, held } = await asking();
    clock.step(FRESH_FOR_MS + 1);
    held[0]?.grant();
    await settled();
    expect(await one()).toMatchObject({ fromMemory: false });
  });

  it("of an overloaded home comes from another shard, and its IDs say so", async () => {
    const { one, times, held, namespace } = await asking();
    held[0]?.fail(overloaded());
    await settled();
    const home = held[0]?.call.shard;
    const other = held[1]?.call.shard;
    expect(other).not.toBe(home);
    held[1]?.grant();
    await settled();
    for (const { id, shard, fromMemory } of [await one(), ...(await times(2))]) {
      expect({ shard, fromMemory }).toEqual({ shard: other, fromMemory: true });
      expect(decompose(namespace.layout, id)?.shard).toBe(other);
    }
  });
});

/** The IDs of a grant, in order. */
function idsOfReply(
  { layout }: SnowflakeNamespace,
  call?: GrantCall,
  reply?: GrantResult,
): bigint[] {
  if (!call || !reply?.ok) throw new Error("nothing was granted");
  return blocksOf(layout, call.shard, reply.grants).flatMap(({ first, count }) =>
    Array.from({ length: count }, (_, index) => first + BigInt(index)),
  );
}

describe("requests with a shard, an order or a count", () => {
  const OTHERS: [query: string, call: Partial<GrantCall>][] = [
    ["?order=strict", { count: 1, strict: true }],
    ["?key=a", { count: 1, strict: true }],
    ["?shard=3", { count: 1, strict: false, shard: 3 }],
    ["?count=4&order=strict", { count: 4, strict: true }],
  ];

  it.each(OTHERS)("%s is served by a shard, even if IDs are in memory", async (query, call) => {
    const name = `asks-${OTHERS.findIndex(([other]) => other === query)}`;
    await put(name);
    const { get } = recordedWorker();
    for (let request = 0; request < 3; request += 1) await get(`/v1/ids/${name}`);
    for (const to of [worker, app]) {
      const answer = await get(`/v1/ids/${name}${query}`, to);
      expect(answer).toMatchObject({ status: 200, behind: 0, asked: [call] });
      expect(answer.asked).toHaveLength(1);
      expect(answer.ids).toHaveLength(call.count ?? 0);
    }
    expect((await get(`/v1/ids/${name}?order=fresh&count=1`)).asked).not.toContainEqual(
      expect.objectContaining({ count: 1 }),
    );
  });

  it.each(OTHERS)("%s does not count as demand", async (query) => {
    const name = `none-${OTHERS.findIndex(([other]) => other === query)}`;
    await put(name);
    const { get } = recordedWorker();
    for (let request = 0; request < 5; request += 1) {
      expect(await get(`/v1/ids/${name}${query}`)).toMatchObject({ behind: 0 });
    }
    expect((await get(`/v1/ids/${name}`)).asked).toMatchObject([{ count: 1 }]);
  });

  it("format=text is served by a shard", async () => {
    await put("as-text");
    const { get } = recordedWorker();
    for (let request = 0; request < 2; request += 1) await get("/v1/ids/as-text");
    const { shards, calls } = recordedShards();
    const bindings = { ...env, SHARD: shards };
    await send(worker, "/v1/ids/as-text?format=text", { bindings });
    expect(calls).toMatchObject([{ count: 1 }]);
  });
});

describe("two namespaces", () => {
  it("never mix, even if interleaved", async () => {
    const names = ["mixed-a", "mixed-b"] as const;
    for (const name of names) await put(name);
    const granted = new Map<string, string>();
    const recorded = recordedShards(async (call) => {
      const text = await realGrant(call);
      const [, , , start, end] = JSON.parse(text) as number[];
      for (let position = start ?? 0; position < (end ?? 0); position += 1) {
        granted.set(`${call.namespace} ${call.shard} ${position}`, "granted");
      }
      return text;
    });
    const bindings = { ...env, SHARD: recorded.shards };
    const { layout } = namespaceOf("default");
    for (let request = 0; request < 200; request += 1) {
      const name = names[request % 3 === 0 ? 0 : 1] ?? "";
      const answer = await send(worker, `/v1/ids/${name}`, { bindings });
      const { ids }: { ids: string[] } = JSON.parse(answer.text);
      const { tick, sequence, shard } = decompose(layout, BigInt(ids[0] ?? "")) ?? {};
      const position = (tick ?? 0) * layout.sequenceCount + (sequence ?? 0);
      // Each position is issued once: in its own namespace, and never again.
      expect(granted.delete(`${name} ${shard} ${position}`)).toBe(true);
      clock.step(request % 4);
    }
    expect(recorded.calls.length).toBeLessThan(200);
  });
});

describe("two shards in one isolate", () => {
  it("each ID has the shard that the header names, while the home closes", async () => {
    await put("moving");
    const { layout } = namespaceOf("default");
    const { get } = recordedWorker();
    const ids: string[] = [];
    const inMemory = new Map<number, number>();
    const some = async (count: number) => {
      for (let request = 0; request < count; request += 1) {
        const answer = await get("/v1/ids/moving");
        expect(answer.status).toBe(200);
        const [id = ""] = answer.ids;
        ids.push(id);
        expect(decompose(layout, BigInt(id))?.shard).toBe(answer.shard);
        if (answer.asked.length === 0) {
          inMemory.set(answer.shard, (inMemory.get(answer.shard) ?? 0) + 1);
        }
        if (request % 4 === 0) clock.step(1);
      }
    };
    await some(100);
    const home = (await get("/v1/ids/moving")).shard;
    const stub = stubOf("moving", home);
    // Its line is a year ahead of the clock.
    await inStorage(stub, (sql) => sql.exec("UPDATE lane SET mark = mark + 31536000000 * 4096"));
    await evictDurableObject(stub);
    await some(300);
    distinct(ids);
    expect(inMemory.get(home)).toBeGreaterThan(10);
    expect(inMemory.size).toBeGreaterThan(1);
  });

  it("large counts from other shards do not change the stock's shard", async () => {
    await put("large");
    const { layout } = namespaceOf("default");
    const { get } = recordedWorker();
    for (let request = 0; request < 30; request += 1) {
      const answer = await get(request % 3 ? "/v1/ids/large" : "/v1/ids/large?count=4097");
      const shards = new Set(answer.ids.map((id) => decompose(layout, BigInt(id))?.shard));
      expect(shards).toEqual(new Set([answer.shard]));
      clock.step(2);
    }
  });
});

describe("no ID comes twice", () => {
  it("in rounds of 100 concurrent requests, with evictions and a clock that moves", async () => {
    await put("rounds");
    const { get, calls } = recordedWorker();
    const ids: string[] = [];
    const awake = new Set<number>();
    const QUERIES = ["", "", "", "", "", "", "", "?count=3", "?order=strict", "?shard=2"];
    for (const stepMs of [0, 3, 251, -20, 1500, -3000]) {
      clock.step(stepMs);
      const round = await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const query = QUERIES[index % QUERIES.length] ?? "";
          if (index % 7 === 3) await scheduler.wait(index % 5);
          return get(`/v1/ids/rounds${query}`, index % 11 ? worker : app);
        }),
      );
      for (const answer of round) {
        expect(answer.status).toBe(200);
        awake.add(answer.shard);
        ids.push(...answer.ids);
      }
      distinct(ids);
      for (const shard of awake) await evictDurableObject(stubOf("rounds", shard));
      awake.clear();
    }
    expect(ids).toHaveLength(6 * 120);
    expect(calls.length).toBeLessThan(6 * 100);
  });

  it("while the home is evicted under its requests", async () => {
    await put("evicted");
    const name = "/v1/ids/evicted";
    const shard = Number((await request(name)).headers.get("edgeflake-shard"));
    const ids: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const burst = Array.from({ length: 100 }, async () => {
        const body: { ids: string[] } = await (await request(name)).json();
        ids.push(...body.ids);
      });
      await Promise.all([...burst, evictDurableObject(stubOf("evicted", shard))]);
      await request(`${name}?shard=${shard}`);
    }
    expect(ids).toHaveLength(300);
    distinct(ids);
  });

  it("with any refills and clocks, and none is too old, late or another shard's", async () => {
    const events = fc.array(event, { maxLength: 80, size: "max" });
    await fc.assert(fc.asyncProperty(freshForMs, events, play), { numRuns: 200 });
  });
});

const freshForMs = fc.constantFrom(0, 20, 250, 60_000);
const event = fc.oneof(
  { weight: 5, arbitrary: fc.record({ asks: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 2, arbitrary: fc.record({ stepMs: fc.integer({ min: 0, max: 60 }) }) },
  { weight: 1, arbitrary: fc.record({ stepMs: fc.integer({ min: -400, max: 1500 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      answers: fc.nat(7),
      how: fc.constantFrom("grant", "grant", "grant", "throw", "overload", "refuse", "saturate"),
    }),
  },
);
type Event = { asks: number } | { stepMs: number } | { answers: number; how: string };

/** A refill: one call, and those that repeat it. */
interface Refill {
  readonly askedAtMs: number;
  answered: boolean;
}
/** The record of a prefetched ID. */
interface LeasedId {
  readonly askedAtMs: number;
  readonly shard: number;
  readonly late: boolean;
}

async function play(freshFor: number, events: readonly Event[]): Promise<void> {
  clock.set(START_MS);
  const namespace = someNamespace({ freshForMs: freshFor });
  const { shards, held, calls } = heldShards();
  const { one } = holderOf(shards, namespace);
  const open: { lease: HeldLease; refill: Refill }[] = [];
  const leasedIds = new Map<bigint, LeasedId>();
  const seen = new Set<bigint>();
  /** The last two that may still be answered. */
  let refills: readonly Refill[] = [];
  let noticed = 0;

  const noteRefill = (): void => {
    const started = held.slice(noticed);
    noticed = held.length;
    expect(started.length).toBeLessThanOrEqual(1);
    for (const lease of started) {
      const nowMs = Date.now();
      const [other, ...more] = refills.filter(
        (refill) => !refill.answered && isOpen(refill, nowMs),
      );
      expect(more).toEqual([]);
      // The second one only if IDs of the first will soon be too old.
      if (other) expect(nowMs - other.askedAtMs).toBeGreaterThanOrEqual(freshFor / 8);
      const refill = { askedAtMs: nowMs, answered: false };
      refills = [...(other ? [other] : []), refill];
      open.push({ lease, refill });
    }
  };

  for (const happens of events) {
    const nowMs = Date.now();
    if ("stepMs" in happens) {
      clock.step(happens.stepMs);
    } else if ("asks" in happens) {
      const before = calls.length;
      const singles = await Promise.all(Array.from({ length: happens.asks }, () => one()));
      noteRefill();
      const exact = calls.slice(before).filter(({ count }) => count === 1).length;
      expect(exact).toBe(singles.filter(({ fromMemory }) => !fromMemory).length);
      for (const { id, shard, fromMemory } of singles) {
        expect(seen.has(id)).toBe(false);
        seen.add(id);
        expect(decompose(namespace.layout, id)?.shard).toBe(shard);
        if (!fromMemory) continue;
        const lease = leasedIds.get(id);
        expect(lease).toMatchObject({ shard, late: false });
        const ageMs = nowMs - (lease?.askedAtMs ?? Number.NaN);
        expect(ageMs >= 0 && ageMs <= freshFor).toBe(true);
      }
    } else {
      const [chosen] = open.splice(happens.answers % Math.max(1, open.length), 1);
      if (!chosen) continue;
      if (happens.how === "grant") {
        const { lease } = chosen;
        const late = !refills.includes(chosen.refill) || !isOpen(chosen.refill, nowMs);
        const { askedAtMs } = chosen.refill;
        const { shard } = lease.call;
        const ids = idsOfReply(namespace, lease.call, lease.grant());
        for (const id of ids) leasedIds.set(id, { askedAtMs, shard, late });
        chosen.refill.answered = true;
      } else if (happens.how === "throw") chosen.lease.fail(new Error("broken"));
      else if (happens.how === "overload") chosen.lease.fail(overloaded());
      else chosen.lease.refuse(happens.how === "refuse" ? "layout_conflict" : "shard_saturated");
      for (let turn = 0; turn < 30; turn += 1) await undefined;
      // Asked again, or another shard, for the same refill.
      for (const lease of held.slice(noticed)) open.push({ lease, refill: chosen.refill });
      noticed = held.length;
    }
  }
}

function isOpen({ askedAtMs }: Refill, nowMs: number): boolean {
  return nowMs >= askedAtMs && nowMs - askedAtMs < CLAIM_LAPSES_MS;
}

describe("a retired namespace", () => {
  it("issues nothing from memory, and calls no shard", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    await put("gone");
    const { get } = recordedWorker();
    for (let request = 0; request < 2; request += 1) await get("/v1/ids/gone");
    expect((await get("/v1/ids/gone")).asked).toEqual([]);
    expect((await ask("/v1/namespaces/gone", { method: "DELETE" })).status).toBe(204);
    for (const to of [worker, app, worker]) {
      const { status, text, asked, behind } = await get("/v1/ids/gone", to);
      expect([status, asked, behind]).toEqual([410, [], 0]);
      expect(text).toContain('"code":"namespace_retired"');
    }
  });

  it("issues nothing from memory once this isolate's cached record expires", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    await put("gone-elsewhere", { kind: "snowflake", policy: { freshForMs: 60_000 } });
    const { get } = recordedWorker();
    for (let request = 0; request < 2; request += 1) await get("/v1/ids/gone-elsewhere");
    await env.REGISTRY.getByName("registry").retireNamespace("gone-elsewhere", ADMIN.id);
    clock.step(CACHE_TRUSTED_MS);
    for (let request = 0; request < 3; request += 1) {
      const { status, asked, behind } = await get("/v1/ids/gone-elsewhere");
      expect([status, asked, behind]).toEqual([410, [], 0]);
    }
  });
});

describe("more namespaces than an isolate keeps stocks for", () => {
  it("evict no stock for a namespace that needs none", async () => {
    const { shards, one } = await leased(LONG_FRESH);
    for (let others = 0; others < FRESH_NAMESPACES_MAX; others += 1) {
      await holderOf(shards, someNamespace({ freshForMs: 0 })).one();
    }
    expect(await one()).toMatchObject({ fromMemory: true });
  });

  it("evict the oldest stock, whose IDs are a gap", async () => {
    const { shards, held, one, times } = await leased(LONG_FRESH);
    const ids = (await times(2)).map(({ id }) => id);
    const [last] = held.slice(-1);
    for (let others = 0; others < FRESH_NAMESPACES_MAX - 1; others += 1) {
      await holderOf(shards, someNamespace()).one();
    }
    const kept = await one();
    expect(kept.fromMemory).toBe(true);
    const newest = await leased(LONG_FRESH);
    expect(await newest.one()).toMatchObject({ fromMemory: true });
    // The response to the evicted stock's fetch has no effect.
    last?.grant();
    await settled();
    const again = await one();
    expect(again.fromMemory).toBe(false);
    ids.push(kept.id, again.id, (await one()).id);
    held.at(-1)?.grant();
    await settled();
    ids.push(...(await times(4)).map(({ id }) => id));
    distinct(ids);
  });
});
