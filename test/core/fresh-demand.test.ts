import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  BlockBuffer,
  type Fetch,
  type LeaseUse,
  type RefillRule,
} from "../../src/core/block-buffer.ts";
import { FRESH_COUNT_MIN, FreshDemand } from "../../src/core/fresh-demand.ts";

const NOW_MS = 1_800_000_000_000;
const FRESH_MS = 250;
/** Without a slow round trip a fetch is made that long before its lease is wanted. */
const LEAD_MS = 10;

function demandFor(...roundTripsMs: number[]): RefillRule {
  const demand = new FreshDemand(FRESH_MS);
  for (const roundTripMs of roundTripsMs) demand.answered(roundTripMs);
  return demand;
}

/** A lease of 1000 that served 500 in half of its time, unless said otherwise. */
function useOf(change: Partial<LeaseUse>): LeaseUse {
  return { count: 1000, used: 500, servedMs: 125, ageMs: 125, freshForMs: FRESH_MS, ...change };
}

/** What is leased next, after a lease that was used like that. */
function countAfter(change: Partial<LeaseUse>, demand = demandFor()): number {
  demand.ended(useOf(change), NOW_MS);
  return demand.countAt(NOW_MS);
}

describe("how much is leased ahead", () => {
  it.each([
    ["nobody", [], 0],
    ["a lone request", [0], 0],
    ["a request now and then", [0, FRESH_MS + 1, 1000, 60_000], 0],
    ["two at once", [0, 0], FRESH_COUNT_MIN],
    ["two in a row", [0, FRESH_MS], FRESH_COUNT_MIN],
    ["two in a row after a pause", [0, 1000, 1001], FRESH_COUNT_MIN],
    ["many in a row", [0, 10, 20, 30, 40, 50], 6],
    ["many at once", Array<number>(100).fill(0), 100],
    ["many long ago and two now", [...Array<number>(100).fill(0), 1000, 1001], FRESH_COUNT_MIN],
    ["two from both sides of a clock that went back", [0, -1], 0],
    ["two after a clock that went back", [0, -1000, -999], FRESH_COUNT_MIN],
  ])("for %s that found nothing", (_, missesMs, count) => {
    const demand = demandFor();
    for (const missMs of missesMs) demand.missed(NOW_MS + missMs);
    expect(demand.countAt(NOW_MS + (missesMs.at(-1) ?? 0))).toBe(count);
  });

  it.each<[string, Partial<LeaseUse>, number]>([
    ["used up at once doubles", { used: 1000, servedMs: 0, ageMs: 5 }, 2000],
    ["used up soon doubles", { used: 1000, servedMs: 100, ageMs: 110 }, 2000],
    ["used up when it got too old stays", { count: 960, used: 960, servedMs: 240 }, 960],
    ["used in part shrinks to its use", { used: 600, servedMs: 240, ageMs: 251 }, 600],
    ["used for a while counts by its rate", { used: 600, servedMs: 200, ageMs: 251 }, 720],
    ["used by a few halves", { used: 3, servedMs: 240, ageMs: 251 }, 500],
    [
      "hardly worth it and used by a few ends it",
      { count: 2 * FRESH_COUNT_MIN - 2, used: FRESH_COUNT_MIN - 1, servedMs: 240, ageMs: 251 },
      0,
    ],
    [
      "hardly worth it and used by a few more goes on",
      { count: 2 * FRESH_COUNT_MIN - 2, used: FRESH_COUNT_MIN, servedMs: 240, ageMs: 251 },
      FRESH_COUNT_MIN,
    ],
    [
      "of 1 ms used up at once ends it",
      { count: 4, used: 4, servedMs: 0, ageMs: 0, freshForMs: 1 },
      0,
    ],
    ["unused halves", { used: 0, servedMs: 0, ageMs: 251 }, 500],
    ["unused though in use halves", { used: 0, servedMs: 240, ageMs: 251 }, 500],
    [
      "of the least unused ends it",
      { count: FRESH_COUNT_MIN, used: 0, servedMs: 0, ageMs: 251 },
      0,
    ],
    [
      "not looked at for a while still counts",
      { used: 960, servedMs: 240, ageMs: 2 * FRESH_MS },
      960,
    ],
    ["from before the clock went back ends it", { used: 1000, servedMs: 0, ageMs: -1 }, 0],
  ])("a lease %s", (_, use, count) => {
    expect(countAfter(use)).toBe(count);
  });

  it("leases that nobody uses any more are few, and hold no more than was wanted before", () => {
    const demand = demandFor();
    demand.ended(useOf({ used: 1000 }), NOW_MS);
    const wanted = demand.countAt(NOW_MS);
    let [leases, unused] = [0, 0];
    for (let count = wanted; count > 0 && leases < wanted; count = demand.countAt(NOW_MS)) {
      leases += 1;
      unused += count;
      demand.ended({ count, used: 0, servedMs: 0, ageMs: FRESH_MS, freshForMs: FRESH_MS }, NOW_MS);
    }
    expect(leases).toBeLessThanOrEqual(Math.log2(wanted));
    expect(unused).toBeLessThan(2 * wanted);
  });

  it("misses count for as much as they are, whatever the leases until then", () => {
    const demand = demandFor();
    demand.ended(useOf({ count: 10, used: 10, servedMs: 240, ageMs: 251 }), NOW_MS);
    for (let missed = 0; missed < 64; missed += 1) demand.missed(NOW_MS);
    expect(demand.countAt(NOW_MS)).toBe(64);
    expect(demand.countAt(NOW_MS + FRESH_MS + 1)).toBe(10);
  });

  it("a lease used up doubles the largest until then, though it was asked for before", () => {
    const demand = demandFor();
    demand.ended(useOf({ count: 16, used: 16, servedMs: 1, ageMs: 5 }), NOW_MS);
    demand.ended(useOf({ count: 16, used: 16, servedMs: 1, ageMs: 5 }), NOW_MS);
    expect(demand.countAt(NOW_MS)).toBe(64);
  });

  it.each<[string, number[], number]>([
    ["at once", [0], 1920],
    ["in time", [FRESH_MS], 1920],
    ["now and again since", [200, 400, 600], 1920],
    ["after a silence", [FRESH_MS + 1], 0],
    ["now and again, then after a silence", [200, 451], 0],
    ["twice after a short silence", [FRESH_MS + 1, FRESH_MS + 2], 960],
    ["twice after a silence as long as is remembered", [1000, 1001], 960],
    ["twice after a longer silence", [1001, 1002], FRESH_COUNT_MIN],
    ["twice after the clock went back", [-1, 0], FRESH_COUNT_MIN],
    ["after the clock went back", [-1], 0],
  ])("a lease used up and missed %s counts as it should", (_, missesMs, count) => {
    const demand = demandFor();
    demand.ended(useOf({ used: 1000 }), NOW_MS);
    for (const missMs of missesMs) demand.missed(NOW_MS + missMs);
    expect(demand.countAt(NOW_MS + (missesMs.at(-1) ?? 0))).toBe(count);
  });

  it("what was remembered counts for one silence, not for the next", () => {
    const demand = demandFor();
    demand.ended(useOf({ used: 1000 }), NOW_MS);
    for (const missMs of [500, 10_000, 10_001]) demand.missed(NOW_MS + missMs);
    expect(demand.countAt(NOW_MS + 10_001)).toBe(FRESH_COUNT_MIN);
  });

  it("what was remembered halves once more where a lease of it was left over", () => {
    const demand = demandFor();
    demand.ended(useOf({ used: 1000 }), NOW_MS);
    for (const missMs of [500, 501]) demand.missed(NOW_MS + missMs);
    const unused = { count: 960, used: 0, servedMs: 240, ageMs: FRESH_MS + 1 };
    demand.ended(useOf(unused), NOW_MS + 752);
    for (const missMs of [753, 754]) demand.missed(NOW_MS + missMs);
    expect(demand.countAt(NOW_MS + 754)).toBe(480);
  });

  it.each<[string, number, number[]]>([
    ["just too old counts", FRESH_MS + 1, [960, 960]],
    ["too old for as long as it was fresh counts", 2 * FRESH_MS, [960, 960]],
    ["too old for longer counts by half, from the second miss on", 2 * FRESH_MS + 1, [0, 480]],
    ["too old for as long as is remembered does so too", 5 * FRESH_MS, [0, 480]],
    ["forgotten ends it", 5 * FRESH_MS + 1, [0, FRESH_COUNT_MIN]],
    ["from before the clock went back ends it", -1, [0, FRESH_COUNT_MIN]],
  ])("a lease that was found %s", (_, ageMs, counts) => {
    const demand = demandFor();
    demand.ended(useOf({ count: 960, used: 960, servedMs: 240, ageMs }), NOW_MS);
    const found = [NOW_MS, NOW_MS].map((missMs) => {
      demand.missed(missMs);
      return demand.countAt(missMs);
    });
    expect(found).toEqual(counts);
  });

  it("at most doubles, and is nothing or worth a lease", () => {
    fc.assert(
      fc.property(anyUse, anyRoundTrips, (use, roundTripsMs) => {
        const demand = demandFor(...roundTripsMs);
        demand.ended(use, NOW_MS);
        const count = demand.countAt(NOW_MS);
        expect(Number.isInteger(count)).toBe(true);
        expect(count).toBeLessThanOrEqual(2 * use.count);
        expect(count === 0 || count >= FRESH_COUNT_MIN).toBe(true);
      }),
    );
  });

  it("slow round trips leave less time to use a lease in", () => {
    const use = { count: 3600, used: 3000, servedMs: 200, ageMs: 251 };
    expect(countAfter(use)).toBe(15 * (FRESH_MS - LEAD_MS));
    expect(countAfter(use, demandFor(40))).toBe(15 * (FRESH_MS - 50));
    expect(countAfter(use, demandFor(100))).toBe(15 * (FRESH_MS - 125));
    expect(countAfter(use, demandFor(FRESH_MS))).toBe(0);
    expect(countAfter(use, demandFor(10_000))).toBe(0);
  });
});

describe("a lease that expired soon after it came into use", () => {
  it("does not make the next one larger", () => {
    const demand = new FreshDemand(FRESH_MS);
    demand.ended({ count: 4, used: 1, servedMs: 5, ageMs: 490, freshForMs: FRESH_MS }, 1000);
    expect(demand.countAt(1000)).toBe(4);
  });
});

describe("misses", () => {
  it("are forgotten after freshForMs, though no other comes", () => {
    const demand = new FreshDemand(FRESH_MS);
    demand.missed(1000);
    demand.missed(1000);
    expect(demand.countAt(1000 + FRESH_MS)).toBe(4);
    expect(demand.countAt(1001 + FRESH_MS)).toBe(0);
  });
});

const anyUse: fc.Arbitrary<LeaseUse> = fc
  .record({
    count: fc.integer({ min: 1, max: 100_000 }),
    usedPart: fc.double({ min: 0, max: 1, noNaN: true }),
    servedMs: fc.nat(500),
    ageMs: fc.integer({ min: -100, max: 1000 }),
    freshForMs: fc.constantFrom(0, 1, 20, FRESH_MS, 60_000),
  })
  .map(({ usedPart, ...use }) => ({ ...use, used: Math.round(use.count * usedPart) }));

const anyRoundTrips = fc.array(fc.integer({ min: -100, max: 2000 }), { maxLength: 4 });

describe("when the next lease is fetched", () => {
  it.each<[string, number[], number]>([
    ["no round trip known", [], FRESH_MS - LEAD_MS],
    ["quick round trips", [1, 5], FRESH_MS - LEAD_MS],
    ["a round trip of 40 ms", [40], FRESH_MS - 50],
    ["a round trip of half the time", [125], FRESH_MS / 2],
    ["an endless round trip", [100_000], FRESH_MS / 2],
    ["a quick round trip after a slow one", [40, 1], FRESH_MS - 25],
    ["many quick ones after a slow one", [40, 1, 1, 1, 1, 1, 1, 1, 1], FRESH_MS - LEAD_MS],
    ["a clock that went back meanwhile", [-1000], FRESH_MS - LEAD_MS],
  ])("with %s, that and a quarter before it gets too old", (_, roundTripsMs, dueMs) => {
    const demand = demandFor(...roundTripsMs);
    const idle = { used: 1, servedMs: 1 };
    expect(demand.isDue(useOf({ ...idle, ageMs: dueMs - 1 }))).toBe(false);
    expect(demand.isDue(useOf({ ...idle, ageMs: dueMs }))).toBe(true);
  });

  it.each<[string, Partial<LeaseUse>, boolean]>([
    ["what is left lasts longer than that", { used: 900, servedMs: 100, ageMs: 100 }, false],
    ["what is left lasts as long", { used: 910, servedMs: 100, ageMs: 100 }, true],
    ["nothing is left", { used: 1000, servedMs: 200, ageMs: 200 }, true],
    ["half of it went at once", { used: 500, servedMs: 0, ageMs: 5 }, true],
    ["nearly half of it went at once", { used: 499, servedMs: 0, ageMs: 5 }, false],
  ])("or before it is used up: %s", (_, use, isDue) => {
    expect(demandFor().isDue(useOf(use))).toBe(isDue);
  });

  it("never before half of it is used or half of its time is over", () => {
    fc.assert(
      fc.property(anyUse, anyRoundTrips, (use, roundTripsMs) => {
        const early = use.used * 2 < use.count && use.ageMs * 2 < use.freshForMs;
        if (early) expect(demandFor(...roundTripsMs).isDue(use)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

interface Outcome {
  readonly served: number;
  readonly missed: number;
  readonly leased: number;
  /** IDs of each fetch ahead. */
  readonly fetches: readonly number[];
}

/** One holder for `totalMs`, asked `asked(ms)` times in each ms; every fetch is answered after `roundTripMs`. */
function simulate(totalMs: number, roundTripMs: number, asked: (ms: number) => number): Outcome {
  const buffer = new BlockBuffer(new FreshDemand(FRESH_MS));
  const underway: (Fetch & { readonly askedAtMs: number })[] = [];
  const fetches: number[] = [];
  let served = 0;
  let missed = 0;
  let first = 1n;
  for (let nowMs = NOW_MS; nowMs < NOW_MS + totalMs; nowMs += 1) {
    const [fetched] = underway;
    if (fetched && fetched.askedAtMs + roundTripMs <= nowMs) {
      underway.shift();
      const { ticket, count, askedAtMs } = fetched;
      const blocks = [{ first, count }];
      buffer.fill(ticket, { blocks, shard: 0, askedAtMs, freshForMs: FRESH_MS }, nowMs);
      first += BigInt(count);
    }
    for (let left = asked(nowMs - NOW_MS); left > 0; left -= 1) {
      if (buffer.advance(nowMs)) served += 1;
      else {
        missed += 1;
        buffer.missed(nowMs);
      }
      const fetch = buffer.plan(nowMs, 100_000);
      if (!fetch) continue;
      fetches.push(fetch.count);
      underway.push({ ...fetch, askedAtMs: nowMs });
    }
  }
  return { served, missed, leased: Number(first) - 1, fetches };
}

describe("a holder under load", () => {
  it.each([1, 4, 15, 60])("%d a ms: little is left over, little is missed", (perMs) => {
    const { served, missed, leased, fetches } = simulate(20_000, 5, () => perMs);
    expect(served + missed).toBe(20_000 * perMs);
    expect(leased / served).toBeLessThanOrEqual(1.1);
    expect(missed / (served + missed)).toBeLessThan(0.01);
    // About one in freshForMs, whatever the load: 80 in 20 s, and some to find the size.
    expect(fetches.length).toBeLessThan(110);
  });

  it("15 a ms: at most 600 fetches ahead per million IDs", () => {
    const { served, fetches } = simulate(20_000, 5, () => 15);
    expect((fetches.length * 1_000_000) / served).toBeLessThanOrEqual(600);
  });

  it.each([
    [15, 5, FRESH_MS - LEAD_MS],
    [3, 5, FRESH_MS - LEAD_MS],
    [15, 40, FRESH_MS - 50],
    [15, 100, FRESH_MS / 2],
  ])(
    "%d a ms with a round trip of %d ms: leases settle to what %d ms need",
    (perMs, roundTripMs, forMs) => {
      const { fetches } = simulate(20_000, roundTripMs, () => perMs);
      expect(fetches.length).toBeGreaterThan(50);
      for (const count of fetches.slice(-10)) {
        expect(count / (perMs * forMs)).toBeGreaterThan(0.95);
        expect(count / (perMs * forMs)).toBeLessThan(1.05);
      }
    },
  );

  it("repeated demand begins small, and finds its size in a few fetches", () => {
    const { fetches, missed } = simulate(2000, 5, () => 15);
    expect(fetches[0]).toBe(FRESH_COUNT_MIN);
    for (const [index, count] of fetches.entries()) {
      // Of two underway at a time the one that is asked for now doubles what the other was.
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
    "bursts of %d in %d ms, one every %d ms: as much as is used is left over at most",
    (count, inMs, everyMs) => {
      const perMs = count / inMs;
      const { served, missed, leased } = simulate(30_000, 5, (ms) =>
        ms % everyMs < inMs ? perMs : 0,
      );
      expect(leased).toBeLessThanOrEqual(served + (served + missed));
      expect(missed / (served + missed)).toBeLessThan(0.4);
    },
  );

  it("leases shrink with the load", () => {
    const { fetches } = simulate(20_000, 5, (ms) => (ms < 5000 ? 15 : 3));
    expect(fetches.at(-1)).toBeLessThanOrEqual(3 * FRESH_MS);
  });

  it.each([100, 300, 600, 900])(
    "held up for %d ms, it goes on at once with those who waited",
    (heldUpMs) => {
      const load = (ms: number) => (ms < 4000 || ms >= 4000 + heldUpMs ? 10 : 0);
      const steady = simulate(8000, 3, (ms) => (ms < 8000 - heldUpMs ? 10 : 0));
      const held = simulate(8000, 3, load);
      expect(held.missed - steady.missed).toBeLessThanOrEqual(80);
      expect(held.fetches.length - steady.fetches.length).toBeLessThanOrEqual(6);
      expect(held.leased / held.served).toBeLessThanOrEqual(1.2);
    },
  );

  it.each([1000, 500, FRESH_MS + 1])("one request every %d ms fetches nothing ahead", (everyMs) => {
    const asked = (ms: number) => (ms % everyMs === 0 ? 1 : 0);
    const outcome = simulate(60_000, 5, asked);
    expect(outcome).toMatchObject({ served: 0, leased: 0, fetches: [] });
  });

  it.each([1000, 10_000])(
    "a lone request %d ms after the load fetches nothing ahead",
    (pauseMs) => {
      const load = (ms: number) => (ms < 2000 ? 15 : 0);
      const before = simulate(2000 + pauseMs, 5, load);
      const after = simulate(2001 + pauseMs, 5, (ms) => (ms === 2000 + pauseMs ? 1 : load(ms)));
      expect(after.missed).toBe(before.missed + 1);
      expect(after.fetches).toEqual(before.fetches);
    },
  );

  it("a lone request long after a fetch that failed fetches nothing ahead", () => {
    const buffer = new BlockBuffer(new FreshDemand(FRESH_MS));
    const ask = (nowMs: number) => {
      if (!buffer.advance(nowMs)) buffer.missed(nowMs);
      return buffer.plan(nowMs, 1000);
    };
    ask(NOW_MS);
    const ticket = ask(NOW_MS)?.ticket ?? 0;
    const blocks = [{ first: 1n, count: FRESH_COUNT_MIN }];
    const lease = { blocks, shard: 0, askedAtMs: NOW_MS, freshForMs: FRESH_MS };
    expect(buffer.fill(ticket, lease, NOW_MS)).toBe(true);
    for (let left = FRESH_COUNT_MIN; left > 0; left -= 1) ask(NOW_MS);
    // Its lease is used up, and the fetch that was to follow never answers.
    ask(NOW_MS);
    expect(ask(NOW_MS + 3_600_000)).toBeUndefined();
  });

  it("nothing is fetched for those whom nobody asks", () => {
    expect(simulate(20_000, 5, () => 0)).toMatchObject({ served: 0, missed: 0, fetches: [] });
    const buffer = new BlockBuffer(new FreshDemand(FRESH_MS));
    for (let ms = 0; ms < 2000; ms += 1) expect(buffer.plan(NOW_MS + ms, 1000)).toBeUndefined();
  });
});
