import { describe, expect, it } from "vitest";
import { BlockBuffer } from "../../../src/core/blocks/block-buffer.ts";
import { FRESH_COUNT_FIRST, FreshDemand } from "../../../src/core/blocks/fresh-demand.ts";
import { costOfDemand, DEMAND_SHAPES } from "../../support/models/demand-loads.ts";
import { simulateHolder } from "../../support/models/holder-simulator.ts";

const NOW_MS = 1_800_000_000_000;
const FRESH_MS = 250;
const MINUTE_MS = 60_000;

function demandFor(...roundTripsMs: number[]): FreshDemand {
  const demand = new FreshDemand();
  for (const roundTripMs of roundTripsMs) demand.answered(roundTripMs);
  return demand;
}

/** The size of a prefetch after each of these misses, in ms from now. */
function countsOfMisses(
  missesMs: readonly number[],
  demand = demandFor(),
  freshForMs = FRESH_MS,
): number[] {
  return missesMs.map((missMs) => {
    demand.missed();
    return demand.countAt(NOW_MS + missMs, 0, freshForMs);
  });
}

/** Misses of one a ms. */
const STEADY_MS = Array.from({ length: FRESH_MS + 1 }, (_, ms) => ms);

describe("the size of a prefetch", () => {
  it.each([
    ["P1 nobody", [], 0],
    ["P1 a lone request", [0], 0],
    ["P1 a request now and then", [0, FRESH_MS + 1, 1000, MINUTE_MS], 0],
    ["P4 two at once", [0, 0], FRESH_COUNT_FIRST],
    ["P4 two in a row", [0, FRESH_MS], 3],
    ["P4 two in a row after a pause", [0, 2001, 2002], FRESH_COUNT_FIRST],
    [
      "P1 many long ago and two now",
      [...Array<number>(100).fill(0), 2001, 2002],
      FRESH_COUNT_FIRST,
    ],
    ["P1 two from both sides of a clock that went back", [0, -1], 0],
    ["P4 two after a clock that went back", [0, -1000, -999], FRESH_COUNT_FIRST],
  ])("%s that found nothing in memory", (_, missesMs, count) => {
    expect(countsOfMisses(missesMs).at(-1) ?? 0).toBe(count);
  });

  it("P1 expects a part of the demand before a pause, from the second request on", () => {
    const counts = countsOfMisses([...Array<number>(100).fill(0), 1500, 1501]);
    const [before = 0, lone = 0, next = 0] = counts.slice(-3);
    expect(lone).toBe(0);
    expect(next).toBeGreaterThan(FRESH_COUNT_FIRST);
    expect(next).toBeLessThan(before / 4);
  });

  it.each([10, 100, 1000])(
    "P4 %d at once cause a prefetch of hardly more than twice that",
    (many) => {
      const count = countsOfMisses(Array<number>(many).fill(0)).at(-1);
      expect(count).toBeGreaterThanOrEqual(2 * many);
      expect(count).toBeLessThanOrEqual(2 * many + Math.sqrt(many));
    },
  );

  it.each([5, 20, 50, 100, 150])(
    "P2 is the demand of freshForMs less the round trip of %d ms, and a margin",
    (roundTripMs) => {
      const wanted = FRESH_MS - roundTripMs;
      const count = countsOfMisses(STEADY_MS, demandFor(roundTripMs)).at(-1);
      expect(count).toBeGreaterThan(wanted);
      expect(count).toBeLessThan(wanted + 1.1 * Math.sqrt(wanted));
    },
  );

  it("P2 counts the IDs used of a stock in use and of stocks before", () => {
    const [missed, used, inUse] = [demandFor(), demandFor(), demandFor()];
    countsOfMisses([0, 0, ...Array<number>(100).fill(0)], missed);
    for (const demand of [used, inUse]) countsOfMisses([0, 0], demand);
    used.ended(100);
    const counts = [missed, used].map((demand) => demand.countAt(NOW_MS + 1, 0, FRESH_MS));
    counts.push(inUse.countAt(NOW_MS + 1, 100, FRESH_MS));
    expect(new Set(counts).size).toBe(1);
    // Those that were counted while the stock was in use do not count again after it.
    inUse.ended(100);
    expect(inUse.countAt(NOW_MS + 1, 0, FRESH_MS)).toBe(counts[0]);
  });

  it("a round trip longer than freshForMs does not end prefetching: the next may be quick", () => {
    expect(countsOfMisses(STEADY_MS, demandFor(10_000)).at(-1)).toBeGreaterThan(0);
  });

  it("prefetches nothing if IDs are never fresh", () => {
    expect(countsOfMisses([0, 0, 0, 0], demandFor(), 0)).toEqual([0, 0, 0, 0]);
  });
});

describe("the time of a prefetch", () => {
  /** The least age for a prefetch, if nothing of the newest stock is used. */
  function dueMs(demand: FreshDemand): number {
    const use = { count: Infinity, used: 0, freshForMs: FRESH_MS };
    return STEADY_MS.find((ageMs) => demand.isDue({ ...use, ageMs })) ?? Infinity;
  }

  it.each([0, 1, 5, 40, 100, 150])(
    "P3 is a round trip of %d ms before the newest stock expires, and some ms earlier",
    (roundTripMs) => {
      const left = FRESH_MS - dueMs(demandFor(roundTripMs));
      expect(left).toBeGreaterThan(roundTripMs);
      expect(left).toBeLessThanOrEqual(roundTripMs + 10);
    },
  );

  it("P3 follows slow responses for some time, and then fast ones again", () => {
    const quick = Array<number>(10).fill(1);
    expect(dueMs(demandFor(40, 1))).toBeLessThan(dueMs(demandFor(1)));
    expect(dueMs(demandFor(40, ...quick))).toBe(dueMs(demandFor(1)));
    expect(dueMs(demandFor(-1000))).toBe(dueMs(demandFor()));
  });

  it.each([
    ["lasts longer than a round trip", 800, false],
    ["lasts hardly a round trip", 980, true],
    ["is nothing", 1000, true],
  ])("P3 or before the stock is used up: the rest %s", (_, used, isDue) => {
    const demand = demandFor(20);
    countsOfMisses(STEADY_MS, demand);
    expect(demand.isDue({ count: 1000, used, ageMs: 100, freshForMs: FRESH_MS })).toBe(isDue);
  });
});

describe("requests at random times", () => {
  const RATES = [20, 50, 100, 500, 2000, 5000] as const;
  const ROUND_TRIPS_MS = [5, 20, 50, 100, 150] as const;

  it.each(DEMAND_SHAPES)(
    "P3 that are %s cost at most twice the least calls, and never more than one each",
    (shape) => {
      for (const perSecond of RATES) {
        for (const roundTripMs of ROUND_TRIPS_MS) {
          const requests = Math.max(3000, 2 * perSecond);
          const load = { shape, perSecond, roundTripMs, requests, seed: 1 };
          const { calls, leastCalls, prefetched } = costOfDemand(load);
          const at = `${perSecond}/s, ${roundTripMs} ms`;
          expect(calls, at).toBeLessThanOrEqual(Math.min(1, 2 * leastCalls));
          if (shape !== "steady" || perSecond < 100) continue;
          expect(prefetched, `P2 ${at}`).toBeLessThanOrEqual(1.3);
        }
      }
    },
  );
});

function simulate(totalMs: number, roundTripMs: number, asked: (ms: number) => number) {
  return simulateHolder(demandFor(), FRESH_MS, { totalMs, roundTripMs, asked });
}

describe("an isolate under load", () => {
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

  it.each([100, 300, 500])(
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
      if (!buffer.advance(nowMs)) buffer.missed();
      return buffer.plan(nowMs, 1000);
    };
    ask(NOW_MS);
    const fetch = ask(NOW_MS);
    if (!fetch) throw new Error("no fetch is planned");
    const blocks = [{ first: 1n, count: FRESH_COUNT_FIRST }];
    const stock = { blocks, shard: 0, askedAtMs: NOW_MS };
    expect(buffer.fill(fetch, stock, NOW_MS)).toBe(true);
    // Its stock is used up, and the fetch that was to follow never answers.
    for (let left = FRESH_COUNT_FIRST + 1; left > 0; left -= 1) ask(NOW_MS);
    expect(ask(NOW_MS + 60 * MINUTE_MS)).toBeUndefined();
  });

  it("an isolate without requests fetches nothing", () => {
    expect(simulate(20_000, 5, () => 0)).toMatchObject({ served: 0, missed: 0, fetches: [] });
    const buffer = new BlockBuffer(demandFor());
    for (let ms = 0; ms < 2000; ms += 1) expect(buffer.plan(NOW_MS + ms, 1000)).toBeUndefined();
  });
});
