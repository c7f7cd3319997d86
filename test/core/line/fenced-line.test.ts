import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Layout, type LayoutSpec, layoutOf } from "../../../src/core/layout/layout.ts";
import type { Policy } from "../../../src/core/layout/policy.ts";
import { PRESETS } from "../../../src/core/layout/presets.ts";
import { fencedLine, nextRun, type Run } from "../../../src/core/line/fenced-line.ts";
import type { LineState } from "../../../src/core/line/line.ts";
import { FencedLineChecker } from "../../support/models/fenced-line-checker.ts";

const RUNS = 2000;
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const EPOCH_MS = 1_700_000_000_000;
/** The ticks of the tables are counted from this one. */
const NOW_TICK = 1_000_000;

const PLAIN: LayoutSpec = {
  timestampBits: 41,
  datacenterBits: 0,
  workerBits: 6,
  laneBits: 0,
  sequenceBits: 2,
  epochMs: EPOCH_MS,
  tickMs: 1,
};
const STRICT: Policy = {
  maxStepBackMs: 0,
  maxBorrowMs: 0,
  maxWaitMs: 100,
  randomStart: 0,
  reserveMs: 1000,
};

/** A line of 4 positions a tick, unless changed, whose positions are counted from NOW_TICK's first. */
class Table {
  readonly #layout: Layout;
  readonly #policy: Policy;
  readonly #end: number;
  #state: LineState;

  constructor(
    given: {
      spec?: Partial<LayoutSpec>;
      policy?: Partial<Policy>;
      begin?: number;
      end?: number;
    } = {},
  ) {
    this.#layout = layoutOf({ ...PLAIN, ...given.spec });
    this.#policy = { ...STRICT, ...given.policy };
    this.#end = this.#from + (given.end ?? 1000);
    this.#state = fencedLine(this.#layout, this.#from + (given.begin ?? 0));
  }

  get #from(): number {
    return NOW_TICK * this.#layout.sequenceCount;
  }

  /** At a tick, or between two, from NOW_TICK on. `[lane, start, end]`, the wait in ms, or `fenced`. */
  at(tick: number, count = Number.POSITIVE_INFINITY, random = 0): number[] | number | "fenced" {
    const { epochMs, tickMs } = this.#layout;
    const nowMs = epochMs + (NOW_TICK + tick) * tickMs;
    const request = { nowMs, count, random };
    const outcome: Run = nextRun(this.#layout, this.#policy, this.#state, this.#end, request);
    this.#state = outcome.state;
    if (outcome.kind === "run") {
      const { lane, start, end } = outcome.run;
      return [lane, start - this.#from, end - this.#from];
    }
    return outcome.kind === "wait" ? outcome.waitMs : "fenced";
  }
}

describe("a run", () => {
  it("F3 is all that is open in the clock's tick, or as many as requested", () => {
    const line = new Table();
    expect(line.at(0, 1)).toEqual([0, 0, 1]);
    expect(line.at(0)).toEqual([0, 1, 4]);
    expect(line.at(2)).toEqual([0, 8, 12]);
  });

  it("F3 ends with its tick, even if the line may lead", () => {
    const line = new Table({ policy: { maxBorrowMs: 2 } });
    expect(line.at(0, 3)).toEqual([0, 0, 3]);
    expect(line.at(0)).toEqual([0, 3, 4]);
    expect(line.at(0)).toEqual([0, 4, 8]);
    expect(line.at(0)).toEqual([0, 8, 12]);
    expect(line.at(0)).toBe(1);
  });

  it("F2 begins at the line's begin if the clock is before it", () => {
    const line = new Table({ begin: 6, policy: { maxStepBackMs: 5 } });
    expect(line.at(-3)).toEqual([0, 6, 8]);
    expect(line.at(0)).toEqual([0, 8, 12]);
  });

  it("starts a fresh tick at random if the policy says so", () => {
    const line = new Table({ policy: { randomStart: 4 } });
    expect(line.at(0, 10, 0.99)).toEqual([0, 3, 4]);
    expect(line.at(0, 10, 0)).toBe(1);
    expect(line.at(1, 1, 0.5)).toEqual([0, 6, 7]);
    expect(line.at(1, 10, 0)).toEqual([0, 7, 8]);
  });
});

describe("F1 the fence", () => {
  it("ends the line in the middle of a tick", () => {
    const line = new Table({ end: 6 });
    expect(line.at(1)).toEqual([0, 4, 6]);
    expect(line.at(1)).toBe("fenced");
  });

  it("applies at its last tick, even if the line may lead", () => {
    const line = new Table({ end: 8, policy: { maxBorrowMs: 1000 } });
    expect([line.at(0), line.at(0), line.at(0)]).toEqual([[0, 0, 4], [0, 4, 8], "fenced"]);
  });

  it.each([
    ["at its end", 2],
    ["past its end, as after a pause of an hour", HOUR_MS],
    ["past the layout's time", 2 ** 41],
  ])("a clock %s is fenced", (_, tick) => {
    expect(new Table({ end: 8 }).at(tick)).toBe("fenced");
  });

  it("a random start past its end is fenced, and takes no position", () => {
    const line = new Table({ end: 2, policy: { randomStart: 4 } });
    expect(line.at(0, 1, 0.99)).toBe("fenced");
    expect(line.at(0, 9, 0)).toEqual([0, 0, 2]);
  });

  it("an empty one is fenced at once", () => {
    expect(new Table({ begin: 4, end: 4 }).at(0)).toBe("fenced");
    expect(new Table({ begin: 4, end: 3 }).at(0)).toBe("fenced");
  });

  it("bounds each lane", () => {
    const spec: Partial<LayoutSpec> = { laneBits: 1 };
    const line = new Table({ spec, end: 6, policy: { maxBorrowMs: 5 } });
    const runs = [line.at(0), line.at(0), line.at(0), line.at(0), line.at(1)];
    expect(runs).toEqual([[0, 0, 4], [1, 0, 4], [1, 4, 6], 1, [0, 4, 6]]);
    expect(line.at(1)).toBe("fenced");
  });
});

describe("F4 a wait", () => {
  it("is until the tick that opens, from within this one", () => {
    const line = new Table({ spec: { tickMs: 1000 } });
    expect(line.at(0)).toEqual([0, 0, 4]);
    expect(line.at(0.25)).toBe(750);
    expect(line.at(0.999)).toBe(1);
  });

  it("is as long as the clock is behind if no step back is forgiven", () => {
    expect(new Table({ begin: 4 * HOUR_MS, end: 5 * HOUR_MS }).at(0)).toBe(HOUR_MS);
  });

  it("is the part of the clock's lag that is not forgiven", () => {
    const policy = { maxStepBackMs: HOUR_MS - 10 };
    expect(new Table({ begin: 4 * HOUR_MS, end: 5 * HOUR_MS, policy }).at(0)).toBe(10);
  });

  it("is the wait of the lane that opens first", () => {
    const policy = { maxBorrowMs: 3 };
    const line = new Table({ spec: { laneBits: 1 }, policy });
    for (let runs = 0; runs < 5; runs += 1) expect(line.at(0)).toBeInstanceOf(Array);
    expect(line.at(0)).toBe(1);
  });

  it("with lanes for a clock that went back: the first lane waits if it is used up", () => {
    const line = new Table({ spec: { laneBits: 2, laneUse: "back" } });
    expect(line.at(5)).toEqual([0, 20, 24]);
    expect(line.at(5)).toBe(1);
    expect(line.at(4)).toEqual([1, 16, 20]);
    expect(line.at(3)).toEqual([2, 12, 16]);
    expect(line.at(2)).toEqual([3, 8, 12]);
    expect(line.at(1)).toBe(2);
    // By then the third lane is the clock's, and used up.
    expect(line.at(3)).toBe(1);
    expect(line.at(2)).toBe(1);
    expect(line.at(7)).toEqual([0, 28, 32]);
  });

  it("is for another lane if the last one has led up to the fence", () => {
    const line = new Table({
      spec: { laneBits: 1, laneUse: "back" },
      policy: { maxBorrowMs: 10 },
      begin: 6 * 4,
      end: 7 * 4,
    });
    expect(line.at(4)).toEqual([1, 24, 28]);
    expect(line.at(4)).toBe(2);
    expect(line.at(6)).toEqual([0, 24, 28]);
    expect(line.at(6)).toBe("fenced");
  });
});

const specs: fc.Arbitrary<{ layout: Layout; policy: Policy }> = fc.oneof(
  fc.constantFrom(...PRESETS.values()),
  fc
    .record({
      timestampBits: fc.integer({ min: 30, max: 41 }),
      datacenterBits: fc.integer({ min: 0, max: 1 }),
      workerBits: fc.integer({ min: 1, max: 6 }),
      laneBits: fc.integer({ min: 0, max: 2 }),
      sequenceBits: fc.integer({ min: 0, max: 6 }),
      epochMs: fc.constant(EPOCH_MS),
      tickMs: fc.constantFrom(1, 10, 1000),
      laneUse: fc.constantFrom("always" as const, "back" as const),
    })
    .chain((spec) => {
      const layout = layoutOf(spec);
      return fc.record({
        layout: fc.constant(layout),
        policy: fc.record({
          maxStepBackMs: fc.constantFrom(0, 3, 5000, HOUR_MS),
          maxBorrowMs: fc.constantFrom(0, 1, 1000, 3000),
          maxWaitMs: fc.constant(100),
          randomStart: fc.integer({ min: 0, max: layout.sequenceCount }),
          reserveMs: fc.constant(1000),
        }),
      });
    }),
);

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ clockMs: fc.integer({ min: 0, max: 20 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        clockMs: fc.constantFrom(-1, -7, -1000, -HOUR_MS, 1000, 60_000, HOUR_MS, YEAR_MS, -YEAR_MS),
      }),
    },
    { weight: 1, arbitrary: fc.record({ raiseTicks: fc.integer({ min: 0, max: 5000 }) }) },
    {
      weight: 8,
      arbitrary: fc.record({
        count: fc.oneof(fc.constantFrom(1, 3, 64, 70_000, Number.POSITIVE_INFINITY)),
        random: fc.constantFrom(0, 0.5, 0.999999),
      }),
    },
  ),
  { maxLength: 80 },
);

describe("the fenced line under random clocks, counts and fences", () => {
  it("F1 F2 F3 F4 hold on presets and other layouts", () => {
    const fence = fc.record({
      /** The fence against the clock, in ticks; `part` of its first tick is before it. */
      aheadTicks: fc.constantFrom(-5, 0, 0, 1, 3000, HOUR_MS),
      lastsTicks: fc.constantFrom(0, 1, 5, 5000, HOUR_MS),
      part: fc.constantFrom(0, 0, 0.4),
    });
    let granted = 0;
    fc.assert(
      fc.property(specs, fence, steps, ({ layout, policy }, given, script) => {
        const startMs = layout.epochMs + Math.min(YEAR_MS, (layout.tickCount * layout.tickMs) / 2);
        const checker = new FencedLineChecker(layout, policy, startMs, given);
        for (const one of script) {
          if ("clockMs" in one) checker.moveClock(one.clockMs);
          else if ("raiseTicks" in one) checker.raise(one.raiseTicks);
          else granted += checker.ask(one.count, one.random);
        }
      }),
      { numRuns: RUNS },
    );
    expect(granted).toBeGreaterThan(RUNS);
  });
});
