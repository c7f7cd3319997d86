import { describe, expect, it } from "vitest";
import type { StockUse } from "../../../src/core/blocks/block-buffer.ts";
import { SEGMENT_STEP_MAX } from "../../../src/core/limits.ts";
import { SEGMENT_LASTS_MS, SegmentDemand } from "../../../src/core/segment/segment-demand.ts";

const NOW_MS = 1_800_000_000_000;
const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 86_400_000;

/** One fetch after the other, each so many ms after the one before, all answered: their steps. */
function stepsOf(demand: SegmentDemand, pausesMs: readonly number[]): number[] {
  let nowMs = NOW_MS;
  return pausesMs.map((pauseMs) => {
    nowMs += pauseMs;
    const step = demand.countAt(nowMs);
    demand.answered();
    return step;
  });
}

/** The next fetch, so many ms after two fetches, which leave a step of 1000, and some that double it. */
function stepAfter(pauseMs: number, doublings = 0, demand = new SegmentDemand(1000)): number {
  const steps = stepsOf(demand, [0, 0, ...Array.from({ length: doublings }, () => 0), pauseMs]);
  return steps.at(-1) ?? 0;
}

/** A demand whose last fetch, the second, took that step; its namespace's is another by now. */
function demandAt(step: number, namespaceStep: number): SegmentDemand {
  const demand = new SegmentDemand(step);
  stepsOf(demand, [0, 0]);
  demand.namespaceStep = namespaceStep;
  return demand;
}

function useOf(count: number, used: number): StockUse {
  return { count, used, ageMs: 1, freshForMs: Infinity };
}

describe("the length of the next segment", () => {
  it.each([0, 1, SEGMENT_LASTS_MS, 2 * SEGMENT_LASTS_MS, YEAR_MS, -YEAR_MS])(
    "the first two take the namespace's step, %d ms apart",
    (pauseMs) => {
      expect(stepsOf(new SegmentDemand(1000), [0, pauseMs])).toEqual([1000, 1000]);
    },
  );

  it("is that of 15 min of use", () => {
    expect(SEGMENT_LASTS_MS).toBe(15 * MINUTE_MS);
  });

  it.each([
    ["at once", 0, 8000],
    ["1 ms short of 15 min", 15 * MINUTE_MS - 1, 8000],
    ["just 15 min", 15 * MINUTE_MS, 4000],
    ["15 min and 1 ms", 15 * MINUTE_MS + 1, 4000],
    ["1 ms short of 30 min", 30 * MINUTE_MS - 1, 4000],
    ["just 30 min", 30 * MINUTE_MS, 2000],
    ["30 min and 1 ms", 30 * MINUTE_MS + 1, 2000],
    ["a year", YEAR_MS, 2000],
    ["1 ms before: the clock went back", -1, 8000],
    ["a year before: the clock went back", -YEAR_MS, 8000],
  ])("%s after one of 4000", (_, pauseMs, step) => {
    expect(stepAfter(pauseMs, 2)).toBe(step);
  });

  it.each([
    [499_999, 999_998],
    [500_000, 1_000_000],
    [500_001, 500_001],
    [999_999, 999_999],
    [1_000_000, 1_000_000],
  ])("after one of %d doubles up to 1,000,000 only: %d", (last, step) => {
    expect(SEGMENT_STEP_MAX).toBe(1_000_000);
    expect(demandAt(last, 1).countAt(NOW_MS)).toBe(step);
  });

  it.each([
    ["half of 2000 is the namespace's step", 2000, 1000, 1000],
    ["half of 2001 is rounded down to the namespace's step", 2001, 1000, 1000],
    ["half of 1999 would be less", 1999, 1000, 1999],
    ["half of the namespace's step would be less", 1000, 1000, 1000],
    ["half of 3 is 1", 3, 1, 1],
    ["half of 1 would be none", 1, 1, 1],
    ["half of a step below the namespace's would be less", 500, 1000, 500],
  ])("%s", (_, last, namespaceStep, step) => {
    expect(demandAt(last, namespaceStep).countAt(NOW_MS + 30 * MINUTE_MS)).toBe(step);
  });

  it("doubles with load and halves without, between the namespace's step and 1,000,000", () => {
    const quick = Array.from({ length: 13 }, () => 1);
    const slow = Array.from({ length: 12 }, () => 30 * MINUTE_MS);
    const up = [1000, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000];
    const down = [256_000, 128_000, 64_000, 32_000, 16_000, 8000, 4000, 2000, 1000];
    expect(stepsOf(new SegmentDemand(1000), [...quick, ...slow])).toEqual([
      ...up,
      512_000,
      512_000,
      ...down,
      1000,
      1000,
      1000,
    ]);
  });

  it("uses the namespace's current step", () => {
    const demand = new SegmentDemand(1000);
    stepsOf(demand, [0]);
    demand.namespaceStep = 300;
    expect(stepsOf(demand, [0, 30 * MINUTE_MS])).toEqual([300, 300]);
    demand.namespaceStep = 100;
    expect(demand.countAt(NOW_MS + 60 * MINUTE_MS)).toBe(150);
  });

  it("counts only answered fetches, from their request on", () => {
    const demand = new SegmentDemand(1000);
    const unanswered = [0, 1, 2].map((ms) => demand.countAt(NOW_MS + ms));
    expect(unanswered).toEqual([1000, 1000, 1000]);
    expect(stepsOf(demand, [0, 0])).toEqual([1000, 1000]);
    // Tried at 10 min, answered at last when tried at 20 min: the step is that of 20 min.
    expect(demand.countAt(NOW_MS + 10 * MINUTE_MS)).toBe(2000);
    expect(demand.countAt(NOW_MS + 20 * MINUTE_MS)).toBe(1000);
    demand.answered();
    expect(demand.countAt(NOW_MS + 35 * MINUTE_MS - 1)).toBe(2000);
    expect(demand.countAt(NOW_MS + 35 * MINUTE_MS)).toBe(1000);
  });

  it("does not depend on misses and used-up segments", () => {
    const demand = new SegmentDemand(1000);
    for (let times = 0; times < 9; times += 1) {
      demand.missed();
      demand.ended();
    }
    expect(stepsOf(demand, [0, 0, 0])).toEqual([1000, 1000, 2000]);
  });
});

describe("the time of the next fetch", () => {
  it.each([
    [1000, 1, false],
    [1000, 99, false],
    [1000, 100, false],
    [1000, 101, true],
    [1000, 1000, true],
    [1_000_000, 100_000, false],
    [1_000_000, 100_001, true],
    [10, 1, false],
    [10, 2, true],
    [15, 1, false],
    [15, 2, true],
    [9, 1, true],
    [1, 1, true],
    [1000, 0, false],
  ])("of %d numbers, %d used are more than a tenth: %s", (count, used, isDue) => {
    expect(new SegmentDemand(1000).isDue(useOf(count, used))).toBe(isDue);
  });
});
