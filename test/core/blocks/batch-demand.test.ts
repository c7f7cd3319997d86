import { describe, expect, it } from "vitest";
import { BatchDemand } from "../../../src/core/blocks/batch-demand.ts";
import { FRESH_COUNT_FIRST } from "../../../src/core/blocks/fresh-demand.ts";
import { simulateHolder } from "../../support/models/holder-simulator.ts";

const NOW_MS = 1_800_000_000_000;
const FRESH_MS = 250;

/** The size of a prefetch after batches of these sizes that found nothing. */
function prefetched(counts: readonly number[], everyMs = 0, demand = new BatchDemand()): number {
  let count = 0;
  for (const [index, size] of counts.entries()) {
    demand.asked(size);
    demand.missed();
    count = demand.countAt(NOW_MS + index * everyMs, 0, FRESH_MS);
  }
  return count;
}

describe("the size of a prefetch for batches", () => {
  it.each([
    ["nobody", [], 0],
    ["a lone one", [10_000], 0],
    ["three at once", [10_000, 10_000, 10_000], 0],
    ["four at once", [10_000, 10_000, 10_000, 10_000], FRESH_COUNT_FIRST * 10_000],
    ["small ones", [2, 2, 2, 2], FRESH_COUNT_FIRST * 2],
  ])("after %s that found nothing in memory", (_, counts, count) => {
    expect(prefetched(counts)).toBe(count);
  });

  it("four misses further apart than freshForMs are no repeated demand", () => {
    expect(prefetched([10, 10, 10, 10], FRESH_MS)).toBe(0);
  });

  it("follows the usual size, an average of the last few dozen batches", () => {
    // So far apart that they count as many as make a stock, no more.
    const everyMs = FRESH_MS / 4;
    const [small, large] = [Array<number>(100).fill(100), Array<number>(100).fill(10_000)];
    expect(prefetched([100, 100, 100, 100, 10_000], everyMs)).toBeLessThan(
      FRESH_COUNT_FIRST * 2000,
    );
    expect(prefetched([...small, ...large], everyMs)).toBeGreaterThan(FRESH_COUNT_FIRST * 9900);
    expect(prefetched([...large, ...small], everyMs)).toBeLessThan(FRESH_COUNT_FIRST * 200);
  });

  it("a stock with less than a batch left is used up", () => {
    const demand = new BatchDemand();
    prefetched([10, 10, 10, 10], 0, demand);
    const use = { count: 1000, ageMs: 0, freshForMs: FRESH_MS };
    expect(demand.isDue({ ...use, used: 1000 - 9 })).toBe(true);
    expect(demand.isDue({ ...use, used: 500 })).toBe(false);
  });
});

function simulate(
  totalMs: number,
  roundTripMs: number,
  sizes: readonly number[],
  asked: (ms: number) => number,
) {
  return simulateHolder(new BatchDemand(), FRESH_MS, {
    totalMs,
    roundTripMs,
    sizes,
    asked,
  });
}

describe("an isolate under a load of batches", () => {
  it.each([
    ["1 a ms of 10,000", [10_000], 1, 5, 1.1],
    ["2 a ms of 10,000", [10_000], 2, 5, 1.1],
    ["2 a ms of 2", [2], 2, 5, 1.1],
    ["1 a ms of all sizes", [10, 10_000, 4000, 700, 2], 1, 5, 1.3],
    ["1 a ms of 2, now and then of 10,000", [...Array<number>(99).fill(2), 10_000], 1, 5, 1.3],
    ["1 a ms of 1,000, far away", [1000], 1, 40, 1.2],
  ])("%s: few IDs are unused, few requests miss", (_, sizes, perMs, roundTripMs, leftOver) => {
    const outcome = simulate(20_000, roundTripMs, sizes, () => perMs);
    const { served, requests, missed, prefetched, fetches } = outcome;
    expect(requests).toBe(20_000 * perMs);
    expect(missed / requests).toBeLessThan(0.04);
    expect(prefetched / served).toBeLessThanOrEqual(leftOver);
    expect(fetches.length / requests).toBeLessThan(0.04);
  });

  it.each([1000, 500, 200, 84])("one every %d ms costs one call each", (everyMs) => {
    const asked = (ms: number) => (ms % everyMs === 0 ? 1 : 0);
    const { served, fetches } = simulate(60_000, 5, [10_000], asked);
    expect([served, fetches]).toEqual([0, []]);
  });

  it.each([5, 40, 150])(
    "at any rate costs hardly more calls than there are batches, with a round trip of %d ms",
    (awayMs) => {
      for (const everyMs of [5, 20, 50, 60, 70, 80, 100, 150]) {
        const asked = (ms: number) => (ms % everyMs === 0 ? 1 : 0);
        const { requests, missed, fetches } = simulate(60_000, awayMs, [10_000], asked);
        expect((missed + fetches.length) / requests).toBeLessThan(1.1);
      }
    },
  );
});
