import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  BlockBuffer,
  CLAIM_LAPSES_MS,
  type Fetch,
  type Stock,
} from "../../../src/core/blocks/block-buffer.ts";
import { idOf } from "../../../src/core/blocks/take-blocks.ts";
import {
  anyBufferAction,
  BufferDriver,
  ScriptedRule,
} from "../../support/models/block-buffer-model.ts";

const NOW_MS = 1_800_000_000_000;
const FRESH_MS = 250;
const YEAR_MS = 365 * 86_400_000;
const RUNS = 1000;

function oneBlock(first: bigint, count: number, change: Partial<Stock> = {}): Stock {
  const blocks = [{ first, count }];
  return { blocks, shard: 3, askedAtMs: NOW_MS, ...change };
}

function planned(buffer: BlockBuffer, nowMs = NOW_MS): Fetch {
  const fetch = buffer.plan(nowMs, 1000);
  if (!fetch) throw new Error("no fetch is planned");
  return fetch;
}

/** A buffer that holds this stock ahead. */
function holding(stock: Stock, nowMs = NOW_MS): { buffer: BlockBuffer; rule: ScriptedRule } {
  const rule = new ScriptedRule();
  const buffer = new BlockBuffer(rule, FRESH_MS);
  expect(buffer.fill(planned(buffer, nowMs), stock, nowMs)).toBe(true);
  return { buffer, rule };
}

describe("the edges in time", () => {
  it.each([
    [-1, false],
    [0, true],
    [FRESH_MS, true],
    [FRESH_MS + 1, false],
  ])("B2 at an age of %d ms an ID is issued: %s", (ageMs, isHandedOut) => {
    const unused = holding(oneBlock(100n, 2)).buffer;
    expect(unused.advance(NOW_MS + ageMs)).toBe(isHandedOut);
    const inUse = holding(oneBlock(100n, 2)).buffer;
    expect(inUse.advance(NOW_MS)).toBe(true);
    expect(inUse.advance(NOW_MS + ageMs)).toBe(isHandedOut);
    const unfilled = new BlockBuffer(new ScriptedRule(), FRESH_MS);
    const fetch = planned(unfilled, NOW_MS + ageMs);
    expect(unfilled.fill(fetch, oneBlock(100n, 2), NOW_MS + ageMs)).toBe(isHandedOut);
    expect(unfilled.advance(NOW_MS + ageMs)).toBe(isHandedOut);
  });

  it("B2 a changed freshForMs applies to the stock in use and the prefetched one", () => {
    const { buffer } = holding(oneBlock(100n, 9));
    expect(buffer.advance(NOW_MS)).toBe(true);
    expect(buffer.fill(planned(buffer), oneBlock(200n, 9), NOW_MS)).toBe(true);
    buffer.freshForMs = 20;
    expect(buffer.advance(NOW_MS + 21)).toBe(false);
    expect([buffer.inUse, buffer.ahead]).toEqual([undefined, undefined]);
  });

  it.each([
    ["moved on", CLAIM_LAPSES_MS],
    ["went back", -1],
  ])("B3 a fetch without a response blocks the next one until the clock %s", (_, stepMs) => {
    const rule = new ScriptedRule();
    rule.due = false;
    const buffer = new BlockBuffer(rule, FRESH_MS);
    const late = planned(buffer);
    const lapsedMs = NOW_MS + stepMs;
    const lastMs = stepMs > 0 ? lapsedMs - 1 : NOW_MS;
    expect(buffer.plan(lastMs, 1000)).toBeUndefined();
    const next = planned(buffer, lapsedMs);
    const fresh = { askedAtMs: lapsedMs };
    expect(buffer.fill(late, oneBlock(100n, 1, fresh), lapsedMs)).toBe(false);
    expect(buffer.fill(next, oneBlock(200n, 1, fresh), lapsedMs)).toBe(true);
    expect([buffer.advance(lapsedMs), idOf(buffer)]).toEqual([true, 200n]);
  });

  it.each([-YEAR_MS, -1, CLAIM_LAPSES_MS, YEAR_MS])(
    "B2 B3 numbers that do not age are accepted after %d ms, and once more later",
    (stepMs) => {
      const buffer = new BlockBuffer(new ScriptedRule());
      const fetch = planned(buffer);
      const lateMs = NOW_MS + stepMs;
      expect(buffer.fill(fetch, oneBlock(100n, 2), lateMs)).toBe(true);
      expect(buffer.fill(fetch, oneBlock(100n, 2), lateMs), "B1").toBe(false);
      expect([buffer.advance(lateMs), buffer.advance(lateMs + stepMs), idOf(buffer)]).toEqual([
        true,
        true,
        101n,
      ]);
    },
  );
});

describe("the rule", () => {
  it.each([
    ["asks for as many as it says", 10, true, 1000, 10],
    ["asks for no more than may be", 10, true, 7, 7],
    ["fetches nothing if its count is 0", 0, true, 1000, undefined],
    ["fetches nothing if the maximum is 0", 10, true, 0, undefined],
    ["fetches nothing before its time", 10, false, 1000, undefined],
  ])("%s", (_, count, due, countMax, planCount) => {
    const { buffer, rule } = holding(oneBlock(100n, 5));
    Object.assign(rule, { count, due });
    buffer.advance(NOW_MS);
    expect(buffer.plan(NOW_MS, countMax)?.count).toBe(planCount);
  });

  it("is not asked for the time of a prefetch if no stock is in use", () => {
    const rule = new ScriptedRule();
    rule.due = false;
    expect(new BlockBuffer(rule).plan(NOW_MS, 1000)?.count).toBe(10);
    expect(rule.judged).toEqual([]);
  });

  it("gets the use of the current stock", () => {
    const { buffer, rule } = holding(oneBlock(100n, 6), NOW_MS + 10);
    for (const ms of [20, 20, 50]) buffer.advance(NOW_MS + ms);
    buffer.plan(NOW_MS + 60, 1000);
    const use = { count: 6, used: 3, ageMs: 60, freshForMs: FRESH_MS };
    expect(rule.judged).toEqual([use]);
    expect(rule.counted).toEqual([
      { used: 0, freshForMs: FRESH_MS },
      { used: 3, freshForMs: FRESH_MS },
    ]);
  });

  it("B3 B4 decides on a second prefetch by the age of the first, fetched or not", () => {
    const { buffer, rule } = holding(oneBlock(100n, 6));
    buffer.advance(NOW_MS);
    const first = planned(buffer, NOW_MS + 10);
    const ofFirst = { count: Infinity, used: 0, ageMs: 20, freshForMs: FRESH_MS };
    rule.due = false;
    expect(buffer.plan(NOW_MS + 30, 1000)).toBeUndefined();
    const ahead = oneBlock(200n, 6, { askedAtMs: NOW_MS + 10 });
    expect(buffer.fill(first, ahead, NOW_MS + 30)).toBe(true);
    expect(buffer.plan(NOW_MS + 30, 1000)).toBeUndefined();
    expect(rule.judged.slice(-2)).toEqual([ofFirst, ofFirst]);
    rule.due = true;
    const [second, third] = [planned(buffer, NOW_MS + 40), planned(buffer, NOW_MS + 50)];
    expect(buffer.plan(NOW_MS + 60, 1000), "no more than two").toBeUndefined();
    // Each response makes the oldest of three stocks a gap.
    for (const [fetch, id] of [[third, 200n] as const, [second, 300n] as const]) {
      const stock = oneBlock(id + 100n, 6, { askedAtMs: NOW_MS + 50 });
      expect(buffer.fill(fetch, stock, NOW_MS + 60)).toBe(true);
      expect([buffer.advance(NOW_MS + 60), idOf(buffer)]).toEqual([true, id]);
    }
  });

  it.each<[string, movesMs: number[], ends: number[]]>([
    ["used up, at its last ID", [20, 30, 35, 40], [2]],
    ["that was forgotten", [20, 60_000], [1]],
    ["under a clock that went back", [20, -1000], [1]],
  ])("learns once of a stock %s", (_, movesMs, ends) => {
    const { buffer, rule } = holding(oneBlock(100n, 2));
    for (const ms of movesMs) buffer.advance(NOW_MS + ms);
    expect(rule.ends).toEqual(ends);
  });

  it("learns of misses, and of round trip times", () => {
    const { buffer, rule } = holding(oneBlock(100n, 5), NOW_MS + 12);
    buffer.missed();
    expect(rule).toMatchObject({ misses: 1, roundTripsMs: [12] });
  });
});

describe("prefetched IDs under random requests, answers and clocks", () => {
  it("B1 B2 B3 B4 B5 hold, and every ID is available", () => {
    fc.assert(
      fc.property(fc.array(anyBufferAction, { maxLength: 150, size: "max" }), (actions) => {
        const driver = new BufferDriver();
        for (const action of actions) driver.do(action);
        driver.end();
      }),
      { numRuns: RUNS },
    );
  });
});
