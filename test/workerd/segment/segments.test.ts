/** The segment object's own invariants D1–D6 (objects/segments), on real SQLite. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { readSegmentReply } from "../../../src/core/segment/segment-reply.ts";
import { Segments } from "../../../src/objects/segments.ts";
import { useClock } from "../../support/clock.ts";
import {
  breakWrites,
  evict,
  inSegments,
  maxIdOf,
  moveBehind,
  segmentOf,
  segmentsOf,
  specOf,
} from "../../support/segments.ts";

useClock("waits");

const SPEC = specOf();
const NO_KEY = "";

/** How many answers are kept. */
const answersOf = (name: string) =>
  inSegments(name, (sql) => Number(sql.exec("SELECT count(*) AS many FROM kept").one().many));

describe("D1 numbers leave only below a stored maxId", () => {
  it("with any request: segments and exact counts continue after the last one", async () => {
    const stub = segmentsOf("d1-chain");
    let next = 1n;
    for (const [method, count] of [
      ["nextSegment", 2000],
      ["nextNumbers", 1],
      ["nextNumbers", 10_000],
      ["nextSegment", 1],
      ["nextNumbers", 7],
    ] as const) {
      const reply =
        method === "nextSegment"
          ? await stub.nextSegment(SPEC, count)
          : await stub.nextNumbers(SPEC, count, NO_KEY, Date.now());
      expect(segmentOf(reply)).toEqual({ from: next, until: next + BigInt(count) });
      next += BigInt(count);
      expect(await maxIdOf("d1-chain")).toBe(`${next}`);
    }
  });

  it.each(["INSERT ON segment", "UPDATE ON segment"])(
    "a write that fails issues nothing, and leaves memory as it was: %s",
    async (write) => {
      const name = `d1-${write.slice(0, 6)}`;
      const first = write.startsWith("INSERT");
      if (!first) await segmentsOf(name).nextNumbers(SPEC, 5, NO_KEY, Date.now());
      const before = await maxIdOf(name);
      const mend = await breakWrites(name, write);
      await runInDurableObject(segmentsOf(name), async (instance) => {
        expect(() => instance.nextNumbers(SPEC, 3, NO_KEY, Date.now())).toThrow("disk full");
        expect(() => instance.nextSegment(SPEC, 2000)).toThrow("disk full");
        await expect(
          async () => await instance.nextNumbers(SPEC, 3, "owner key", Date.now()),
        ).rejects.toThrow("disk full");
        const issued = first ? 0 : 5;
        expect(instance.status(SPEC)).toMatchObject({
          status: { maxId: `${1 + issued}`, tally: { issued, fetches: 0 } },
        });
      });
      expect(await maxIdOf(name)).toBe(before);
      await mend();
      const { from } = segmentOf(await segmentsOf(name).nextNumbers(SPEC, 1, NO_KEY, Date.now()));
      expect(from).toBe(first ? 1n : 6n);
    },
  );

  it("the status writes nothing", async () => {
    const reply = await segmentsOf("d1-status").status(specOf({ start: "77" }));
    expect(reply).toMatchObject({ ok: true, status: { maxId: "77", tally: { issued: 0 } } });
    expect(await maxIdOf("d1-status")).toBeUndefined();
    // So no numbers are fixed by it either.
    const { from } = segmentOf(
      await segmentsOf("d1-status").nextNumbers(SPEC, 1, NO_KEY, Date.now()),
    );
    expect(from).toBe(1n);
  });
});

/** Two more instances of the object on its storage; their abort is only recorded, or it would end the test. */
function twoInstances(state: DurableObjectState) {
  const abort = vi.fn();
  Object.defineProperty(state, "abort", { value: abort });
  return { old: new Segments(state, env), young: new Segments(state, env), abort };
}

type Call = (instance: Segments) => string | Promise<string>;
const CALLS: [string, Call][] = [
  ["a segment", (instance) => instance.nextSegment(SPEC, 10)],
  ["a count", (instance) => instance.nextNumbers(SPEC, 10, NO_KEY, Date.now())],
  ["a count with a key", (instance) => instance.nextNumbers(SPEC, 10, "owner new", Date.now())],
];

describe("D2 two instances alive on one storage", () => {
  it.each(CALLS)("the superseded one ends, and issues nothing: %s", async (title, call) => {
    const name = `d2-${title.replaceAll(" ", "-")}`;
    await runInDurableObject(segmentsOf(name), async (_, state) => {
      const { old, young, abort } = twoInstances(state);
      expect(segmentOf(await old.nextNumbers(SPEC, 10, NO_KEY, Date.now())).from).toBe(1n);
      expect(segmentOf(await young.nextNumbers(SPEC, 10, NO_KEY, Date.now())).from).toBe(11n);
      await expect(async () => await call(old)).rejects.toThrow("another instance");
      expect(abort).toHaveBeenCalledOnce();
      await expect(async () => await call(old)).rejects.toThrow("another instance");
      expect(segmentOf(await call(young))).toEqual({ from: 21n, until: 31n });
    });
  });

  it.each(CALLS)("with the first use by both, one gets the numbers: %s", async (title, call) => {
    const name = `d2-first-${title.replaceAll(" ", "-")}`;
    await runInDurableObject(segmentsOf(name), async (_, state) => {
      const { old, young, abort } = twoInstances(state);
      old.status(SPEC);
      young.status(SPEC);
      expect(segmentOf(await young.nextNumbers(SPEC, 10, NO_KEY, Date.now())).from).toBe(1n);
      await expect(async () => await call(old)).rejects.toThrow("another instance");
      expect(abort).toHaveBeenCalledOnce();
    });
  });

  it("an instance whose row is gone neither continues nor starts again", async () => {
    await runInDurableObject(segmentsOf("d2-gone"), (_, state) => {
      const { old } = twoInstances(state);
      old.nextSegment(SPEC, 10);
      state.storage.sql.exec("DELETE FROM segment");
      expect(() => old.nextSegment(SPEC, 10)).toThrow("another instance");
    });
  });

  it("another instance's move of maxId ends the real instance; the next one continues from there", async () => {
    const stub = segmentsOf("d2-behind");
    await stub.nextNumbers(SPEC, 10, NO_KEY, Date.now());
    await moveBehind("d2-behind", 500n);
    // A stub that has seen its object end stays broken.
    const failing = async () =>
      await segmentsOf("d2-behind").nextNumbers(SPEC, 10, NO_KEY, Date.now());
    await expect(failing()).rejects.toThrow("another instance");
    const reply = await segmentsOf("d2-behind").nextNumbers(SPEC, 10, NO_KEY, Date.now());
    expect(segmentOf(reply)).toEqual({ from: 500n, until: 510n });
  });
});

describe("D3 a start trusts the stored maxId only", () => {
  it("continues there after an eviction, skips no number, and keeps its tally", async () => {
    const name = "d3-chain";
    for (let round = 0; round < 5; round += 1) {
      const reply = await segmentsOf(name).nextNumbers(SPEC, 10, NO_KEY, Date.now());
      expect(segmentOf(reply).from).toBe(BigInt(1 + round * 10));
      await evict(name);
    }
    await segmentsOf(name).nextSegment(SPEC, 100);
    await evict(name);
    expect(await segmentsOf(name).status(SPEC)).toMatchObject({
      status: {
        maxId: "151",
        tally: { issued: 150, exact: 5, fetches: 1, last: [{ from: "51", until: "151" }] },
      },
    });
  });

  it("uses the stored maxId, not another instance's memory", async () => {
    await segmentsOf("d3-stored").nextNumbers(SPEC, 10, NO_KEY, Date.now());
    await moveBehind("d3-stored", 9_223_372_036_854_775_800n);
    await evict("d3-stored");
    const reply = await segmentsOf("d3-stored").nextSegment(SPEC, 2000);
    expect(segmentOf(reply)).toEqual({ from: 9_223_372_036_854_775_800n, until: 1n << 63n });
    await evict("d3-stored");
    const none = readSegmentReply(await segmentsOf("d3-stored").nextSegment(SPEC, 1));
    expect(none).toMatchObject({ ok: false, refusal: { code: "exhausted" } });
  });

  it.each(["'-1'", "'12x'", "''", "'1e3'"])(
    "fails if the stored maxId is no number: %s",
    async (damage) => {
      const name = `d3-damage-${damage}`;
      await segmentsOf(name).nextNumbers(SPEC, 10, NO_KEY, Date.now());
      await inSegments(name, (sql) => sql.exec(`UPDATE segment SET maxId = ${damage}`));
      await runInDurableObject(segmentsOf(name), (_, state) => {
        const started = new Segments(state, env);
        expect(() => started.nextNumbers(SPEC, 1, NO_KEY, Date.now())).toThrow();
        expect(() => started.nextSegment(SPEC, 1)).toThrow();
      });
    },
  );
});

describe("D4 read, decide and write with no await between", () => {
  it("gives concurrent calls consecutive segments, none twice, none skipped", async () => {
    const stub = segmentsOf("d4");
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        index % 2
          ? stub.nextSegment(SPEC, 7)
          : stub.nextNumbers(SPEC, 7, index % 4 ? "" : `k ${index}`, Date.now()),
      ),
    );
    const spans = replies.map(segmentOf).sort((one, other) => Number(one.from - other.from));
    for (const [index, { from }] of spans.entries()) expect(from).toBe(BigInt(1 + index * 7));
  });
});

describe("D5 start, delta and remainder for ever", () => {
  it.each([{ start: "2" }, { delta: 2 }, { delta: 3, remainder: 1 }])(
    "refuses %j, issues nothing, and continues with its own",
    async (change) => {
      const name = `d5-${Object.entries(change).join("-").replaceAll(",", "-")}`;
      await segmentsOf(name).nextNumbers(SPEC, 10, "owner before", Date.now());
      const foreign = specOf(change);
      for (const restarted of [false, true]) {
        if (restarted) await evict(name);
        const stub = segmentsOf(name);
        for (const reply of [
          await stub.nextSegment(foreign, 10),
          await stub.nextNumbers(foreign, 10, NO_KEY, Date.now()),
          await stub.nextNumbers(foreign, 10, "owner key", Date.now()),
          // Not even what its own spec would get again.
          await stub.nextNumbers(foreign, 10, "owner before", Date.now()),
        ]) {
          expect(readSegmentReply(reply)).toMatchObject({ refusal: { code: "layout_conflict" } });
        }
        expect(await stub.status(foreign)).toMatchObject({ refusal: { code: "layout_conflict" } });
        expect(await maxIdOf(name)).toBe("11");
        expect(await answersOf(name)).toBe(1);
      }
      const { from } = segmentOf(await segmentsOf(name).nextNumbers(SPEC, 1, NO_KEY, Date.now()));
      expect(from).toBe(11n);
    },
  );

  it("another max is no conflict: numbers continue up to it", async () => {
    const stub = segmentsOf("d5-max");
    const short = specOf({ max: "12" });
    expect(segmentOf(await stub.nextNumbers(short, 10, NO_KEY, Date.now())).until).toBe(11n);
    expect(segmentOf(await stub.nextSegment(short, 10))).toEqual({ from: 11n, until: 13n });
    expect(readSegmentReply(await stub.nextSegment(short, 10)).ok).toBe(false);
    expect(segmentOf(await stub.nextSegment(specOf({ max: "20" }), 5)).from).toBe(13n);
  });

  it("reads no spec that it did not write", async () => {
    await runInDurableObject(segmentsOf("d5-bad"), (instance) => {
      for (const change of [
        { start: "-1" },
        { start: 1 },
        { max: "9223372036854775808" },
        { max: "007" },
        { delta: 0 },
        { delta: 1.5 },
        { delta: 3, remainder: 3 },
      ]) {
        expect(() => instance.nextSegment(specOf(change), 10)).toThrow();
      }
    });
    expect(await maxIdOf("d5-bad")).toBeUndefined();
  });
});
