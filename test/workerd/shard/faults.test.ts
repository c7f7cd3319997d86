/** The router's handling of shards that fail, refuse or disagree. The shards are scripted faults. */
import { evictDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type GrantResult, writeGrantReply } from "../../../src/core/line/grant-reply.ts";
import type { Issued } from "../../../src/service/calls/issued.ts";
import { askShards } from "../../../src/service/calls/shard-call.ts";
import type { Shards } from "../../../src/service/calls/shards.ts";
import { streamFromShards } from "../../../src/service/issue/stream.ts";
import {
  HOME_SHARDS_MAX,
  PINNED_ANSWER_MAX_MS,
  STALL_GRACE_MS,
  UNAVAILABLE_REST_MS,
} from "../../../src/service/limits.ts";
import { ask, put } from "../../support/admin.ts";
import { clock, useClock } from "../../support/clock.ts";
import { Random } from "../../support/random.ts";
import { recordedShards } from "../../support/recorded/recorded-shards.ts";
import { inStorage, namespaceOf, stubOf } from "../../support/shards.ts";

useClock();

interface GrantCall {
  readonly count: number;
  readonly waitLeftMs: number;
  readonly callerNowMs: number;
}
type Script = (call: GrantCall, shard: number) => GrantResult | Error;

/** Scripted shards, and a record of their calls. */
function scripted(script: Script) {
  const asked: number[] = [];
  const calls: GrantCall[] = [];
  const hints: unknown[] = [];
  const getByName = (name: string, options: { locationHint: string }) => ({
    grant: async (
      _lineSpec: string,
      count: number,
      _strict: boolean,
      waitLeftMs: number,
      callerNowMs: number,
    ): Promise<string> => {
      const call = { count, waitLeftMs, callerNowMs };
      const shard = Number(name.split("/")[1]);
      asked.push(shard);
      calls.push(call);
      hints.push(options.locationHint);
      const answer = script(call, shard);
      if (answer instanceof Error) throw answer;
      return writeGrantReply(answer, { instance: 1, nowMs: Date.now() });
    },
  });
  // Only what callers use of the binding.
  return { shards: { getByName } as unknown as Shards, asked, calls, hints };
}

const ok = (count: number): GrantResult => {
  return { ok: true, grants: [{ lane: 0, start: 0, end: count }] };
};
const refuse = (
  code: "clock_behind" | "clock_disagreement" | "layout_conflict" | "shard_saturated",
  change: { granted?: number; waitedMs?: number; retryAfterMs?: number } = {},
): GrantResult => {
  const { granted = 0, waitedMs = 0, retryAfterMs = 1 } = change;
  return { ok: false, refusal: { code, detail: code, retryAfterMs }, granted, waitedMs };
};
const overloaded = () => Object.assign(new Error("overloaded"), { overloaded: true });

const FRESH = { strict: false };
const PINNED = { shard: 3, strict: false };
/** Each test has its own namespace, as the isolate remembers its home shards. */
let serial = 0;
const someNamespace = () => {
  serial += 1;
  return { ...namespaceOf("default"), name: `faults-${serial}` };
};

describe("a call that throws", () => {
  it("is repeated once on a new stub, and a refusal is then not definite", async () => {
    let calls = 0;
    const { shards, asked } = scripted((_, shard) => {
      calls += 1;
      return calls === 1 ? new Error("reset") : refuse("layout_conflict", { granted: shard * 0 });
    });
    const issued = await askShards(shards, someNamespace(), PINNED, 1);
    expect(asked).toEqual([3, 3]);
    expect(issued).toMatchObject({ ok: false, definite: false });
  });

  it("twice is a refusal: pinned requests get a time to retry", async () => {
    const { shards, asked } = scripted(() => new Error("broken"));
    for (const placement of [PINNED, { orderingKey: "a", strict: false }, { strict: true }]) {
      expect(await askShards(shards, someNamespace(), placement, 1)).toMatchObject({
        ok: false,
        refusal: { code: "shard_unavailable", retryAfterMs: 1000 },
        definite: false,
      });
    }
    expect(asked).toHaveLength(6);
  });

  it("twice moves other requests to another shard, and the failing shard rests", async () => {
    const namespace = someNamespace();
    let home: number | undefined;
    const { shards, asked } = scripted(({ count }, shard) => {
      home ??= shard;
      return shard === home ? new Error("broken") : ok(count);
    });
    for (let request = 0; request < 5; request += 1) {
      expect(await askShards(shards, namespace, FRESH, 1)).toMatchObject({ ok: true });
    }
    expect(asked.filter((shard) => shard === home)).toHaveLength(2);
    // Then one request tries it, and the others do not wait for that one.
    clock.step(UNAVAILABLE_REST_MS);
    await Promise.all([1, 2, 3].map(() => askShards(shards, namespace, FRESH, 1)));
    expect(asked.filter((shard) => shard === home)).toHaveLength(4);
  });
});

describe("a shard that never answers", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function silent(isSilent: (shard: number) => boolean) {
    const { shards, calls } = recordedShards(async ({ shard, count }) =>
      isSilent(shard)
        ? await new Promise<string>(() => undefined)
        : writeGrantReply(ok(count), { instance: 1, nowMs: Date.now() }),
    );
    return { shards, calls };
  }

  it.each([250, 1100, 5000])(
    "costs an unpinned request less than 2 s, and the next ones nothing: maxWaitMs %d",
    async (maxWaitMs) => {
      const usual = someNamespace();
      const namespace = { ...usual, policy: { ...usual.policy, maxWaitMs } };
      let home: number | undefined;
      const { shards, calls } = silent((shard) => {
        home ??= shard;
        return shard === home;
      });
      const first = askShards(shards, namespace, FRESH, 1);
      await vi.advanceTimersByTimeAsync(1999);
      expect(await first).toMatchObject({ ok: true });
      expect(calls).toHaveLength(2);
      expect(await askShards(shards, namespace, FRESH, 1)).toMatchObject({ ok: true });
      expect(calls).toHaveLength(3);
    },
  );

  it.each([
    [250, 2000],
    [1100, 2200 + 1100],
  ])(
    "next to another such shard fails a request within 2 s plus its wait: maxWaitMs %d",
    async (maxWaitMs, mostMs) => {
      const usual = someNamespace();
      const namespace = { ...usual, policy: { ...usual.policy, maxWaitMs } };
      const { shards, calls } = silent(() => true);
      const done = vi.fn();
      const issued = askShards(shards, namespace, FRESH, 1);
      void issued.then(done);
      for (let ms = 0; ms < mostMs && done.mock.calls.length === 0; ms += 50) {
        clock.step(50);
        await vi.advanceTimersByTimeAsync(50);
      }
      expect(done).toHaveBeenCalledOnce();
      expect(await issued).toMatchObject({
        refusal: { code: "shard_unavailable" },
        definite: false,
      });
      expect(calls).toHaveLength(2);
    },
  );

  it("is awaited longer in a namespace with no other shard", async () => {
    const namespace = { ...someNamespace(), shards: 1 };
    const { shards } = silent(() => true);
    const issued = askShards(shards, namespace, FRESH, 1);
    const done = vi.fn();
    void issued.then(done);
    await vi.advanceTimersByTimeAsync(PINNED_ANSWER_MAX_MS);
    expect(done).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(250 + STALL_GRACE_MS);
    expect(await issued).toMatchObject({ refusal: { code: "shard_unavailable" } });
  });

  it("rests for large requests too, which use a random shard", async () => {
    const namespace = someNamespace();
    const silentShards = new Set([0, 4]);
    const { shards, calls } = silent((shard) => silentShards.has(shard));
    const from = () => ({ latitude: 40, longitude: -75 });
    // A seed by which the shard asked after a silent one is not the other silent one: nobody would answer in time.
    vi.spyOn(Math, "random").mockImplementation(new Random(2).next);
    for (let request = 0; request < 40; request += 1) {
      const issued = askShards(shards, namespace, { strict: false, from }, 5000);
      await vi.advanceTimersByTimeAsync(1999);
      expect(await issued).toMatchObject({ ok: true });
    }
    for (const shard of silentShards) {
      expect(calls.filter((call) => call.shard === shard)).toHaveLength(1);
    }
  });

  it.each([
    ["shard", PINNED],
    ["key", { orderingKey: "a", strict: false }],
    ["order=strict", { strict: true }],
  ])("fails a request with %s, which is not definite", async (_, placement) => {
    const { shards, calls } = silent(() => true);
    const issued = askShards(shards, someNamespace(), placement, 1);
    await vi.advanceTimersByTimeAsync(PINNED_ANSWER_MAX_MS + 250 + STALL_GRACE_MS);
    expect(await issued).toMatchObject({
      ok: false,
      refusal: { code: "shard_unavailable", retryAfterMs: 1000 },
      definite: false,
    });
    expect(calls).toHaveLength(1);
  });

  it("because of a full queue is not repeated there", async () => {
    const { shards, asked } = scripted(overloaded);
    expect(await askShards(shards, someNamespace(), PINNED, 1)).toMatchObject({
      ok: false,
      refusal: { code: "shard_overloaded", retryAfterMs: 1000 },
      definite: true,
    });
    expect(asked).toEqual([3]);
  });
});

describe("clocks that disagree", () => {
  it("are read again and the call repeated once, never more", async () => {
    const { shards, asked } = scripted(() => refuse("clock_disagreement"));
    const issued = await askShards(shards, someNamespace(), PINNED, 1);
    expect(issued).toMatchObject({ refusal: { code: "clock_disagreement" }, definite: true });
    expect(asked).toEqual([3, 3]);
  });
});

describe("a refusal after a grant", () => {
  it("is not definite", async () => {
    const { shards } = scripted(() => refuse("shard_saturated", { granted: 7 }));
    const issued = await askShards(shards, someNamespace(), PINNED, 10);
    expect(issued).toMatchObject({ ok: false, definite: false });
  });
});

describe("failover", () => {
  it.each(["clock_behind", "clock_disagreement", "shard_saturated"] as const)(
    "a home shard with %s costs one failover, within the same wait budget",
    async (code) => {
      let home: number | undefined;
      const { shards, asked, calls } = scripted((_, shard) => {
        home ??= shard;
        return shard === home ? refuse(code, { waitedMs: 60, retryAfterMs: 5000 }) : ok(1);
      });
      const namespace = someNamespace();
      const issued = await askShards(shards, namespace, FRESH, 1);
      expect(issued.ok).toBe(true);
      const others = asked.filter((shard) => shard !== home);
      expect(others).toHaveLength(1);
      expect(calls.at(-1)?.waitLeftMs).toBe(code === "clock_disagreement" ? 130 : 190);
      const before = asked.length;
      await askShards(shards, namespace, FRESH, 1);
      expect(asked.slice(before)).not.toContain(home);
    },
  );

  it("an overloaded home shard costs one failover, and is avoided for its Retry-After", async () => {
    let home: number | undefined;
    const { shards, asked } = scripted((_, shard) => {
      home ??= shard;
      return shard === home ? overloaded() : ok(1);
    });
    const namespace = someNamespace();
    for (let request = 0; request < 5; request += 1) {
      expect((await askShards(shards, namespace, FRESH, 1)).ok).toBe(true);
    }
    expect(asked.filter((shard) => shard === home)).toHaveLength(1);
    expect(asked).toHaveLength(6);
    const now = Date.now();
    vi.spyOn(Date, "now").mockReturnValue(now + 1001);
    await askShards(shards, namespace, FRESH, 1);
    expect(asked.filter((shard) => shard === home)).toHaveLength(2);
  });

  it("a home that rests for its Retry-After serves again once it has granted to a pinned request", async () => {
    let home: number | undefined;
    let isBehind = true;
    const { shards, asked } = scripted((_, shard) => {
      home ??= shard;
      return shard === home && isBehind ? refuse("clock_behind", { retryAfterMs: 60_000 }) : ok(1);
    });
    const namespace = someNamespace();
    await askShards(shards, namespace, FRESH, 1);
    isBehind = false;
    await askShards(shards, namespace, FRESH, 1);
    expect(asked.filter((shard) => shard === home)).toHaveLength(1);
    await askShards(shards, namespace, { shard: home, strict: false }, 1);
    await askShards(shards, namespace, FRESH, 1);
    expect(asked.filter((shard) => shard === home)).toHaveLength(3);
  });

  it("asks each shard with its region's location hint", async () => {
    const { shards, hints } = scripted((_, _shard) => ok(1));
    for (const shard of [0, 1, 2, 3, 4]) {
      await askShards(shards, someNamespace(), { shard, strict: false }, 1);
    }
    expect(hints).toEqual(["enam", "wnam", "weur", "apac", "enam"]);
  });

  it("does not call a home that rests, also not as the other shard", async () => {
    const { shards, asked } = scripted(overloaded);
    const namespace = { ...someNamespace(), shards: 2 };
    await askShards(shards, namespace, FRESH, 1);
    const [home, other] = asked;
    await askShards(shards, namespace, FRESH, 1);
    expect(asked).toEqual([home, other, other]);
  });

  it("keeps strict requests at their home, even if it rests", async () => {
    const { shards, asked } = scripted(overloaded);
    const namespace = someNamespace();
    await askShards(shards, namespace, FRESH, 1);
    const [home] = asked;
    await askShards(shards, namespace, { strict: true }, 1);
    expect(asked.at(-1)).toBe(home);
  });

  it("is not definite if the first shard had granted IDs", async () => {
    let calls = 0;
    const { shards } = scripted(() => {
      calls += 1;
      return refuse("shard_saturated", { granted: calls === 1 ? 5 : 0 });
    });
    const issued = await askShards(shards, someNamespace(), FRESH, 10);
    expect(issued).toMatchObject({ ok: false, definite: false });
  });

  it("calls one other shard, never more", async () => {
    const { shards, asked } = scripted(() => refuse("shard_saturated"));
    const issued = await askShards(shards, someNamespace(), FRESH, 1);
    expect(issued).toMatchObject({ ok: false, refusal: { code: "shard_saturated" } });
    expect(new Set(asked).size).toBe(2);
    expect(asked).toHaveLength(2);
  });

  it.each([
    ["shard", { shard: 3, strict: false }],
    ["key", { orderingKey: "a", strict: false }],
    ["order=strict", { strict: true }],
  ])("never moves a request with %s", async (_, placement) => {
    const { shards, asked } = scripted(() => refuse("shard_saturated"));
    await askShards(shards, someNamespace(), placement, 1);
    expect(asked).toHaveLength(1);
  });

  it("is not tried if every shard would refuse", async () => {
    const { shards, asked } = scripted(() => refuse("layout_conflict"));
    await askShards(shards, someNamespace(), FRESH, 1);
    expect(asked).toHaveLength(1);
  });
});

describe("a real home shard that is closed", () => {
  it("costs one failover, and no ID comes twice", async () => {
    await put("closing");
    const first = await ask("/v1/ids/closing");
    const home = Number(first.headers.get("edgeflake-shard"));
    const stub = stubOf("closing", home);
    // Its line is a year ahead of the clock.
    await inStorage(stub, (sql) => sql.exec("UPDATE lane SET mark = mark + 31536000000 * 4096"));
    await evictDurableObject(stub);
    const ids = new Set(first.body.ids as string[]);
    for (let request = 0; request < 20; request += 1) {
      const answer = await ask("/v1/ids/closing?count=10");
      expect(answer.status).toBe(200);
      expect(answer.headers.get("edgeflake-shard")).not.toBe(`${home}`);
      for (const id of answer.body.ids as string[]) ids.add(id);
    }
    expect(ids.size).toBe(201);
    const { body } = await ask(`/v1/shards/closing/${home}`);
    expect(body.counters).toMatchObject({ refusals: { clock_behind: 1 } });
  });
});

describe("a limit of the platform", () => {
  it.each([
    ["Exceeded allowed rows written in Durable Objects free tier.", /Free plan/, 86_400_000],
    ["Exceeded the account's spending cap for Durable Objects", /spending limit/, undefined],
  ])("%s: no retry and no other shard", async (message, detail, mostMs) => {
    const { shards, asked } = scripted(() => new Error(message));
    const issued = await askShards(shards, someNamespace(), FRESH, 1);
    if (issued.ok) throw new Error("it was granted");
    expect(asked).toHaveLength(1);
    expect(issued.refusal).toMatchObject({ code: "platform_limit" });
    expect(issued.refusal.detail).toMatch(detail);
    const { retryAfterMs } = issued.refusal;
    if (mostMs === undefined) expect(retryAfterMs).toBeUndefined();
    else expect(retryAfterMs).toBe(mostMs - (Date.now() % mostMs));
  });
});

describe("a stream", () => {
  async function all(calls: AsyncGenerator<Issued>): Promise<Issued[]> {
    const results: Issued[] = [];
    for await (const result of calls) results.push(result);
    return results;
  }

  it("echoes clocks in its first call only, because its own may be frozen from then on", async () => {
    const { shards, calls } = recordedShards(async ({ count }) =>
      writeGrantReply(ok(count), { instance: 7, nowMs: Date.now() }),
    );
    const namespace = someNamespace();
    await askShards(shards, namespace, PINNED, 1);
    await all(streamFromShards(shards, namespace, PINNED, 25_000));
    expect(calls.map(({ instance }) => instance)).toEqual([0, 7, 0, 0]);
  });

  it("waits for a saturated shard and continues", async () => {
    let calls = 0;
    const { shards } = scripted(({ count }, _shard) => {
      calls += 1;
      return calls === 2 ? refuse("shard_saturated", { retryAfterMs: 5 }) : ok(count);
    });
    const wait = vi.spyOn(scheduler, "wait");
    const results = await all(streamFromShards(shards, someNamespace(), PINNED, 25_000));
    expect(results.map((result) => result.ok)).toEqual([true, true, true]);
    expect(wait).toHaveBeenCalledExactlyOnceWith(5);
  });

  it("gives up after waiting 30 s in total", async () => {
    let calls = 0;
    const { shards } = scripted(({ count }, _shard) => {
      calls += 1;
      return calls === 1 ? ok(count) : refuse("shard_saturated", { retryAfterMs: 10_000 });
    });
    const wait = vi.spyOn(scheduler, "wait").mockResolvedValue(undefined);
    const results = await all(streamFromShards(shards, someNamespace(), PINNED, 25_000));
    expect(results.map((result) => result.ok)).toEqual([true, false]);
    expect(wait).toHaveBeenCalledTimes(3);
  });

  it("in strict order stays on one shard, also if the isolate forgets its home meanwhile", async () => {
    const { shards, asked } = scripted(({ count }) => ok(count));
    const calls = streamFromShards(shards, someNamespace(), { strict: true }, 50_000);
    await calls.next();
    for (let home = 0; home < HOME_SHARDS_MAX; home += 1) {
      await askShards(shards, someNamespace(), FRESH, 1);
    }
    asked.splice(1);
    await all(calls);
    expect(asked).toHaveLength(5);
    expect(new Set(asked).size).toBe(1);
  });

  it("that can't begin is rejected at once", async () => {
    const { shards } = scripted(() => refuse("shard_saturated"));
    const wait = vi.spyOn(scheduler, "wait");
    const results = await all(streamFromShards(shards, someNamespace(), PINNED, 25_000));
    expect(results.map((result) => result.ok)).toEqual([false]);
    expect(wait).not.toHaveBeenCalled();
  });
});
