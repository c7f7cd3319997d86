/** The checker's parts: reading IDs, their times, percentiles, when requests are due. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decode } from "../../src/core/codec.ts";
import { compose, decompose } from "../../src/core/layout/id.ts";
import { makeLayout, tickStartMs } from "../../src/core/layout/layout.ts";
import { PRESETS } from "../../src/core/layout/presets.ts";
import { Histogram } from "../../src/verify/histogram.ts";
import { describedLayout, IdFields, presetLayout } from "../../src/verify/known-layout.ts";
import { Pace } from "../../src/verify/load.ts";
import { OrderedLine } from "../../src/verify/order-check.ts";
import { readDecimal } from "../../src/verify/outcome.ts";
import { Offsets, offsetMsOf } from "../../src/verify/time-check.ts";

describe("readDecimal", () => {
  it("reads what the core reads, and nothing else", () => {
    const nearly = fc.stringMatching(/^[-+0-9 ex.]{0,21}$/);
    const number = fc.bigInt({ min: 0n, max: 2n ** 64n }).map(String);
    fc.assert(
      fc.property(fc.oneof(nearly, number, fc.string()), (text) => {
        expect(readDecimal(text)).toBe(decode(text, "decimal"));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("IdFields", () => {
  const bits = (max: number) => fc.integer({ min: 0, max });
  const spec = fc.record({
    timestampBits: fc.integer({ min: 1, max: 41 }),
    datacenterBits: bits(8),
    workerBits: bits(8),
    laneBits: bits(3),
    sequenceBits: bits(12),
    epochMs: fc.constantFrom(0, 1_735_689_600_000),
    tickMs: fc.constantFrom(1, 10, 1000),
    lanePlace: fc.constantFrom("aboveWorker" as const, "belowWorker" as const),
  });

  it("reads time and shard as the core does", () => {
    fc.assert(
      fc.property(spec, fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (one, random) => {
        const made = makeLayout(one);
        if (!made.ok) return;
        const { layout } = made;
        const id = BigInt.asUintN(layout.totalBits, random);
        const parts = decompose(layout, id);
        const fields = new IdFields(layout);
        expect(fields.shardOf(id)).toBe(parts?.shard);
        expect(fields.unixMsOf(id)).toBe(tickStartMs(layout, parts?.tick ?? -1));
      }),
    );
  });

  it("sees bits above the layout as a time far off", () => {
    const { layout } = presetLayout("js53", "");
    if (!layout) throw new Error("no layout");
    const id = compose(layout, { tick: 5, shard: 1, lane: 0, sequence: 0 });
    const fields = new IdFields(layout);
    const aboveMs = fields.unixMsOf(id + 2n ** 53n) - fields.unixMsOf(id);
    expect(aboveMs).toBe(2 ** 32 * 1000);
  });
});

describe("offsetMsOf", () => {
  it.each([
    [1000, 1, 1000, 1005, 0],
    [1005, 1, 1000, 1005, 0],
    [1006, 1, 1000, 1005, 1],
    [999, 1, 1000, 1005, -1],
    // A tick of 1 s that was not over when the request was sent.
    [0, 1000, 999, 1005, 0],
    [0, 1000, 1000, 1005, -1],
    // The caller's clock stepped back in between.
    [1003, 1, 1005, 1000, 0],
    [1006, 1, 1005, 1000, 1],
  ])("a tick at %d of %d ms, asked from %d to %d: %d", (unixMs, tickMs, sentMs, answeredMs, is) => {
    expect(offsetMsOf({ unixMs, tickMs, sentMs, answeredMs })).toBe(is);
  });
});

describe("Offsets", () => {
  it("have the median of all, on both sides of 0", () => {
    const offset = fc.integer({ min: -100, max: 100 });
    fc.assert(
      fc.property(fc.array(offset, { minLength: 1, maxLength: 50 }), (all) => {
        const offsets = new Offsets();
        for (const one of all) offsets.add(one);
        const sorted = [...all].sort((one, other) => one - other);
        const medianMs = sorted[Math.ceil(sorted.length / 2) - 1];
        const summary = offsets.summary();
        expect(summary).toEqual({ minMs: sorted[0], medianMs, maxMs: sorted.at(-1) });
      }),
    );
  });

  it("are none where there were none", () => {
    expect(new Offsets().summary()).toBeUndefined();
  });
});

describe("Histogram", () => {
  it("is within 0.8 % of the true percentile, and exact at the end", () => {
    const value = fc.integer({ min: 0, max: 10_000_000 });
    const share = fc.constantFrom(0.5, 0.9, 0.99, 0.999, 1);
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 200 }), share, (values, at) => {
        const histogram = new Histogram();
        for (const one of values) histogram.add(one);
        const sorted = [...values].sort((one, other) => one - other);
        const exact = sorted[Math.max(1, Math.ceil(values.length * at)) - 1] ?? 0;
        expect(Math.abs((histogram.at(at) ?? -1) - exact)).toBeLessThanOrEqual(exact * 0.008);
        expect(histogram.max).toBe(sorted.at(-1));
      }),
    );
  });

  it("takes more than it tells apart", () => {
    const histogram = new Histogram();
    histogram.add(2 ** 40);
    expect(histogram.max).toBe(2 ** 40);
    expect(histogram.at(0.5)).toBeGreaterThan(2 ** 31);
    expect(new Histogram().at(0.5)).toBeUndefined();
  });
});

describe("Pace", () => {
  it("loses no request: each is taken or given up, in order, none before it is due", () => {
    const moves = fc.array(
      fc.record({ forMs: fc.integer({ min: 0, max: 80 }), takes: fc.integer({ min: 0, max: 9 }) }),
      { maxLength: 60 },
    );
    const rate = fc.constantFrom(1, 7, 50, 1000);
    fc.assert(
      fc.property(moves, rate, fc.integer({ min: 1, max: 100 }), (all, perSecond, waitMaxMs) => {
        const pace = new Pace(perSecond, 200, waitMaxMs);
        let [nowMs, past] = [0, 0];
        for (const { forMs, takes } of all) {
          nowMs += forMs;
          past += pace.advance(nowMs);
          for (let take = 0; take < takes; take += 1) {
            const taken = pace.take();
            if (!taken) break;
            expect(taken).toEqual({ number: past, dueMs: past * (1000 / perSecond) });
            expect(taken.dueMs).toBeLessThanOrEqual(nowMs);
            expect(taken.dueMs).toBeGreaterThanOrEqual(nowMs - waitMaxMs);
            past += 1;
          }
          const due = Math.min(200, Math.floor(nowMs / (1000 / perSecond)) + 1);
          expect(past + pace.waiting).toBe(due);
          if (pace.nextDueMs === undefined) expect(due).toBe(200);
          else expect(pace.nextDueMs).toBeGreaterThan(nowMs);
        }
      }),
    );
  });

  it("ends where it is stopped", () => {
    const pace = new Pace(10, 100, 10_000);
    pace.advance(450);
    pace.take();
    expect(pace.stop()).toBe(4);
    expect(pace.advance(9000)).toBe(0);
    expect([pace.take(), pace.waiting, pace.nextDueMs]).toEqual([undefined, 0, undefined]);
  });
});

describe("OrderedLine", () => {
  it("knows the highest before every event that may be asked for, however much it forgets", () => {
    const move = fc.record({ up: fc.integer({ min: -2, max: 5 }), open: fc.nat(40) });
    fc.assert(
      fc.property(fc.array(move, { maxLength: 300, size: "max" }), (moves) => {
        const line = new OrderedLine();
        const highest: { event: number; id: bigint }[] = [];
        const wrong: number[] = [];
        let [id, oldest] = [100, 0];
        for (const [index, { up, open }] of moves.entries()) {
          const event = 2 * index + 1;
          id += up;
          const before = highest.at(-1)?.id ?? 0n;
          highest.push({ event, id: before > BigInt(id) ? before : BigInt(id) });
          // The oldest open request is as many events back, and never older than the oldest of before.
          oldest = Math.max(oldest, event - open);
          const asked = oldest;
          line.add(event, { id: BigInt(id), answer: index }, () => asked);
          for (let at = asked; at <= event + 1; at += 1) {
            const is = highest.findLast((one) => one.event < at)?.id;
            if (line.before(at)?.id !== is) wrong.push(at);
          }
        }
        expect(wrong).toEqual([]);
      }),
    );
  });
});

describe("what is known of a layout", () => {
  it.each([...PRESETS.keys()])("%s, as the service describes it, is the preset", (name) => {
    const preset = PRESETS.get(name);
    const policy = { ...preset?.policy, freshForMs: 250 };
    const body = { name, kind: "snowflake", layout: preset?.spec, policy };
    const described = describedLayout(JSON.parse(JSON.stringify(body)), "said");
    const { layout, ...rest } = presetLayout(name, "said");
    // When a further lane is used decides nothing about reading.
    const read = { fields: layout?.fields, fingerprint: layout?.fingerprint };
    expect(described).toMatchObject({ ...rest, layout: read });
  });

  it("allows an ID what its namespace promises, and clocks that differ", () => {
    expect(presetLayout("default", "").times).toEqual({
      behindMaxMs: 5250,
      aheadMaxMs: 3_606_000,
    });
    expect(presetLayout("leaf", "").times).toEqual({ behindMaxMs: 5250, aheadMaxMs: 5000 });
  });

  it("is nothing for a segment", () => {
    expect(describedLayout({ kind: "segment", step: 1 }, "")).toMatchObject({ layout: undefined });
  });

  it.each([
    ["nothing", undefined],
    ["a text", "no"],
    ["another kind", { kind: "ulid" }],
    ["no layout", { kind: "snowflake", policy: PRESETS.get("default")?.policy }],
    ["no policy", { kind: "snowflake", layout: PRESETS.get("default")?.spec }],
    [
      "a lane somewhere else",
      {
        kind: "snowflake",
        layout: { ...PRESETS.get("js53")?.spec, lanePlace: "atEnd" },
        policy: { ...PRESETS.get("js53")?.policy, freshForMs: 250 },
      },
    ],
  ])("is not made up from %s", (_, body) => {
    expect(describedLayout(body, "")).toBeUndefined();
  });
});
