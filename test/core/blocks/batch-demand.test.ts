import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BatchDemand } from "../../../src/core/blocks/batch-demand.ts";
import type { StockUse } from "../../../src/core/blocks/block-buffer.ts";
import { FRESH_COUNT_MIN, FreshDemand } from "../../../src/core/blocks/fresh-demand.ts";
import { simulateHolder } from "../../support/models/holder-simulator.ts";

const NOW_MS = 1_800_000_000_000;
const FRESH_MS = 250;

/** A rule that has seen batches of these sizes that found nothing. */
function missedBy(counts: readonly number[], everyMs = 0): BatchDemand {
  const demand = new BatchDemand(FRESH_MS);
  for (const [index, count] of counts.entries()) {
    demand.asked(count);
    demand.missed(NOW_MS + index * everyMs);
  }
  return demand;
}

function useOf(change: Partial<StockUse>): StockUse {
  return { count: 40_000, used: 40_000, servedMs: 0, ageMs: 5, freshForMs: FRESH_MS, ...change };
}

describe("the size of a prefetch for batches", () => {
  it.each([
    ["nobody", [], 0],
    ["a lone one", [10_000], 0],
    ["three at once", [10_000, 10_000, 10_000], 0],
    ["four at once", [10_000, 10_000, 10_000, 10_000], FRESH_COUNT_MIN * 10_000],
    ["small ones", [2, 2, 2, 2], FRESH_COUNT_MIN * 2],
  ])("after %s that found nothing in memory", (_, counts, prefetched) => {
    expect(missedBy(counts).countAt(NOW_MS)).toBe(prefetched);
  });

  it("four misses further apart than freshForMs are no repeated demand", () => {
    expect(missedBy([10, 10, 10, 10], FRESH_MS).countAt(NOW_MS + 3 * FRESH_MS)).toBe(0);
  });

  it("misses are remembered for the freshForMs of their own namespace", () => {
    const demand = new BatchDemand(2 * FRESH_MS);
    for (const missMs of [0, 1, 2, FRESH_MS + 1]) {
      demand.asked(10);
      demand.missed(NOW_MS + missMs);
    }
    expect(demand.countAt(NOW_MS + FRESH_MS + 1)).toBe(FRESH_COUNT_MIN * 10);
  });

  it("follows the usual size, an average of the last few dozen batches", () => {
    // So far apart that they count as many as make a stock, no more.
    const prefetched = (counts: number[]) =>
      missedBy(counts, FRESH_MS / 3).countAt(NOW_MS + ((counts.length - 1) * FRESH_MS) / 3);
    expect(prefetched([100, 100, 100, 100, 10_000])).toBeLessThan(FRESH_COUNT_MIN * 1000);
    const grown = [...Array<number>(100).fill(100), ...Array<number>(100).fill(10_000)];
    expect(prefetched(grown)).toBeGreaterThan(FRESH_COUNT_MIN * 9900);
    expect(prefetched(grown.reverse())).toBeLessThan(FRESH_COUNT_MIN * 200);
  });

  it.each<[string, Partial<StockUse>, number]>([
    ["used up at once doubles", {}, 80_000],
    ["with less than a batch left doubles too", { used: 30_001 }, 80_000],
    ["that gave way to the next doubles", { used: 10_000, servedMs: 10 }, 80_000],
    [
      "with a batch left when it got too old stays",
      { used: 30_000, servedMs: 10, ageMs: 251 },
      40_000,
    ],
    ["with less than that left then doubles", { used: 30_001, servedMs: 10, ageMs: 251 }, 80_000],
    ["used by less than four ends it", { used: 30_000, servedMs: 240, ageMs: 251 }, 0],
    ["unused ends it", { used: 0 }, 0],
  ])("a stock %s", (_, change, prefetched) => {
    const demand = missedBy([10_000]);
    demand.ended(useOf(change), NOW_MS);
    expect(demand.countAt(NOW_MS)).toBe(prefetched);
  });

  it("batches of one ID follow the rule for single IDs", () => {
    // While it is fresh a stock of single IDs ends when it is used up.
    const anyUse = fc
      .record({
        count: fc.integer({ min: 4, max: 10_000 }),
        left: fc.nat(10_000),
        servedMs: fc.nat(300),
        ageMs: fc.nat(600),
      })
      .map(({ left, ...use }) => ({
        ...use,
        used: use.ageMs > FRESH_MS ? Math.max(0, use.count - left) : use.count,
        freshForMs: FRESH_MS,
      }));
    fc.assert(
      fc.property(anyUse, fc.nat(300), (use, roundTripMs) => {
        const [batches, singles] = [missedBy([1]), new FreshDemand(FRESH_MS)];
        for (const demand of [batches, singles]) {
          demand.answered(roundTripMs);
          demand.ended(use, NOW_MS);
        }
        expect(batches.countAt(NOW_MS)).toBe(singles.countAt(NOW_MS));
        expect(batches.isDue(use)).toBe(singles.isDue(use));
      }),
    );
  });
});

function simulate(
  totalMs: number,
  roundTripMs: number,
  sizes: readonly number[],
  asked: (ms: number) => number,
) {
  return simulateHolder(new BatchDemand(FRESH_MS), FRESH_MS, {
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
