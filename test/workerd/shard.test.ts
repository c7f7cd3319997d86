/** The shard's own invariants S1–S6 (objects/shard), on real SQLite. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type GrantReply, Shard } from "../../src/objects/shard.ts";
import { clock } from "../support/clock.ts";
import { idsOf, problemOf } from "../support/requests.ts";
import { inStorage, marksOf, namespaceOf, stubOf } from "../support/shards.ts";

const START_MS = Date.UTC(2026, 5, 1);

beforeEach(() => {
  clock.set(START_MS);
});
afterEach(() => {
  clock.restore();
});

function callOf(namespace: string, change: { count?: number; strict?: boolean } = {}) {
  const { lineSpec } = namespaceOf(namespace);
  return { lineSpec, count: 1, strict: false, callerNowMs: Date.now(), ...change };
}

function spanOf(reply: GrantReply): [start: number, end: number] {
  const grant = reply.ok ? reply.grants[0] : undefined;
  if (!grant) throw new Error(`not granted: ${JSON.stringify(reply)}`);
  return [grant.start, grant.end];
}

/** Counts rows really written, by triggers in the object's own database. */
async function countWrites(stub: DurableObjectStub<Shard>): Promise<() => Promise<number>> {
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
  it("writes at most 3 rows for 10,000 single requests within a second of the clock", async () => {
    clock.set(START_MS, "frozen");
    const stub = stubOf("default", 0);
    const rowsWritten = await countWrites(stub);
    const ids = new Set<bigint>();
    for (let round = 0; round < 100; round += 1) {
      clock.set(START_MS + round * 9, "frozen");
      const burst = Array.from({ length: 100 }, () => idsOf("default", "?shard=0"));
      for (const [id] of await Promise.all(burst)) if (id !== undefined) ids.add(id);
    }
    expect(ids.size).toBe(10_000);
    const rows = await rowsWritten();
    expect(rows).toBeGreaterThanOrEqual(1);
    expect(rows).toBeLessThanOrEqual(3);
  });

  it.each(["default", "twitter", "leaf", "js53", "node"])(
    "%s: every grant lies below the stored mark",
    async (name) => {
      const stub = stubOf(name, 1);
      for (const count of [1, 5000, 1, 10_000]) {
        const reply = await stub.grant(callOf(name, { count }));
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
    expect(failed).toMatchObject({ status: 500, body: { code: "internal", definite: false } });
    expect(JSON.stringify(failed.body)).not.toContain("disk full");
    expect(await marksOf(stub)).toEqual([mark]);
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

describe("S2 two instances alive on one storage", () => {
  it("grant nothing twice: the superseded one ends at its own mark", async () => {
    clock.set(START_MS, "frozen");
    const stub = stubOf("default", 3);
    await runInDurableObject(stub, async (_, state) => {
      const { old, young, abort } = twoInstances(state);
      const spans = [spanOf(await old.grant(callOf("default", { count: 10 })))];
      spans.push(spanOf(await young.grant(callOf("default", { count: 10 }))));
      spans.push(spanOf(await old.grant(callOf("default", { count: 10 }))));
      clock.step(1000, "frozen");
      await expect(old.grant(callOf("default"))).rejects.toThrow("another instance");
      expect(abort).toHaveBeenCalledOnce();
      spans.push(spanOf(await young.grant(callOf("default", { count: 10 }))));
      expect(abort).toHaveBeenCalledOnce();
      spans.sort(([a], [b]) => a - b);
      spans.forEach(([start], index) => {
        if (index > 0) expect(start).toBeGreaterThanOrEqual(spans[index - 1]?.[1] ?? 0);
      });
    });
  });

  it("a superseded one fails before it answers in strict order", async () => {
    clock.set(START_MS, "frozen");
    const stub = stubOf("default", 4);
    await runInDurableObject(stub, async (_, state) => {
      const { old, young, abort } = twoInstances(state);
      await old.grant(callOf("default", { strict: true }));
      await young.grant(callOf("default", { strict: true }));
      await expect(old.grant(callOf("default", { strict: true }))).rejects.toThrow();
      expect(abort).toHaveBeenCalledOnce();
      await young.grant(callOf("default", { strict: true }));
    });
  });

  it("first use by both: one gets the line", async () => {
    const stub = stubOf("default", 5);
    await runInDurableObject(stub, async (_, state) => {
      const { old, young } = twoInstances(state);
      old.status(namespaceOf("default").lineSpec);
      young.status(namespaceOf("default").lineSpec);
      await old.grant(callOf("default"));
      await expect(young.grant(callOf("default"))).rejects.toThrow("another instance");
    });
  });
});

describe("S3 a start trusts the marks only", () => {
  it("begins at the mark, not where memory was", async () => {
    clock.set(START_MS, "frozen");
    const stub = stubOf("default", 6);
    await stub.grant(callOf("default", { count: 5 }));
    const [mark = 0] = await marksOf(stub);
    await evictDurableObject(stub);
    expect(spanOf(await stub.grant(callOf("default")))).toEqual([mark, mark + 1]);
  });

  it("refuses a stored mark that is not on the line, instead of guessing", async () => {
    const stub = stubOf("twitter", 6);
    await stub.grant(callOf("twitter"));
    await inStorage(stub, (sql) => sql.exec("UPDATE lane SET mark = -1"));
    await evictDurableObject(stub);
    expect((await problemOf("/v1/ids/twitter?shard=6")).status).toBe(500);
  });

  it("keeps its counters across restarts, as of the last mark", async () => {
    const stub = stubOf("js53", 6);
    await stub.grant(callOf("js53", { count: 100 }));
    clock.step(5000);
    await stub.grant(callOf("js53", { count: 50 }));
    await evictDurableObject(stub);
    const reply = await stub.status(namespaceOf("js53").lineSpec);
    expect(reply).toMatchObject({ ok: true, status: { counters: { issued: 150, writes: 2 } } });
  });
});

describe("S5 one layout for ever", () => {
  it("refuses another layout, grants nothing, and goes on with its own", async () => {
    const stub = stubOf("default", 7);
    await stub.grant(callOf("default"));
    const marks = await marksOf(stub);
    const foreign = { ...callOf("default"), lineSpec: namespaceOf("leaf").lineSpec };
    for (const restarted of [false, true]) {
      if (restarted) await evictDurableObject(stub);
      const reply = await stub.grant(foreign);
      expect(reply).toMatchObject({ ok: false, refusal: { code: "layout_conflict" }, granted: 0 });
      expect(await stub.status(foreign.lineSpec)).toMatchObject({ ok: false });
    }
    expect(await marksOf(stub)).toEqual(marks);
    expect((await stub.grant(callOf("default"))).ok).toBe(true);
  });

  it("goes on where it was when only the policy changes, also under a waiting call", async () => {
    clock.set(START_MS, "frozen");
    const { lineSpec } = namespaceOf("twitter");
    const { layout, policy } = JSON.parse(lineSpec);
    const changed = JSON.stringify({ layout, policy: { ...policy, maxWaitMs: 50 } });
    const stub = stubOf("twitter", 7);
    const waiting = stub.grant(callOf("twitter", { count: 10_000 }));
    const others = Array.from({ length: 20 }, (_, index) => {
      const call = callOf("twitter", { count: 3 });
      return stub.grant(index % 2 === 0 ? { ...call, lineSpec: changed } : call);
    });
    clock.set(START_MS);
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

describe("two clocks", () => {
  it("a shard whose clock is over 60 s ahead of the caller's raises no mark", async () => {
    const stub = stubOf("node", 5);
    const call = callOf("node");
    const wild = await stub.grant({ ...call, callerNowMs: Date.now() - 61_000 });
    expect(wild).toMatchObject({ ok: false, refusal: { code: "clock_disagreement" }, granted: 0 });
    expect(await marksOf(stub)).toEqual([]);
    const lagging = await stub.grant({ ...call, callerNowMs: Date.now() + 10 ** 9 });
    expect(lagging.ok).toBe(true);
  });

  it("the router reads its clock again and repeats once", async () => {
    const now = vi.spyOn(Date, "now");
    const real = START_MS;
    // The router's first reading is stale; all later ones agree.
    now.mockReturnValueOnce(real - 3_600_000).mockReturnValue(real);
    expect(await idsOf("node", "?shard=6")).toHaveLength(1);
  });
});

/** The message of the error that a call of the object throws. */
async function failure(stub: DurableObjectStub<Shard>): Promise<string> {
  try {
    await stub.grant(callOf("js53"));
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
