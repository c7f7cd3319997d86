import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BlockBuffer, type StockUse } from "../../../src/core/blocks/block-buffer.ts";
import { FRESH_COUNT_MIN, FreshDemand } from "../../../src/core/blocks/fresh-demand.ts";
import { simulateHolder } from "../../support/models/holder-simulator.ts";

const NOW_MS = 1_800_000_000_000;
const FRESH_MS = 250;
const MINUTE_MS = 60_000;

function demandFor(...roundTripsMs: number[]): FreshDemand {
  const demand = new FreshDemand(FRESH_MS);
  for (const roundTripMs of roundTripsMs) demand.answered(roundTripMs);
  return demand;
}

/** A stock of 1000, used up while it was fresh, unless said otherwise. */
function useOf(change: Partial<StockUse>): StockUse {
  return { count: 1000, used: 1000, servedMs: 125, ageMs: 125, freshForMs: FRESH_MS, ...change };
}

/** The size of the next prefetch, after stocks with these uses. */
function countAfter(uses: readonly Partial<StockUse>[], demand = demandFor()): number {
  for (const use of uses) demand.ended(useOf(use), NOW_MS);
  return demand.countAt(NOW_MS);
}

/** The size of a prefetch after each of these misses, in ms from now. */
function countsOfMisses(demand: FreshDemand, missesMs: readonly number[]): number[] {
  return missesMs.map((missMs) => {
    demand.missed(NOW_MS + missMs);
    return demand.countAt(NOW_MS + missMs);
  });
}

const anyUse: fc.Arbitrary<StockUse> = fc
  .record({
    count: fc.integer({ min: 1, max: 100_000 }),
    usedPart: fc.double({ min: 0, max: 1, noNaN: true }),
    servedMs: fc.nat(500),
    ageMs: fc.integer({ min: -100, max: 1000 }),
    freshForMs: fc.constantFrom(0, 1, 20, FRESH_MS, MINUTE_MS),
  })
  .map(({ usedPart, ...use }) => ({ ...use, used: Math.round(use.count * usedPart) }));

const anyRoundTrips = fc.array(fc.integer({ min: -100, max: 2000 }), { maxLength: 4 });

describe("the size of a prefetch", () => {
  it.each([
    ["nobody", [], 0],
    ["a lone request", [0], 0],
    ["a request now and then", [0, FRESH_MS + 1, 1000, MINUTE_MS], 0],
    ["two at once", [0, 0], FRESH_COUNT_MIN],
    ["two in a row", [0, FRESH_MS], FRESH_COUNT_MIN],
    ["two in a row after a pause", [0, 1000, 1001], FRESH_COUNT_MIN],
    ["many in a row", [0, 10, 20, 30, 40, 50], 6],
    ["many at once", Array<number>(100).fill(0), 100],
    ["many long ago and two now", [...Array<number>(100).fill(0), 1000, 1001], FRESH_COUNT_MIN],
    ["two from both sides of a clock that went back", [0, -1], 0],
    ["two after a clock that went back", [0, -1000, -999], FRESH_COUNT_MIN],
  ])("after %s that found nothing in memory", (_, missesMs, count) => {
    expect(countsOfMisses(demandFor(), missesMs).at(-1) ?? 0).toBe(count);
  });

  it("misses are forgotten after freshForMs, even without another miss", () => {
    const demand = demandFor();
    countsOfMisses(demand, [0, 0]);
    expect(demand.countAt(NOW_MS + FRESH_MS)).toBe(FRESH_COUNT_MIN);
    expect(demand.countAt(NOW_MS + FRESH_MS + 1)).toBe(0);
  });

  it("misses count by their number, whatever the last stocks were", () => {
    const demand = demandFor();
    const before = countAfter([{ count: 10, used: 10, servedMs: 240, ageMs: 251 }], demand);
    countsOfMisses(demand, Array<number>(64).fill(0));
    expect(demand.countAt(NOW_MS)).toBe(64);
    expect(demand.countAt(NOW_MS + FRESH_MS + 1)).toBe(before);
  });

  it("at most doubles, is 0 or at least a stock's minimum, and grows only after a stock is used up", () => {
    fc.assert(
      fc.property(anyUse, anyRoundTrips, (use, roundTripsMs) => {
        const count = countAfter([use], demandFor(...roundTripsMs));
        expect(Number.isInteger(count)).toBe(true);
        expect(count).toBeLessThanOrEqual(use.used < use.count ? use.count : 2 * use.count);
        expect(count === 0 || count >= FRESH_COUNT_MIN).toBe(true);
        if (use.ageMs < 0) expect(count, "a clock that went back says nothing").toBe(0);
        // Quick answers: more were used up early, fewer were left over.
        const quick = countAfter([{ ...use, freshForMs: FRESH_MS, ageMs: 5, servedMs: 1 }]);
        if (use.used === use.count && use.count >= FRESH_COUNT_MIN) {
          expect(quick).toBe(2 * use.count);
        }
        if (use.used === 0) expect(quick).toBeLessThanOrEqual(Math.ceil(use.count / 2));
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, Partial<StockUse>, least: number, most: number]>([
    ["used up when it got too old: about as many", { servedMs: 240, ageMs: 251 }, 900, 1100],
    [
      "used in part: about as many as were used",
      { used: 600, servedMs: 240, ageMs: 251 },
      550,
      650,
    ],
    ["used in part of its time: by its rate", { used: 600, servedMs: 200, ageMs: 251 }, 700, 800],
    ["used by a few: half", { used: 3, servedMs: 240, ageMs: 251 }, 500, 500],
    [
      "hardly worth it, too late anyway: none",
      { count: 4, used: 4, ageMs: 0, freshForMs: 1 },
      0,
      0,
    ],
  ])("after a stock %s", (_, use, least, most) => {
    const count = countAfter([use]);
    expect(count).toBeGreaterThanOrEqual(least);
    expect(count).toBeLessThanOrEqual(most);
  });

  it("a used-up stock doubles the largest so far, even if it was requested earlier", () => {
    const used = { count: 16, used: 16, servedMs: 1, ageMs: 5 };
    expect(countAfter([used, used])).toBe(64);
  });

  it("stocks that nobody uses are few, and no larger than the demand before", () => {
    const demand = demandFor();
    const wanted = countAfter([{}], demand);
    let [stocks, unused] = [0, 0];
    for (let count = wanted; count > 0 && stocks < wanted; ) {
      stocks += 1;
      unused += count;
      count = countAfter([{ count, used: 0, servedMs: 0, ageMs: FRESH_MS }], demand);
    }
    expect(stocks).toBeLessThanOrEqual(Math.log2(wanted));
    expect(unused).toBeLessThan(2 * wanted);
  });

  it("slow round trips leave less time to use a stock", () => {
    const use = { count: 3600, used: 3000, servedMs: 200, ageMs: 251 };
    const counts = [0, 40, 100, FRESH_MS, 10_000].map((ms) => countAfter([use], demandFor(ms)));
    expect(counts).toEqual(counts.toSorted((one, other) => other - one));
    expect(new Set(counts).size).toBe(4);
    expect(counts.slice(-2)).toEqual([0, 0]);
  });
});

describe("after a silence", () => {
  /** Of a stock used up, and then of these misses, as parts of what it would have been without them. */
  function partsOf(missesMs: readonly number[]): number[] {
    const demand = demandFor();
    const wanted = countAfter([{}], demand);
    return countsOfMisses(demand, missesMs).map((count) => count / wanted);
  }

  it.each<[string, number[], number[]]>([
    ["at once", [0], [1]],
    ["no longer than freshForMs", [FRESH_MS], [1]],
    ["none, as requests came now and again", [200, 400, 600], [1, 1, 1]],
    ["longer than that", [FRESH_MS + 1, FRESH_MS + 2], [0, 0.5]],
    ["longer than that, once requests had come", [200, 451, 452], [1, 0, 0.5]],
  ])("earlier demand counts: %s", (_, missesMs, parts) => {
    expect(partsOf(missesMs)).toEqual(parts);
  });

  it.each([
    ["a long one", [MINUTE_MS, MINUTE_MS + 1]],
    ["a clock that went back", [-1, 0]],
    ["a short one and then a long one", [500, MINUTE_MS, MINUTE_MS + 1]],
  ])("earlier demand does not count: %s", (_, missesMs) => {
    const demand = demandFor();
    countAfter([{}], demand);
    expect(countsOfMisses(demand, missesMs).slice(-2)).toEqual([0, FRESH_COUNT_MIN]);
  });

  it("the demand that counts halves again if a stock of that size was not used up", () => {
    const demand = demandFor();
    countAfter([{}], demand);
    const [, first = 0] = countsOfMisses(demand, [500, 501]);
    demand.ended(useOf({ count: first, used: 0, servedMs: 240, ageMs: 251 }), NOW_MS + 752);
    expect(countsOfMisses(demand, [753, 754]).at(-1)).toBe(first / 2);
  });

  it.each<[string, number, number[]]>([
    ["just too old counts", FRESH_MS + 1, [1, 1]],
    ["too old for as long as it was fresh counts", 2 * FRESH_MS, [1, 1]],
    ["too old for longer counts by half, from the second miss on", 2 * FRESH_MS + 1, [0, 0.5]],
  ])("a stock that was found %s", (_, ageMs, parts) => {
    const use = { servedMs: 240, ageMs };
    const demand = demandFor();
    const wanted = countAfter([use], demand);
    expect(countsOfMisses(demand, [0, 0]).map((count) => count / wanted)).toEqual(parts);
  });

  it.each([MINUTE_MS, -1])("a stock that was found %d ms old ends it", (ageMs) => {
    const demand = demandFor();
    countAfter([{ servedMs: 240, ageMs }], demand);
    expect(countsOfMisses(demand, [0, 0])).toEqual([0, FRESH_COUNT_MIN]);
  });
});

describe("the time of a prefetch", () => {
  /** The least age for a prefetch, if almost nothing of the stock is used. */
  function dueMs(demand: FreshDemand): number {
    const ages = Array.from({ length: FRESH_MS + 1 }, (_, ageMs) => ageMs);
    return ages.find((ageMs) => demand.isDue(useOf({ used: 1, servedMs: 1, ageMs }))) ?? Infinity;
  }

  it.each([0, 1, 5, 40, 100])(
    "is a round trip of %d ms before the stock expires",
    (roundTripMs) => {
      const left = FRESH_MS - dueMs(demandFor(roundTripMs));
      expect(left).toBeGreaterThan(roundTripMs);
      expect(left).toBeLessThanOrEqual(Math.max(20, 1.5 * roundTripMs));
    },
  );

  it("follows slow responses for some time, and then fast ones again", () => {
    const quick = Array<number>(8).fill(1);
    expect(dueMs(demandFor(40, 1))).toBeLessThan(dueMs(demandFor(1)));
    expect(dueMs(demandFor(40, ...quick))).toBe(dueMs(demandFor(1)));
    expect(dueMs(demandFor(-1000))).toBe(dueMs(demandFor()));
  });

  it.each<[string, Partial<StockUse>, boolean]>([
    ["what is left lasts much longer than a round trip", { used: 800, servedMs: 100 }, false],
    ["what is left lasts hardly a round trip", { used: 990, servedMs: 100 }, true],
    ["nothing is left", { used: 1000, servedMs: 200, ageMs: 200 }, true],
    ["half of it went at once", { used: 500, servedMs: 0, ageMs: 5 }, true],
  ])("or before the stock is used up: %s", (_, use, isDue) => {
    expect(demandFor().isDue(useOf(use))).toBe(isDue);
  });

  it("is never before half of the stock or half of its time is used, and always at its end", () => {
    fc.assert(
      fc.property(anyUse, anyRoundTrips, (use, roundTripsMs) => {
        const isDue = demandFor(...roundTripsMs).isDue(use);
        if (use.used * 2 < use.count && use.ageMs * 2 < use.freshForMs) expect(isDue).toBe(false);
        if (use.ageMs >= use.freshForMs || use.used === use.count) expect(isDue).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

function simulate(totalMs: number, roundTripMs: number, asked: (ms: number) => number) {
  return simulateHolder(demandFor(), FRESH_MS, { totalMs, roundTripMs, asked });
}

describe("an isolate under load", () => {
  it.each([
    [1, 5],
    [4, 5],
    [15, 5],
    [15, 40],
    [15, 100],
    [60, 5],
  ])(
    "%d requests a ms, a round trip of %d ms: few IDs are unused, few requests miss, sizes settle",
    (perMs, awayMs) => {
      const { served, missed, prefetched, fetches } = simulate(20_000, awayMs, () => perMs);
      expect(served + missed).toBe(20_000 * perMs);
      expect(prefetched / served).toBeLessThanOrEqual(1.1);
      expect(missed / (served + missed)).toBeLessThan(0.02);
      // About one in freshForMs less the round trip, whatever the load, and some to find the size.
      expect(fetches.length).toBeLessThan((1.2 * 20_000) / (FRESH_MS - 1.25 * awayMs) + 20);
      const settled = fetches.slice(-10);
      expect(Math.max(...settled) / Math.min(...settled)).toBeLessThan(1.1);
    },
  );

  it("repeated demand begins small, at most doubles, and finds its size in a few fetches", () => {
    const { fetches, missed } = simulate(2000, 5, () => 15);
    expect(fetches[0]).toBe(FRESH_COUNT_MIN);
    for (const [index, count] of fetches.entries()) {
      // Two fetches may be under way: the later one may be twice the earlier one.
      const before = Math.max(FRESH_COUNT_MIN, missed, ...fetches.slice(0, index));
      expect(count).toBeLessThanOrEqual(2 * before);
    }
    const settled = fetches.at(-1) ?? 0;
    expect(fetches.findIndex((count) => count >= settled / 2)).toBeLessThanOrEqual(8);
  });

  it.each([
    [100, 50, 500],
    [100, 50, 1100],
    [1000, 100, 500],
    [3000, 1000, 2000],
  ])(
    "bursts of %d in %d ms, one every %d ms: at most as many IDs are unused as used",
    (count, inMs, everyMs) => {
      const asked = (ms: number) => (ms % everyMs < inMs ? count / inMs : 0);
      const { served, missed, prefetched, requests } = simulate(30_000, 5, asked);
      expect(prefetched).toBeLessThanOrEqual(served + requests);
      expect(missed / requests).toBeLessThan(0.5);
    },
  );

  it("stocks shrink with the load", () => {
    const { fetches } = simulate(20_000, 5, (ms) => (ms < 5000 ? 15 : 3));
    expect(fetches.at(-1)).toBeLessThanOrEqual(3 * FRESH_MS);
  });

  it.each([100, 300, 600, 900])(
    "after a pause of %d ms, the stock's size recovers faster than it grew at first",
    (heldUpMs) => {
      const began = simulate(2000, 3, () => 10);
      const before = simulate(4000, 3, () => 10);
      const held = simulate(6000 + heldUpMs, 3, (ms) =>
        ms < 4000 || ms >= 4000 + heldUpMs ? 10 : 0,
      );
      expect(held.missed - before.missed).toBeLessThanOrEqual(began.missed);
      expect(held.fetches.length - before.fetches.length).toBeLessThan(began.fetches.length);
      expect(held.prefetched / held.served).toBeLessThanOrEqual(1.2);
    },
  );

  it.each([1000, 500, FRESH_MS + 1])("one request every %d ms causes no prefetch", (everyMs) => {
    const outcome = simulate(MINUTE_MS, 5, (ms) => (ms % everyMs === 0 ? 1 : 0));
    expect(outcome).toMatchObject({ served: 0, prefetched: 0, fetches: [] });
  });

  it.each([1000, 10_000])("a lone request %d ms after the load causes no prefetch", (pauseMs) => {
    const load = (ms: number) => (ms < 2000 ? 15 : 0);
    const before = simulate(2000 + pauseMs, 5, load);
    const after = simulate(2001 + pauseMs, 5, (ms) => (ms === 2000 + pauseMs ? 1 : load(ms)));
    expect(after.missed).toBe(before.missed + 1);
    expect(after.fetches).toEqual(before.fetches);
  });

  it("a lone request long after a failed fetch causes no prefetch", () => {
    const buffer = new BlockBuffer(demandFor(), FRESH_MS);
    const ask = (nowMs: number) => {
      if (!buffer.advance(nowMs)) buffer.missed(nowMs);
      return buffer.plan(nowMs, 1000);
    };
    ask(NOW_MS);
    const fetch = ask(NOW_MS);
    if (!fetch) throw new Error("no fetch is planned");
    const blocks = [{ first: 1n, count: FRESH_COUNT_MIN }];
    const stock = { blocks, shard: 0, askedAtMs: NOW_MS };
    expect(buffer.fill(fetch, stock, NOW_MS)).toBe(true);
    // Its stock is used up, and the fetch that was to follow never answers.
    for (let left = FRESH_COUNT_MIN + 1; left > 0; left -= 1) ask(NOW_MS);
    expect(ask(NOW_MS + 60 * MINUTE_MS)).toBeUndefined();
  });

  it("an isolate without requests fetches nothing", () => {
    expect(simulate(20_000, 5, () => 0)).toMatchObject({ served: 0, missed: 0, fetches: [] });
    const buffer = new BlockBuffer(demandFor());
    for (let ms = 0; ms < 2000; ms += 1) expect(buffer.plan(NOW_MS + ms, 1000)).toBeUndefined();
  });
});
