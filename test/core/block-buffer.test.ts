import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Block } from "../../src/core/block.ts";
import {
  BlockBuffer,
  CLAIM_LAPSES_MS,
  type Fetch,
  type Lease,
  type LeaseUse,
  type RefillRule,
} from "../../src/core/block-buffer.ts";
import { idOf, leftAt, openFor, shardOf } from "../../src/core/take-blocks.ts";

const NOW_MS = 1_800_000_000_000;
const FRESH_MS = 250;
const YEAR_MS = 365 * 86_400_000;
const RUNS = 1000;
/** More than any lease here has. */
const IDS_MAX = 100;

/** Decides as it is told, and notes what it hears. */
class ScriptedRule implements RefillRule {
  count = 10;
  due = true;
  readonly judged: LeaseUse[] = [];
  readonly ends: LeaseUse[] = [];
  readonly missesMs: number[] = [];
  readonly roundTripsMs: number[] = [];

  countAt(): number {
    return this.count;
  }

  isDue(use: LeaseUse): boolean {
    this.judged.push(use);
    return this.due;
  }

  ended(use: LeaseUse): void {
    this.ends.push(use);
  }

  missed(nowMs: number): void {
    this.missesMs.push(nowMs);
  }

  answered(roundTripMs: number): void {
    this.roundTripsMs.push(roundTripMs);
  }
}

const THREE_BLOCKS: readonly Block[] = [
  { first: 100n, count: 3 },
  { first: 200n, count: 1 },
  { first: 300n, count: 2 },
];
const THREE_BLOCKS_IDS = [100n, 101n, 102n, 200n, 300n, 301n];

function leaseOf(blocks: readonly Block[], change: Partial<Lease> = {}): Lease {
  return { blocks, shard: 3, askedAtMs: NOW_MS, freshForMs: FRESH_MS, ...change };
}

function oneBlock(first: bigint, count: number, change: Partial<Lease> = {}): Lease {
  return leaseOf([{ first, count }], change);
}

function planned(buffer: BlockBuffer, nowMs = NOW_MS): Fetch {
  const fetch = buffer.plan(nowMs, 1000);
  if (!fetch) throw new Error("no fetch is planned");
  return fetch;
}

/** A buffer that holds this lease ahead. */
function holding(lease: Lease, nowMs = NOW_MS): { buffer: BlockBuffer; rule: ScriptedRule } {
  const rule = new ScriptedRule();
  const buffer = new BlockBuffer(rule);
  expect(buffer.fill(planned(buffer, nowMs).ticket, lease, nowMs)).toBe(true);
  return { buffer, rule };
}

/** What `advance` moves to until there is nothing more. */
function drained(buffer: BlockBuffer, nowMs = NOW_MS): bigint[] {
  const ids: bigint[] = [];
  while (ids.length < IDS_MAX && buffer.advance(nowMs)) ids.push(idOf(buffer));
  return ids;
}

describe("leased IDs on their way out", () => {
  it("B1 every ID of a lease comes once, in order, across its blocks", () => {
    const { buffer } = holding(leaseOf(THREE_BLOCKS));
    expect(drained(buffer)).toEqual(THREE_BLOCKS_IDS);
    expect(buffer.advance(NOW_MS)).toBe(false);
  });

  it("B1 next moves the same cursor as advance, and stays at the last ID", () => {
    const { buffer } = holding(leaseOf(THREE_BLOCKS));
    expect(buffer.next()).toBe(false);
    const ids: bigint[] = [];
    for (const move of ["advance", "next", "next", "advance", "next", "next"] as const) {
      expect(buffer[move](NOW_MS)).toBe(true);
      ids.push(idOf(buffer));
    }
    expect(ids).toEqual(THREE_BLOCKS_IDS);
    expect([buffer.next(), buffer.next(), idOf(buffer)]).toEqual([false, false, 301n]);
    expect(buffer.advance(NOW_MS)).toBe(false);
    expect(buffer.next()).toBe(false);
  });

  it("B1 block, offset and shard say where the ID is from", () => {
    const { buffer } = holding(leaseOf(THREE_BLOCKS, { shard: 7 }));
    const places: [Block, number, number][] = [];
    while (places.length < IDS_MAX && buffer.advance(NOW_MS)) {
      places.push([buffer.block, buffer.offset, shardOf(buffer)]);
    }
    const [first, second, third] = THREE_BLOCKS;
    expect(places).toEqual([
      [first, 0, 7],
      [first, 1, 7],
      [first, 2, 7],
      [second, 0, 7],
      [third, 0, 7],
      [third, 1, 7],
    ]);
  });

  it("B1 a lease used up is followed by the one ahead", () => {
    const { buffer } = holding(oneBlock(100n, 2));
    expect(buffer.advance(NOW_MS)).toBe(true);
    buffer.fill(planned(buffer).ticket, oneBlock(500n, 2, { shard: 4 }), NOW_MS);
    expect(drained(buffer)).toEqual([101n, 500n, 501n]);
  });

  it("B1 a lease brought twice is taken in once", () => {
    const buffer = new BlockBuffer(new ScriptedRule());
    const { ticket } = planned(buffer);
    expect(buffer.fill(ticket, oneBlock(100n, 2), NOW_MS)).toBe(true);
    expect(buffer.advance(NOW_MS)).toBe(true);
    expect(buffer.fill(ticket, oneBlock(100n, 2), NOW_MS)).toBe(false);
    planned(buffer);
    expect(buffer.fill(ticket, oneBlock(100n, 2), NOW_MS)).toBe(false);
    expect(drained(buffer)).toEqual([101n]);
  });

  it("B1 a lease that nobody planned is not taken in", () => {
    const buffer = new BlockBuffer(new ScriptedRule());
    expect(buffer.fill(1, oneBlock(100n, 2), NOW_MS)).toBe(false);
    const { ticket } = planned(buffer);
    expect(buffer.fill(ticket + 1, oneBlock(100n, 2), NOW_MS)).toBe(false);
    expect(buffer.advance(NOW_MS)).toBe(false);
  });

  it.each([
    [-1, false],
    [0, true],
    [FRESH_MS, true],
    [FRESH_MS + 1, false],
  ])("B2 at an age of %d ms it is handed out: %s", (ageMs, isHandedOut) => {
    const unused = holding(oneBlock(100n, 2)).buffer;
    expect(unused.advance(NOW_MS + ageMs)).toBe(isHandedOut);
    const inUse = holding(oneBlock(100n, 2)).buffer;
    expect(inUse.advance(NOW_MS)).toBe(true);
    expect(inUse.advance(NOW_MS + ageMs)).toBe(isHandedOut);
    const unfilled = new BlockBuffer(new ScriptedRule());
    const { ticket } = planned(unfilled, NOW_MS + ageMs);
    expect(unfilled.fill(ticket, oneBlock(100n, 2), NOW_MS + ageMs)).toBe(isHandedOut);
    expect(unfilled.advance(NOW_MS + ageMs)).toBe(isHandedOut);
  });

  it("B2 a lease dropped for its age does not come back with the clock", () => {
    const { buffer } = holding(oneBlock(100n, 2));
    expect(buffer.advance(NOW_MS)).toBe(true);
    expect(buffer.advance(NOW_MS - 1)).toBe(false);
    expect(buffer.advance(NOW_MS)).toBe(false);
  });

  it("B2 each lease is as long fresh as it says", () => {
    const { buffer } = holding(oneBlock(100n, 9, { freshForMs: 20 }));
    expect(buffer.advance(NOW_MS)).toBe(true);
    buffer.fill(planned(buffer).ticket, oneBlock(500n, 9, { freshForMs: 500 }), NOW_MS);
    expect(buffer.advance(NOW_MS + 21)).toBe(true);
    expect(idOf(buffer)).toBe(500n);
    expect(buffer.advance(NOW_MS + 500)).toBe(true);
    expect(buffer.advance(NOW_MS + 501)).toBe(false);
  });

  it.each([
    ["moved on", CLAIM_LAPSES_MS],
    ["went back", -1],
  ])("B3 a fetch unanswered blocks the next one until the clock %s", (_, stepMs) => {
    const buffer = new BlockBuffer(new ScriptedRule());
    const late = planned(buffer);
    const lapsedMs = NOW_MS + stepMs;
    const lastMs = stepMs > 0 ? lapsedMs - 1 : NOW_MS;
    expect(buffer.plan(lastMs, 1000)).toBeUndefined();
    const next = planned(buffer, lapsedMs);
    const fresh = { askedAtMs: lapsedMs };
    expect(buffer.fill(late.ticket, oneBlock(100n, 1, fresh), lapsedMs)).toBe(false);
    expect(buffer.fill(next.ticket, oneBlock(200n, 1, fresh), lapsedMs)).toBe(true);
    expect(drained(buffer, lapsedMs)).toEqual([200n]);
  });

  it("B3 what comes after its claim lapsed is dropped, though nothing else was planned", () => {
    const buffer = new BlockBuffer(new ScriptedRule());
    const { ticket } = planned(buffer);
    const lapsedMs = NOW_MS + CLAIM_LAPSES_MS;
    const lease = oneBlock(100n, 1, { freshForMs: 60_000 });
    expect(buffer.fill(ticket, lease, lapsedMs)).toBe(false);
    expect(buffer.advance(lapsedMs)).toBe(false);
  });

  it("B3 an answer makes way for the next fetch, however old it is", () => {
    const buffer = new BlockBuffer(new ScriptedRule());
    const { ticket } = planned(buffer);
    expect(buffer.fill(ticket, oneBlock(100n, 1, { freshForMs: 0 }), NOW_MS + 1)).toBe(false);
    expect(planned(buffer, NOW_MS + 1).ticket).not.toBe(ticket);
  });

  it("B4 nothing is planned while a lease is ahead, and everything again once it is in use", () => {
    const { buffer } = holding(oneBlock(100n, 1));
    expect(buffer.plan(NOW_MS, 1000)).toBeUndefined();
    expect(buffer.advance(NOW_MS)).toBe(true);
    buffer.fill(planned(buffer).ticket, oneBlock(200n, 1), NOW_MS);
    expect(buffer.plan(NOW_MS + CLAIM_LAPSES_MS, 1000)).toBeUndefined();
    expect(buffer.advance(NOW_MS)).toBe(true);
    expect(buffer.plan(NOW_MS, 1000)).toBeDefined();
  });
});

/** A year before, a year after, and both sides of what ends a claim. */
const ANY_TIME_MS = [-YEAR_MS, -1, 0, CLAIM_LAPSES_MS - 1, CLAIM_LAPSES_MS, YEAR_MS];

describe("leased IDs that do not age", () => {
  const ageless = { freshForMs: Infinity };

  it.each(ANY_TIME_MS)("B2 are handed out after %d ms", (ageMs) => {
    const unused = holding(oneBlock(100n, 2, ageless)).buffer;
    expect(leftAt(unused, NOW_MS + ageMs)).toBe(2);
    expect(drained(unused, NOW_MS + ageMs)).toEqual([100n, 101n]);
    const inUse = holding(oneBlock(100n, 2, ageless)).buffer;
    expect(inUse.advance(NOW_MS)).toBe(true);
    expect(leftAt(inUse, NOW_MS + ageMs)).toBe(1);
    expect(drained(inUse, NOW_MS + ageMs)).toEqual([101n]);
  });

  it("B1 B2 come once and in order, however the clock jumps", () => {
    const { buffer } = holding(leaseOf(THREE_BLOCKS, ageless));
    const ids = [0, YEAR_MS, -YEAR_MS, 1, -1, 0].map((ms) => {
      expect(buffer.advance(NOW_MS + ms)).toBe(true);
      return idOf(buffer);
    });
    expect(ids).toEqual(THREE_BLOCKS_IDS);
    expect(buffer.advance(NOW_MS)).toBe(false);
  });

  it.each(ANY_TIME_MS)("B3 are kept though they come after %d ms, and come once", (stepMs) => {
    const buffer = new BlockBuffer(new ScriptedRule());
    const { ticket } = planned(buffer);
    const lateMs = NOW_MS + stepMs;
    expect(buffer.fill(ticket, oneBlock(100n, 2, ageless), lateMs)).toBe(true);
    expect(buffer.plan(lateMs, 1000), "B4").toBeUndefined();
    expect(buffer.fill(ticket, oneBlock(100n, 2, ageless), lateMs), "B1").toBe(false);
    expect(drained(buffer, lateMs)).toEqual([100n, 101n]);
  });

  it.each([-1, CLAIM_LAPSES_MS, YEAR_MS])(
    "B3 are dropped where another lease was asked for meanwhile, %d ms after them",
    (stepMs) => {
      const nextMs = NOW_MS + stepMs;
      for (const isLateFirst of [true, false]) {
        const buffer = new BlockBuffer(new ScriptedRule());
        const late = planned(buffer);
        const next = planned(buffer, nextMs);
        const answers = [
          () => expect(buffer.fill(late.ticket, oneBlock(100n, 1, ageless), nextMs)).toBe(false),
          () => expect(buffer.fill(next.ticket, oneBlock(200n, 1, ageless), nextMs)).toBe(true),
        ];
        for (const answer of isLateFirst ? answers : answers.reverse()) answer();
        expect(drained(buffer, nextMs)).toEqual([200n]);
      }
    },
  );

  it("B1 that come late are told to the rule as answered once", () => {
    const rule = new ScriptedRule();
    const buffer = new BlockBuffer(rule);
    const { ticket } = planned(buffer);
    buffer.fill(ticket, oneBlock(100n, 1, ageless), NOW_MS + YEAR_MS);
    buffer.fill(ticket, oneBlock(100n, 1, ageless), NOW_MS + YEAR_MS);
    expect(rule.roundTripsMs).toEqual([YEAR_MS]);
  });
});

describe("the place in a buffer", () => {
  it("B1 moves on by as many as are skipped", () => {
    const { buffer, rule } = holding(leaseOf([{ first: 100n, count: 6, step: 10 }]));
    buffer.advance(NOW_MS);
    buffer.skip(3);
    expect([idOf(buffer), buffer.offset, leftAt(buffer, NOW_MS)]).toEqual([130n, 3, 2]);
    expect(drained(buffer)).toEqual([140n, 150n]);
    expect(rule.ends).toMatchObject([{ count: 6, used: 6 }]);
  });

  it.each([
    [-1, 0],
    [0, 7],
    [FRESH_MS, 7],
    [FRESH_MS + 1, 0],
  ])("at an age of %d ms is followed by %d IDs at least", (ageMs, least) => {
    const { buffer } = holding(oneBlock(100n, 5));
    expect(leftAt(new BlockBuffer(new ScriptedRule()), NOW_MS)).toBe(0);
    buffer.advance(NOW_MS);
    buffer.fill(planned(buffer).ticket, oneBlock(200n, 3), NOW_MS);
    expect(Math.max(0, leftAt(buffer, NOW_MS + ageMs))).toBe(least);
  });

  it("counts what is left of a lease that ages and one that does not", () => {
    const { buffer } = holding(oneBlock(100n, 5));
    buffer.advance(NOW_MS);
    buffer.fill(planned(buffer).ticket, oneBlock(200n, 3, { freshForMs: Infinity }), NOW_MS);
    expect(leftAt(buffer, NOW_MS)).toBe(7);
    const lateMs = NOW_MS + YEAR_MS;
    expect(leftAt(buffer, lateMs)).toBeLessThanOrEqual(3);
    expect(drained(buffer, lateMs)).toEqual([200n, 201n, 202n]);
  });
});

describe("so many IDs from one lease", () => {
  /** A buffer with 5 in use, of which 2 are left, and 3 ahead. */
  function twoLeases() {
    const { buffer, rule } = holding(oneBlock(100n, 5));
    for (let moved = 0; moved < 3; moved += 1) buffer.advance(NOW_MS);
    buffer.fill(planned(buffer).ticket, oneBlock(500n, 3), NOW_MS);
    return { buffer, rule };
  }

  it.each([
    ["the one in use", 2, [103n, 104n, 500n, 501n, 502n], []],
    ["the one ahead, and what the other has left is a gap", 3, [500n, 501n, 502n], [[5, 3]]],
  ])("B5 come from %s", (_, count, ids, ends) => {
    const { buffer, rule } = twoLeases();
    expect(openFor(buffer, count, NOW_MS)).toBe(true);
    expect(rule.ends.map(({ count: of, used }) => [of, used])).toEqual(ends);
    expect(drained(buffer)).toEqual(ids);
  });

  it("B5 come from neither where neither has so many, and both stay", () => {
    const { buffer, rule } = twoLeases();
    expect(openFor(buffer, 4, NOW_MS)).toBe(false);
    expect(rule.ends).toEqual([]);
    expect(drained(buffer)).toEqual([103n, 104n, 500n, 501n, 502n]);
  });

  it.each([-1, FRESH_MS + 1])("B2 come from none that is %d ms old", (ageMs) => {
    const { buffer, rule } = twoLeases();
    expect(openFor(buffer, 1, NOW_MS + ageMs)).toBe(false);
    expect(rule.ends).toHaveLength(2);
    expect(drained(buffer)).toEqual([]);
    expect(openFor(holding(oneBlock(100n, 5)).buffer, 1, NOW_MS + ageMs)).toBe(false);
  });

  it("B2 come from none ahead that is too old, which makes way for another", () => {
    const { buffer } = holding(oneBlock(100n, 5));
    const lateMs = NOW_MS + FRESH_MS + 1;
    expect(openFor(buffer, 6, lateMs)).toBe(false);
    const { ticket } = planned(buffer, lateMs);
    expect(buffer.fill(ticket, oneBlock(500n, 6, { askedAtMs: lateMs }), lateMs)).toBe(true);
    expect(openFor(buffer, 6, lateMs)).toBe(true);
  });

  it("B1 are not held back by a lease that is opened for them twice", () => {
    const { buffer } = holding(leaseOf(THREE_BLOCKS));
    expect([openFor(buffer, 6, NOW_MS), openFor(buffer, 6, NOW_MS)]).toEqual([true, true]);
    expect(openFor(buffer, 7, NOW_MS)).toBe(false);
    expect(drained(buffer)).toEqual(THREE_BLOCKS_IDS);
  });
});

describe("the rule", () => {
  it.each([
    ["asks for as many as it says", 10, true, 1000, 10],
    ["asks for no more than may be", 10, true, 7, 7],
    ["asks for nothing where it says 0", 0, true, 1000, undefined],
    ["asks for nothing where none may be", 10, true, 0, undefined],
    ["asks for nothing before it is due", 10, false, 1000, undefined],
  ])("%s", (_, count, due, countMax, planCount) => {
    const { buffer, rule } = holding(oneBlock(100n, 5));
    Object.assign(rule, { count, due });
    buffer.advance(NOW_MS);
    expect(buffer.plan(NOW_MS, countMax)?.count).toBe(planCount);
  });

  it("is not asked whether it is due where nothing is in use", () => {
    const rule = new ScriptedRule();
    rule.due = false;
    expect(new BlockBuffer(rule).plan(NOW_MS, 1000)?.count).toBe(10);
    expect(rule.judged).toEqual([]);
  });

  it("judges by how the lease in use is used", () => {
    const { buffer, rule } = holding(leaseOf(THREE_BLOCKS), NOW_MS + 10);
    buffer.advance(NOW_MS + 20);
    buffer.next();
    buffer.advance(NOW_MS + 50);
    buffer.plan(NOW_MS + 60, 1000);
    const use = { count: 6, used: 3, servedMs: 40, ageMs: 60, freshForMs: FRESH_MS };
    expect(rule.judged).toEqual([use]);
  });

  it("hears how a lease was used once it is used up", () => {
    const { buffer, rule } = holding(oneBlock(100n, 2));
    buffer.advance(NOW_MS + 20);
    buffer.advance(NOW_MS + 30);
    expect(rule.ends).toEqual([]);
    buffer.advance(NOW_MS + 35);
    buffer.advance(NOW_MS + 40);
    const use = { count: 2, used: 2, servedMs: 15, ageMs: 35, freshForMs: FRESH_MS };
    expect(rule.ends).toEqual([use]);
  });

  it("hears of a lease forgotten that it served until its end only", () => {
    const { buffer, rule } = holding(oneBlock(100n, 5));
    buffer.advance(NOW_MS + 20);
    buffer.advance(NOW_MS + 60_000);
    const use = { count: 5, used: 1, servedMs: FRESH_MS - 20, ageMs: 60_000, freshForMs: FRESH_MS };
    expect(rule.ends).toEqual([use]);
  });

  it("hears of a clock that went back that it served for no time", () => {
    const { buffer, rule } = holding(oneBlock(100n, 5));
    buffer.advance(NOW_MS + 20);
    buffer.advance(NOW_MS - 1000);
    const use = { count: 5, used: 1, servedMs: 0, ageMs: -1000, freshForMs: FRESH_MS };
    expect(rule.ends).toEqual([use]);
  });

  it("hears of a lease ahead that it was never used", () => {
    const { buffer, rule } = holding(oneBlock(100n, 5));
    buffer.advance(NOW_MS + FRESH_MS + 1);
    const use = { count: 5, used: 0, servedMs: 0, ageMs: FRESH_MS + 1, freshForMs: FRESH_MS };
    expect(rule.ends).toEqual([use]);
  });

  it("hears of misses, and how long answers took", () => {
    const { buffer, rule } = holding(oneBlock(100n, 5), NOW_MS + 12);
    buffer.missed(NOW_MS + 15);
    expect(rule).toMatchObject({ missesMs: [NOW_MS + 15], roundTripsMs: [12] });
  });
});

type Asked = "whenPlanned" | "now" | "justFresh" | "tooOld" | "inFuture";

type Action =
  | { readonly kind: "advance" | "next" | "missed" }
  /** At most so many: no more than the block has. */
  | { readonly kind: "skip"; readonly most: number }
  /** So many from one lease. */
  | { readonly kind: "batch"; readonly count: number }
  | {
      readonly kind: "plan";
      readonly count: number;
      readonly countMax: number;
      readonly due: boolean;
    }
  | {
      readonly kind: "fill";
      /** Counted back from the last one: 0 is the fetch planned last; one never planned is unknown. */
      readonly fetch: number;
      readonly blockCounts: readonly number[];
      readonly freshForMs: number;
      readonly asked: Asked;
    }
  | { readonly kind: "clock"; readonly stepMs: number };

/** The usual, or now and then one of the others. */
function mostly<T>(usual: T, ...others: T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
}

const anyAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({ kind: "advance" as const }) },
  { weight: 6, arbitrary: fc.constant({ kind: "next" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "missed" as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("skip" as const), most: fc.nat(4) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("batch" as const),
      count: fc.integer({ min: 1, max: 9 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("plan" as const),
      count: mostly(5, 0, 1),
      countMax: mostly(100, 0, 3),
      due: mostly(true, false),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("fill" as const),
      fetch: mostly(0, 1, 2, 1000),
      blockCounts: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
      freshForMs: mostly(FRESH_MS, 0, 20, 3000, Infinity, Infinity),
      asked: mostly<Asked>("whenPlanned", "now", "justFresh", "tooOld", "inFuture"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("clock" as const),
      stepMs: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: 1, max: 30 }) },
        { weight: 1, arbitrary: fc.constantFrom(250, 251, 999, 1000, 5000) },
        { weight: 1, arbitrary: fc.constantFrom(-1, -20, -250, -1000, -3_600_000) },
      ),
    }),
  },
);

/** A lease as a list of IDs. */
interface Held {
  readonly lease: Lease;
  readonly ids: readonly bigint[];
  used: number;
}

/** A fetch that was planned, and what it brought. */
interface Planned {
  readonly ticket: number;
  readonly plannedAtMs: number;
  held?: Held;
}

/** What a buffer is: two lists of IDs, and the fetch that may bring the next one. */
class Model {
  inUse: Held | undefined;
  ahead: Held | undefined;
  #claim: { readonly ticket: number; readonly atMs: number } | undefined;
  readonly endsOf: [count: number, used: number][] = [];

  advance(nowMs: number): bigint | undefined {
    const { inUse } = this;
    if (inUse && isFresh(inUse.lease, nowMs) && inUse.used < inUse.ids.length) return this.next();
    return this.#goOver(nowMs) ? this.next() : undefined;
  }

  openFor(count: number, nowMs: number): boolean {
    if (!this.inUse || !isFresh(this.inUse.lease, nowMs)) this.#goOver(nowMs);
    if (this.inUse && this.inUse.ids.length - this.inUse.used >= count) return true;
    return (this.ahead?.ids.length ?? 0) >= count && this.#goOver(nowMs);
  }

  #goOver(nowMs: number): boolean {
    this.#end(this.inUse);
    this.inUse = this.ahead;
    this.ahead = undefined;
    if (this.inUse && isFresh(this.inUse.lease, nowMs)) return true;
    this.#end(this.inUse);
    this.inUse = undefined;
    return false;
  }

  next(): bigint | undefined {
    const { inUse } = this;
    if (!inUse || inUse.used === inUse.ids.length) return undefined;
    inUse.used += 1;
    return inUse.ids[inUse.used - 1];
  }

  mayPlan(nowMs: number, due: boolean): boolean {
    return !this.ahead && !this.isClaimed(nowMs) && (!this.inUse || due);
  }

  plan(ticket: number, nowMs: number): void {
    this.#claim = { ticket, atMs: nowMs };
  }

  fill(ticket: number, held: Held, nowMs: number): boolean {
    if (ticket !== this.#claim?.ticket) return false;
    if (held.lease.freshForMs !== Infinity && !this.isClaimed(nowMs)) return false;
    this.#claim = undefined;
    if (!isFresh(held.lease, nowMs)) {
      this.#end(held);
      return false;
    }
    this.ahead = held;
    return true;
  }

  leftAt(nowMs: number): number {
    const left = [this.inUse, this.ahead].map((held) =>
      held && isFresh(held.lease, nowMs) ? held.ids.length - held.used : 0,
    );
    return left.reduce((sum, many) => sum + many, 0);
  }

  isClaimed(nowMs: number): boolean {
    const sinceMs = nowMs - (this.#claim?.atMs ?? Number.POSITIVE_INFINITY);
    return sinceMs >= 0 && sinceMs < CLAIM_LAPSES_MS;
  }

  #end(held: Held | undefined): void {
    if (held) this.endsOf.push([held.ids.length, held.used]);
  }
}

function isFresh({ askedAtMs, freshForMs }: Lease, nowMs: number): boolean {
  if (freshForMs === Infinity) return true;
  return nowMs >= askedAtMs && nowMs <= askedAtMs + freshForMs;
}

/** A buffer and its model, driven alike; every ID that leaves is looked at for itself too. */
class Driver {
  readonly #rule = new ScriptedRule();
  readonly #buffer = new BlockBuffer(this.#rule);
  readonly #model = new Model();
  #nowMs = NOW_MS;
  /** Whether `next` may be called: the clock has not moved since the last `advance`. */
  #sameMoment = false;
  #nextFirst = 1000n;
  readonly #fetches: Planned[] = [];
  readonly #heldById = new Map<bigint, Held>();
  readonly #takenIn = new Set<Held>();
  readonly #handedOut = new Map<Held, number>();

  do(action: Action): void {
    if (action.kind === "clock") this.#moveClock(action.stepMs);
    else if (action.kind === "plan") this.#plan(action);
    else if (action.kind === "fill") this.#fill(action);
    else if (action.kind === "missed") this.#buffer.missed(this.#nowMs);
    else if (action.kind === "skip") this.#skip(action.most);
    else if (action.kind === "batch") this.#takeBatch(action.count);
    else this.#move(action.kind === "next");
    this.#lookAtLeft();
  }

  end(): void {
    const ends = this.#rule.ends.map(({ count, used }) => [count, used]);
    expect(ends).toEqual(this.#model.endsOf);
  }

  #moveClock(stepMs: number): void {
    this.#nowMs += stepMs;
    this.#sameMoment = false;
  }

  #move(isNext: boolean): void {
    if (isNext && !this.#sameMoment) return;
    const expected = isNext ? this.#model.next() : this.#model.advance(this.#nowMs);
    const moved = isNext ? this.#buffer.next() : this.#buffer.advance(this.#nowMs);
    this.#sameMoment = true;
    if (moved) this.#look(idOf(this.#buffer));
    expect(moved ? idOf(this.#buffer) : undefined).toBe(expected);
  }

  /** Only where the last `advance` moved somewhere. */
  #skip(most: number): void {
    if (!this.#sameMoment || !this.#model.inUse) return;
    const { block, offset } = this.#buffer;
    for (let left = Math.min(most, block.count - offset - 1); left > 0; left -= 1) {
      this.#buffer.skip(1);
      this.#look(idOf(this.#buffer));
      expect(idOf(this.#buffer)).toBe(this.#model.next());
    }
  }

  #takeBatch(count: number): void {
    const isOpen = openFor(this.#buffer, count, this.#nowMs);
    expect(isOpen).toBe(this.#model.openFor(count, this.#nowMs));
    // The block that `skip` moves in may be of a lease that is over.
    this.#sameMoment = false;
    if (!isOpen) return;
    const shard = shardOf(this.#buffer);
    for (let left = count; left > 0; left -= 1) {
      this.#move(false);
      expect(shardOf(this.#buffer), "B5 one lease").toBe(shard);
    }
  }

  #lookAtLeft(): void {
    const left = leftAt(this.#buffer, this.#nowMs);
    const { inUse } = this.#model;
    const least = this.#model.leftAt(this.#nowMs);
    if (inUse && !isFresh(inUse.lease, this.#nowMs)) expect(left).toBeLessThanOrEqual(least);
    else expect(left).toBe(least);
  }

  #look(id: bigint): void {
    const held = this.#heldById.get(id);
    if (!held || !this.#takenIn.has(held)) throw new Error(`B1 ${id} is of no lease taken in`);
    const before = this.#handedOut.get(held) ?? 0;
    expect(held.ids.indexOf(id), "B1 the next of its lease, so never one again").toBe(before);
    this.#handedOut.set(held, before + 1);
    expect(isFresh(held.lease, this.#nowMs), "B2 is fresh").toBe(true);
    expect(shardOf(this.#buffer)).toBe(held.lease.shard);
  }

  #plan({ count, countMax, due }: Extract<Action, { kind: "plan" }>): void {
    Object.assign(this.#rule, { count, due });
    const wasClaimed = this.#model.isClaimed(this.#nowMs);
    const fetch = this.#buffer.plan(this.#nowMs, countMax);
    const most = Math.min(count, countMax);
    const isExpected = most > 0 && this.#model.mayPlan(this.#nowMs, due);
    expect(fetch?.count).toBe(isExpected ? most : undefined);
    if (!fetch) return;
    expect(wasClaimed, "B3 one claim at a time").toBe(false);
    this.#model.plan(fetch.ticket, this.#nowMs);
    this.#fetches.push({ ticket: fetch.ticket, plannedAtMs: this.#nowMs });
  }

  #fill(action: Extract<Action, { kind: "fill" }>): void {
    const unknown: Planned = { ticket: this.#fetches.length + 1000, plannedAtMs: this.#nowMs };
    const fetch = this.#fetches.at(-1 - action.fetch) ?? unknown;
    // Brought again, it is the same lease.
    fetch.held ??= this.#makeHeld(action, fetch.plannedAtMs);
    const wasAhead = this.#model.ahead !== undefined;
    const isExpected = this.#model.fill(fetch.ticket, fetch.held, this.#nowMs);
    const isTaken = this.#buffer.fill(fetch.ticket, fetch.held.lease, this.#nowMs);
    expect(isTaken).toBe(isExpected);
    if (!isTaken) return;
    expect(wasAhead, "B4 one lease ahead at a time").toBe(false);
    expect(this.#takenIn.has(fetch.held), "B1 taken in once").toBe(false);
    this.#takenIn.add(fetch.held);
  }

  #makeHeld(
    { blockCounts, freshForMs, asked }: Extract<Action, { kind: "fill" }>,
    plannedAtMs: number,
  ): Held {
    const lastsMs = Math.min(freshForMs, YEAR_MS);
    const askedAtMs = {
      whenPlanned: plannedAtMs,
      now: this.#nowMs,
      justFresh: this.#nowMs - lastsMs,
      tooOld: this.#nowMs - lastsMs - 1,
      inFuture: this.#nowMs + 1,
    }[asked];
    const blocks = blockCounts.map((count) => {
      const first = this.#nextFirst;
      this.#nextFirst += BigInt(count) + 10n;
      return { first, count };
    });
    const ids = blocks.flatMap(({ first, count }) =>
      Array.from({ length: count }, (_, index) => first + BigInt(index)),
    );
    const shard = this.#heldById.size;
    const held = { lease: { blocks, shard, askedAtMs, freshForMs }, ids, used: 0 };
    for (const id of ids) this.#heldById.set(id, held);
    return held;
  }
}

describe("leased IDs under random requests, answers and clocks", () => {
  it("B1 B2 B3 B4 B5 hold, and no ID is held back", () => {
    fc.assert(
      fc.property(fc.array(anyAction, { maxLength: 150, size: "max" }), (actions) => {
        const driver = new Driver();
        for (const action of actions) driver.do(action);
        driver.end();
      }),
      { numRuns: RUNS },
    );
  });
});
