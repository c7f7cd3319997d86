/** The shard's own invariants S1–S6 (objects/shard), on real SQLite. */

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { FROZEN_CLOCK_MS, MARK_READING_TRUSTED_MS, SETTLE_MS } from "../../../src/core/limits.ts";
import {
  type GrantReply,
  type GrantResult,
  readGrantReply,
} from "../../../src/core/line/grant-reply.ts";
import { NO_ECHO } from "../../../src/core/line/object-clock.ts";
import { Shard } from "../../../src/objects/shard.ts";
import { clock, START_MS, useClock } from "../../support/clock.ts";
import { idsOf, json, problemOf } from "../../support/requests.ts";
import { inStorage, makeTables, marksOf, namespaceOf, stubOf } from "../../support/shards.ts";

useClock();

function callOf(namespace: string, change: { count?: number; strict?: boolean } = {}) {
  const { lineSpec } = namespaceOf(namespace);
  const usual = { count: 1, strict: false, waitLeftMs: 10_000, callerNowMs: Date.now() };
  return { lineSpec, ...usual, echo: NO_ECHO, ...change };
}

/** Asks a shard, by its stub or as an instance. */
async function grant(
  shard: { readonly grant: (...call: Parameters<Shard["grant"]>) => string | Promise<string> },
  call: ReturnType<typeof callOf>,
): Promise<GrantResult> {
  return (await grantAndClock(shard, call)).result;
}

async function grantAndClock(
  shard: { readonly grant: (...call: Parameters<Shard["grant"]>) => string | Promise<string> },
  { lineSpec, count, strict, waitLeftMs, callerNowMs, echo }: ReturnType<typeof callOf>,
): Promise<GrantReply> {
  const { instance, leastMs } = echo;
  return readGrantReply(
    await shard.grant(lineSpec, count, strict, waitLeftMs, callerNowMs, instance, leastMs),
  );
}

function spanOf(reply: GrantResult): [start: number, end: number] {
  const first = reply.ok ? reply.grants[0] : undefined;
  if (!first) throw new Error(`not granted: ${JSON.stringify(reply)}`);
  return [first.start, first.end];
}

/** Counts rows really written, by triggers in the object's own database. */
async function countWrites(stub: DurableObjectStub<Shard>): Promise<() => Promise<number>> {
  await makeTables(stub);
  await inStorage(stub, (sql) => {
    sql.exec("CREATE TABLE written (rows INTEGER NOT NULL)");
    sql.exec("INSERT INTO written VALUES (0)");
    for (const table of ["lane", "layout"]) {
      for (const event of ["INSERT", "UPDATE"]) {
        sql.exec(
          `CREATE TRIGGER ${table}_${event} AFTER ${event} ON ${table} BEGIN UPDATE written SET rows = rows + 1; END`,
        );
      }
    }
  });
  return () => inStorage(stub, (sql) => Number(sql.exec("SELECT rows FROM written").one().rows));
}

describe("S1 reserve ahead", () => {
  it("writes at most 3 rows for 10,000 single grants within a second of the clock", async () => {
    const stub = stubOf("default", 8);
    const rowsWritten = await countWrites(stub);
    const starts = new Set<number>();
    await runInDurableObject(stub, async (shard) => {
      for (let call = 0; call < 10_000; call += 1) {
        clock.set(START_MS + Math.floor(call / 11));
        starts.add(spanOf(await grant(shard, callOf("default")))[0]);
      }
    });
    expect(starts.size).toBe(10_000);
    const rows = await rowsWritten();
    expect(rows).toBeGreaterThanOrEqual(1);
    expect(rows).toBeLessThanOrEqual(3);
  });

  it.each(["default", "twitter", "leaf", "js53", "node"])(
    "%s: every grant lies below the stored mark",
    async (name) => {
      clock.set(START_MS, "waits");
      const stub = stubOf(name, 1);
      for (const count of [1, 5000, 1, 10_000]) {
        const reply = await grant(stub, callOf(name, { count }));
        if (!reply.ok) throw new Error(reply.refusal.detail);
        const marks = await marksOf(stub);
        for (const { lane, end } of reply.grants) expect(end).toBeLessThanOrEqual(marks[lane] ?? 0);
      }
    },
  );

  it("a write that fails grants nothing, and leaves memory as it was", async () => {
    const stub = stubOf("default", 2);
    const [before] = await idsOf("default", "?shard=2");
    await inStorage(stub, (sql) => {
      sql.exec(
        "CREATE TRIGGER full BEFORE UPDATE ON lane BEGIN SELECT RAISE(ABORT, 'disk full'); END",
      );
    });
    const [mark] = await marksOf(stub);
    clock.step(10_000);
    const failed = await problemOf("/v1/ids/default?shard=2");
    expect(failed).toMatchObject({
      status: 503,
      body: { code: "shard_unavailable", definite: false },
    });
    expect(JSON.stringify(failed.body)).not.toContain("disk full");
    expect(await marksOf(stub)).toEqual([mark]);
    const status = await json("/v1/shards/default/2");
    expect(status).toMatchObject({ counters: { issued: 1, grants: 1, writes: 1 } });
    await inStorage(stub, (sql) => sql.exec("DROP TRIGGER full"));
    const [after] = await idsOf("default", "?shard=2");
    expect(after).toBeGreaterThan(before ?? 0n);
  });
});

/** Two more instances of the object on its storage; their abort is only recorded, or it would end the test. */
function twoInstances(state: DurableObjectState) {
  const abort = vi.fn();
  Object.defineProperty(state, "abort", { value: abort });
  return { old: new Shard(state, env), young: new Shard(state, env), abort };
}

/** From then on no reading of before is trusted. */
const READ_ANEW_MS = MARK_READING_TRUSTED_MS + 1;

describe("S2 two instances alive on one storage", () => {
  it("grant nothing twice: the superseded one ends at its own mark", async () => {
    const stub = stubOf("default", 3);
    await runInDurableObject(stub, async (_, state) => {
      const { old, young, abort } = twoInstances(state);
      const spans = [spanOf(await grant(old, callOf("default", { count: 10 })))];
      spans.push(spanOf(await grant(young, callOf("default", { count: 10 }))));
      clock.step(READ_ANEW_MS);
      // Still below its own mark, and yet it must not answer: its IDs would fall behind.
      await expect(grant(old, callOf("default", { count: 10 }))).rejects.toThrow(
        "another instance",
      );
      clock.step(1000);
      await expect(grant(old, callOf("default"))).rejects.toThrow("another instance");
      expect(abort).toHaveBeenCalledTimes(2);
      spans.push(spanOf(await grant(young, callOf("default", { count: 10 }))));
      spans.sort(([a], [b]) => a - b);
      spans.forEach(([start], index) => {
        if (index > 0) expect(start).toBeGreaterThanOrEqual(spans[index - 1]?.[1] ?? 0);
      });
    });
  });

  it("with different layouts: the second is refused by the first one's stored layout", async () => {
    const stub = stubOf("leaf", 5);
    await runInDurableObject(stub, async (_, state) => {
      const { old, young } = twoInstances(state);
      expect(old.status(namespaceOf("leaf").lineSpec)).toMatchObject({ ok: true });
      expect(young.status(namespaceOf("default").lineSpec)).toMatchObject({ ok: true });
      await grant(young, callOf("default"));
      await expect(grant(old, callOf("leaf"))).rejects.toThrow("another instance");
    });
  });

  it("an instance whose row is gone ends", async () => {
    const stub = stubOf("leaf", 4);
    await runInDurableObject(stub, async (_, state) => {
      const { old } = twoInstances(state);
      await grant(old, callOf("leaf"));
      state.storage.sql.exec("DELETE FROM lane");
      clock.step(5000);
      await expect(grant(old, callOf("leaf"))).rejects.toThrow("another instance");
    });
  });

  it("a superseded one fails before it answers in strict order", async () => {
    const stub = stubOf("default", 4);
    await runInDurableObject(stub, async (_, state) => {
      const { old, young, abort } = twoInstances(state);
      await grant(old, callOf("default", { strict: true }));
      await grant(young, callOf("default", { strict: true }));
      clock.step(READ_ANEW_MS);
      await expect(grant(old, callOf("default", { strict: true }))).rejects.toThrow();
      expect(abort).toHaveBeenCalledOnce();
      await grant(young, callOf("default", { strict: true }));
    });
  });

  it("trust a reading of the mark for a few ms, and delay their first answer for longer", async () => {
    const stub = stubOf("default", 0);
    await runInDurableObject(stub, async (_, state) => {
      const { old, young } = twoInstances(state);
      const events: string[] = [];
      vi.spyOn(scheduler, "wait").mockImplementationOnce(async (waitMs) => {
        await Promise.resolve();
        events.push(`waited ${waitMs} ms`);
      });
      await grant(old, callOf("default", { strict: true }));
      events.push("answered");
      // Whatever another instance trusts was read before this one's mark, and is out of date by now.
      expect(events).toEqual([`waited ${SETTLE_MS} ms`, "answered"]);
      expect(SETTLE_MS).toBeGreaterThan(MARK_READING_TRUSTED_MS + 1);
      await grant(young, callOf("default", { strict: true }));
      await grant(old, callOf("default", { strict: true }));
      const call = callOf("default", { strict: true });
      const callersMoved = { ...call, callerNowMs: call.callerNowMs + READ_ANEW_MS };
      await expect(grant(old, callersMoved)).rejects.toThrow("another instance");
    });
  });

  it("js53: only the first answer on the last lane waits, as strict order needs", async () => {
    await runInDurableObject(stubOf("js53", 3), async (_, state) => {
      const { old, young } = twoInstances(state);
      await grant(old, callOf("js53", { strict: true }));
      const wait = vi.spyOn(scheduler, "wait");
      await grant(young, callOf("js53"));
      expect(wait).not.toHaveBeenCalled();
      await grant(young, callOf("js53", { strict: true }));
      expect(wait.mock.calls).toEqual([[SETTLE_MS]]);
      await grant(young, callOf("js53", { strict: true }));
      expect(wait).toHaveBeenCalledOnce();
      const late = callOf("js53", { strict: true });
      const anew = { ...late, callerNowMs: late.callerNowMs + READ_ANEW_MS };
      await expect(grant(old, anew)).rejects.toThrow("another instance");
    });
  });

  it("js53: a grant on the other lane does not refresh the reading of the last lane's mark", async () => {
    await runInDurableObject(stubOf("js53", 4), async (_, state) => {
      const { old, young } = twoInstances(state);
      await grant(old, callOf("js53"));
      await grant(old, callOf("js53", { strict: true }));
      await grant(young, callOf("js53", { strict: true }));
      const late = callOf("js53", { strict: true });
      const anew = { ...late, callerNowMs: late.callerNowMs + READ_ANEW_MS };
      await grant(old, { ...anew, strict: false });
      await expect(grant(old, anew)).rejects.toThrow("another instance");
    });
  });

  it("with the first use by both, one gets the line", async () => {
    const stub = stubOf("default", 5);
    await runInDurableObject(stub, async (_, state) => {
      const { old, young } = twoInstances(state);
      old.status(namespaceOf("default").lineSpec);
      young.status(namespaceOf("default").lineSpec);
      await grant(old, callOf("default"));
      await expect(grant(young, callOf("default"))).rejects.toThrow("another instance");
    });
  });
});

describe("S3 a start trusts the marks only", () => {
  it("begins at the mark, not at the last grant", async () => {
    const stub = stubOf("default", 6);
    await grant(stub, callOf("default", { count: 5 }));
    const [mark = 0] = await marksOf(stub);
    await evictDurableObject(stub);
    expect(spanOf(await grant(stub, callOf("default")))).toEqual([mark, mark + 1]);
  });

  it.each([
    "UPDATE lane SET mark = -1",
    "UPDATE lane SET mark = 281474976710657",
    "INSERT INTO lane VALUES (2, 5, '{}')",
  ])("fails if a stored mark is not on the line: %s", async (damage) => {
    const stub = stubOf("js53", 5);
    const undamaged = await grant(stub, callOf("js53"));
    expect(undamaged.ok).toBe(true);
    await inStorage(stub, (sql) => sql.exec(damage));
    await evictDurableObject(stub);
    expect((await problemOf("/v1/ids/js53?shard=5")).status).toBe(503);
    await inStorage(stub, (sql) => sql.exec("DELETE FROM lane"));
    await evictDurableObject(stub);
  });

  it.each(["default", "twitter", "leaf", "node", "js53"])(
    "%s: continues in the last tick, restarted and in strict order, if the mark is the line's end",
    async (name) => {
      const { layout } = namespaceOf(name);
      clock.set(layout.epochMs + (layout.tickCount - 1) * layout.tickMs);
      expect(await idsOf(name, "?shard=0&order=strict")).toHaveLength(1);
      expect(await json(`/v1/shards/${name}/0`)).toMatchObject({ shard: 0 });
      await evictDurableObject(stubOf(name, 0));
      expect(await json(`/v1/shards/${name}/0`)).toMatchObject({ shard: 0 });
      const answer = await problemOf(`/v1/ids/${name}?shard=0&order=strict`);
      expect(answer).toMatchObject({ status: 500, body: { code: "timestamp_exhausted" } });
    },
  );

  it("keeps its counters across restarts, as of the last mark", async () => {
    const stub = stubOf("js53", 6);
    await grant(stub, callOf("js53", { count: 100 }));
    clock.step(5000);
    await grant(stub, callOf("js53", { count: 50 }));
    await evictDurableObject(stub);
    const reply = await stub.status(namespaceOf("js53").lineSpec);
    expect(reply).toMatchObject({ ok: true, status: { counters: { issued: 150, writes: 2 } } });
  });
});

describe("S5 one layout for ever", () => {
  it("refuses another layout, grants nothing, and continues with its own", async () => {
    const stub = stubOf("default", 7);
    await grant(stub, callOf("default"));
    const marks = await marksOf(stub);
    const foreign = { ...callOf("default"), lineSpec: namespaceOf("leaf").lineSpec };
    for (const restarted of [false, true]) {
      if (restarted) await evictDurableObject(stub);
      const reply = await grant(stub, foreign);
      expect(reply).toMatchObject({ ok: false, refusal: { code: "layout_conflict" }, granted: 0 });
      expect(await stub.status(foreign.lineSpec)).toMatchObject({ ok: false });
    }
    expect(await marksOf(stub)).toEqual(marks);
    expect((await grant(stub, callOf("default"))).ok).toBe(true);
  });

  it("continues from its place if only the policy changes", async () => {
    const stub = stubOf("node", 7);
    const { lineSpec } = namespaceOf("node");
    const { layout, policy } = JSON.parse(lineSpec);
    const changed = JSON.stringify({ layout, policy: { ...policy, maxWaitMs: 50 } });
    const [, end] = spanOf(await grant(stub, callOf("node", { count: 5 })));
    const reply = await grant(stub, { ...callOf("node"), lineSpec: changed });
    expect(spanOf(reply)).toEqual([end, end + 1]);
  });

  it("continues from its place if only the policy changes, also under a waiting call", async () => {
    const { lineSpec } = namespaceOf("twitter");
    const { layout, policy } = JSON.parse(lineSpec);
    const changed = JSON.stringify({ layout, policy: { ...policy, maxWaitMs: 50 } });
    const stub = stubOf("twitter", 7);
    const waiting = grant(stub, callOf("twitter", { count: 10_000 }));
    const others = Array.from({ length: 20 }, (_, index) => {
      const call = callOf("twitter", { count: 3 });
      return grant(stub, index % 2 === 0 ? { ...call, lineSpec: changed } : call);
    });
    clock.set(START_MS, "waits");
    const replies = await Promise.all([waiting, ...others]);
    const positions = replies.flatMap((reply) =>
      reply.ok
        ? reply.grants.flatMap(({ start, end }) =>
            Array.from({ length: end - start }, (_, index) => start + index),
          )
        : [],
    );
    expect(positions.length).toBeGreaterThan(10_000);
    expect(new Set(positions).size).toBe(positions.length);
  });
});

describe("S4 read, step and write with no await between", () => {
  it("gives concurrent calls consecutive spans, none twice, none skipped", async () => {
    const stub = stubOf("leaf", 3);
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => grant(stub, callOf("leaf", { count: 7 }))),
    );
    const spans = replies.map(spanOf).sort(([one], [other]) => one - other);
    for (const [index, [start]] of spans.entries()) {
      if (index > 0) expect(start).toBe(spans[index - 1]?.[1]);
    }
  });
});

describe("S6 waiting", () => {
  it("requests exactly the line's waits, maxWait in total, with a frozen clock", async () => {
    const stub = stubOf("twitter", 3);
    await grant(stub, callOf("twitter", { count: 4096 }));
    const wait = vi.spyOn(scheduler, "wait");
    const reply = await grant(stub, callOf("twitter"));
    expect(reply).toMatchObject({ refusal: { code: "shard_saturated" }, waitedMs: 100 });
    const waits = wait.mock.calls.map(([waitMs]) => waitMs);
    expect(waits).toEqual(Array.from({ length: 100 }, () => 1));
  });

  it("stays within the rest of the caller's wait", async () => {
    const stub = stubOf("twitter", 4);
    await grant(stub, callOf("twitter", { count: 4096 }));
    const reply = await grant(stub, { ...callOf("twitter"), waitLeftMs: 7 });
    expect(reply).toMatchObject({ ok: false, waitedMs: 7 });
  });
});

describe("a random start", () => {
  it("makes a call over many ticks fail at once or not at all", async () => {
    clock.set(START_MS, "waits");
    const { layout, policy } = namespaceOf("leaf");
    const lastStart = policy.randomStart - 1;
    vi.spyOn(Math, "random").mockReturnValue(lastStart / policy.randomStart);
    const most = (policy.maxWaitMs + 1) * layout.sequenceCount - lastStart;
    const fits = await grant(stubOf("leaf", 2), callOf("leaf", { count: most }));
    expect(fits).toMatchObject({
      ok: true,
      grants: [{ start: expect.any(Number) }, ...Array(policy.maxWaitMs).fill({})],
    });
    const tooMany = await grant(stubOf("leaf", 6), callOf("leaf", { count: most + 1 }));
    expect(tooMany).toMatchObject({ ok: false, granted: 0, refusal: { code: "shard_saturated" } });
  });
});

describe("S7 a frozen clock", () => {
  it("ends the instance once a caller's clock proves it", async () => {
    await runInDurableObject(stubOf("default", 1), async (_, state) => {
      const { old, young, abort } = twoInstances(state);
      const { clock: shown, result } = await grantAndClock(old, callOf("default"));
      const at = (ms: number) => {
        const echo = { instance: shown.instance, leastMs: shown.nowMs + ms };
        return { ...callOf("default"), echo };
      };
      await grant(old, at(FROZEN_CLOCK_MS - 1));
      await expect(grant(old, at(FROZEN_CLOCK_MS))).rejects.toThrow("is frozen");
      expect(abort).toHaveBeenCalledOnce();
      // The other instance's clock proves nothing about this one's.
      clock.set(START_MS - 20_000);
      const [next] = spanOf(await grant(young, at(FROZEN_CLOCK_MS)));
      expect(next).toBeGreaterThan(spanOf(result)[0]);
    });
  });

  it("is not concluded from queued calls, at any rate and for any time", async () => {
    await runInDurableObject(stubOf("twitter", 2), async (_, state) => {
      const { old, abort } = twoInstances(state);
      const { clock: shown } = await grantAndClock(old, callOf("twitter"));
      const { instance } = shown;
      for (const stallMs of [100, 1300, 30_000]) {
        const sentMs = Date.now();
        clock.set(sentMs + stallMs, "waits");
        // All of them arrive at one reading of the clock, the oldest first.
        for (let waitedMs = stallMs; waitedMs >= 0; waitedMs -= stallMs / 100) {
          const callerNowMs = sentMs + stallMs - waitedMs;
          const echo = { instance, leastMs: callerNowMs };
          expect(await grant(old, { ...callOf("twitter"), callerNowMs, echo })).toMatchObject({
            ok: true,
          });
        }
        // Nor do they wait less than they may.
        await grant(old, callOf("twitter", { count: 4096 - 101 }));
        const late = { ...callOf("twitter"), callerNowMs: sentMs };
        expect(await grant(old, late)).toMatchObject({ ok: true });
      }
      expect(abort).not.toHaveBeenCalled();
    });
  });
});

describe("S8 a breach of the line's invariants", () => {
  it("ends the instance before anything is written or answered", async () => {
    const stub = stubOf("default", 6);
    await runInDurableObject(stub, async (_, state) => {
      const { old, abort } = twoInstances(state);
      await grant(old, callOf("default"));
      // As a broken step would: the last grant again.
      const again = vi.spyOn(Array.prototype, "with").mockImplementation(function (
        this: unknown[],
      ) {
        return this;
      });
      try {
        await expect(grant(old, callOf("default"))).rejects.toThrow("broken: L1");
      } finally {
        again.mockRestore();
      }
      expect(abort).toHaveBeenCalledOnce();
    });
  });
});

describe("counters", () => {
  it("tell what happened: issued, waits, rollbacks, refusals, lead", async () => {
    const path = "/v1/shards/twitter/5";
    const stub = stubOf("twitter", 5);
    await grant(stub, callOf("twitter", { count: 4096 }));
    await grant(stub, { ...callOf("twitter"), waitLeftMs: 2 });
    clock.step(-5000);
    await grant(stub, callOf("twitter"));
    expect(await json(path)).toMatchObject({
      clock: START_MS - 5000,
      lanes: [{ lane: 0, lead: 5001, leadMs: 5001 }],
      counters: {
        issued: 4096,
        grants: 1,
        waits: 2,
        rollbacks: 1,
        writes: 1,
        refusals: { shard_saturated: 1, clock_behind: 1 },
        maxLeadMs: 0,
      },
    });
    await grant(stubOf("js53", 7), callOf("js53", { count: 196_608 }));
    expect(await json("/v1/shards/js53/7")).toMatchObject({ counters: { maxLeadMs: 1000 } });
  });
});

describe("two clocks", () => {
  it("a shard whose clock is over 60 s ahead of the caller's raises no mark", async () => {
    const stub = stubOf("node", 5);
    const call = callOf("node");
    const wild = await grant(stub, { ...call, callerNowMs: Date.now() - 61_000 });
    expect(wild).toMatchObject({ ok: false, refusal: { code: "clock_disagreement" }, granted: 0 });
    expect(await marksOf(stub)).toEqual([]);
    const lagging = await grant(stub, { ...call, callerNowMs: Date.now() + 10 ** 9 });
    expect(lagging.ok).toBe(true);
  });

  it("the router reads its clock again and repeats once", async () => {
    // The router's first reading is stale; all later ones agree.
    vi.spyOn(Date, "now").mockReturnValueOnce(START_MS - 3_600_000);
    expect(await idsOf("node", "?shard=6")).toHaveLength(1);
  });
});

/** The message of the error that a call of the object throws. */
async function failure(stub: DurableObjectStub<Shard>): Promise<string> {
  try {
    await grant(stub, callOf("js53"));
  } catch (error) {
    return String(error);
  }
  throw new Error("the call did not fail");
}

describe("names", () => {
  it.each(["default", "default/", "default/01", "default/x", "/1", "default/1/2", "default/-1"])(
    "%j is not a shard's",
    async (name) => {
      const stub = env.SHARD.getByName(name);
      await expect(failure(stub)).resolves.toContain("a shard is named");
    },
  );

  it("a worker ID beyond the layout is not a shard's", async () => {
    const stub = env.SHARD.getByName("js53/16");
    await expect(failure(stub)).resolves.toContain("0..15");
  });
});
