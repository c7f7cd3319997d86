/**
 * A double buffer of prefetched IDs: the stock in use, and the next stock.
 *
 * Invariants, each proved by the tests with the same number:
 *  B1 Each ID of a stock is issued at most once: the cursor only moves forward, and a stock is accepted
 *     at most once, from the fetch that was planned for it.
 *  B2 No ID is issued at an age below 0 or above freshForMs, the namespace's policy as last read.
 *  B3 One prefetch runs at a time; a second may start only if the first one's IDs will soon be too old. A claim
 *     lapses after CLAIM_LAPSES_MS, so that a lost fetch does not block the next. A later result is dropped, unless
 *     stocks do not age and no other fetch was planned.
 *  B4 The buffer holds at most two stocks.
 *  B5 A batch is whole and of one stock, and so of one shard (openFor in take-blocks).
 *
 * Pure: the clock is an argument, and the caller fetches. Isolates and clients use the same buffer.
 */
import type { Block } from "./block.ts";

/** IDs of one prefetch from one shard: at least one block, none of them empty. */
export interface Stock {
  readonly blocks: readonly Block[];
  readonly shard: number;
  /** The holder's clock when it sent the request, in unix ms. The stock's age counts from there. */
  readonly askedAtMs: number;
}

/** How the newest stock was used so far. */
export interface StockUse {
  /** Infinity before its first use. */
  readonly count: number;
  readonly used: number;
  readonly ageMs: number;
  readonly freshForMs: number;
}

/** Decides when to prefetch, and how much. */
export interface RefillRule {
  /** Number of IDs for the next prefetch; 0: no prefetch. `used`: of the stock in use. */
  countAt(nowMs: number, used: number, freshForMs: number): number;
  /** Whether to prefetch another stock after the newest one now. */
  isDue(newest: StockUse): boolean;
  /** The stock in use was used up or dropped. */
  ended(used: number): void;
  /** The buffer had no ID for a caller. */
  missed(): void;
  /** A prefetch was answered after `roundTripMs`. */
  answered(roundTripMs: number): void;
}

/** A planned prefetch. The holder makes it and passes the stock to `fill`. */
export interface Fetch {
  readonly count: number;
  readonly askedAtMs: number;
}

/** Time before another prefetch may start after one without an answer, failed ones included, in ms. */
export const CLAIM_LAPSES_MS = 1000;

/** The stock in use. */
export interface StockInUse {
  readonly stock: Stock;
  /** Number of IDs in the stock. */
  readonly count: number;
  /** Number of its IDs that were issued. */
  readonly used: number;
}

interface InUse extends StockInUse {
  used: number;
}

const NO_BLOCK: Block = { first: 0n, count: 0 };
const UNUSED = { count: Number.POSITIVE_INFINITY, used: 0 };

export class BlockBuffer {
  /**
   * Maximum age of an ID, in ms; Infinity for numbers without a clock. The holder sets it to the policy as last read,
   * so that a change also applies to stocks already held.
   */
  freshForMs: number;
  readonly #rule: RefillRule;
  #inUse: InUse | undefined;
  #ahead: Stock | undefined;
  /** The last planned fetch, until it is answered. */
  #fetch: Fetch | undefined;
  /** The fetch before that, until it is answered. */
  #earlier: Fetch | undefined;
  #block = NO_BLOCK;
  #blockIndex = 0;
  #offset = 0;

  constructor(rule: RefillRule, freshForMs = Number.POSITIVE_INFINITY) {
    this.#rule = rule;
    this.freshForMs = freshForMs;
  }

  /** Moves the cursor to the next fresh ID. Returns false if the buffer has none. */
  advance(nowMs: number): boolean {
    const inUse = this.#inUse;
    const moved = inUse !== undefined && this.isFresh(inUse.stock, nowMs) && this.#next();
    return moved || (this.switchToNext(nowMs) && this.#next());
  }

  /** The stock in use, fresh or not. */
  get inUse(): StockInUse | undefined {
    return this.#inUse;
  }

  /** The prefetched stock, fresh or not. */
  get ahead(): Stock | undefined {
    return this.#ahead;
  }

  /** The block of the cursor. */
  get block(): Block {
    return this.#block;
  }

  /** The cursor's offset in its block. */
  get offset(): number {
    return this.#offset;
  }

  /** Moves the cursor `many` IDs forward within its block, which must have that many left. */
  skip(many: number): void {
    this.#offset += many;
    if (this.#inUse) this.#inUse.used += many;
  }

  /** Records that a caller had to fetch for itself. */
  missed(): void {
    this.#rule.missed();
  }

  /** Plans a prefetch of at most `countMax` IDs; undefined if it is too early for one. */
  plan(nowMs: number, countMax: number): Fetch | undefined {
    if (this.#isClaimed(this.#earlier, nowMs)) return undefined;
    const inUse = this.#inUse;
    const underway = this.#isClaimed(this.#fetch, nowMs) ? this.#fetch : undefined;
    const ahead = underway ?? this.#ahead;
    const newest = ahead ?? inUse?.stock;
    const { freshForMs } = this;
    if (newest) {
      const { count, used } = (!ahead && inUse) || UNUSED;
      const ageMs = nowMs - newest.askedAtMs;
      if (!this.#rule.isDue({ count, used, ageMs, freshForMs })) return undefined;
    }
    const count = Math.min(this.#rule.countAt(nowMs, inUse?.used ?? 0, freshForMs), countMax);
    if (count < 1) return undefined;
    this.#earlier = underway;
    this.#fetch = { count, askedAtMs: nowMs };
    return this.#fetch;
  }

  /**
   * Accepts the stock of a fetch. Returns false if the fetch was replaced or the stock is too old; its IDs are a gap.
   */
  fill(fetch: Fetch, stock: Stock, nowMs: number): boolean {
    if (this.freshForMs < Infinity && !this.#isClaimed(fetch, nowMs)) return false;
    if (fetch === this.#fetch) this.#fetch = undefined;
    else if (fetch === this.#earlier) this.#earlier = undefined;
    else return false;
    this.#rule.answered(nowMs - stock.askedAtMs);
    if (!this.isFresh(stock, nowMs)) return false;
    if (this.#ahead) this.switchToNext(nowMs);
    this.#ahead = stock;
    return true;
  }

  /** Switches to the prefetched stock if it is still fresh. The rest of the stock in use is a gap. */
  switchToNext(nowMs: number): boolean {
    if (this.#inUse) this.#rule.ended(this.#inUse.used);
    const stock = this.#ahead;
    this.#inUse = undefined;
    this.#ahead = undefined;
    this.#block = NO_BLOCK;
    this.#blockIndex = -1;
    this.#offset = 0;
    if (!stock || !this.isFresh(stock, nowMs)) return false;
    this.#inUse = { stock, count: countOf(stock), used: 0 };
    return true;
  }

  /** Whether the IDs of a stock may be issued now (B2). */
  isFresh({ askedAtMs }: Stock, nowMs: number): boolean {
    return this.freshForMs === Infinity || isWithin(nowMs - askedAtMs, this.freshForMs);
  }

  #isClaimed(fetch: Fetch | undefined, nowMs: number): boolean {
    return fetch !== undefined && isWithin(nowMs - fetch.askedAtMs, CLAIM_LAPSES_MS - 1);
  }

  #next(): boolean {
    if (this.#offset + 1 < this.#block.count) this.#offset += 1;
    else if (!this.#openBlock(this.#blockIndex + 1)) return false;
    if (this.#inUse) this.#inUse.used += 1;
    return true;
  }

  #openBlock(index: number): boolean {
    const block = this.#inUse?.stock.blocks[index];
    if (!block) return false;
    this.#block = block;
    this.#blockIndex = index;
    this.#offset = 0;
    return true;
  }
}

/** The number of IDs in a stock. */
export function countOf({ blocks }: Stock): number {
  return blocks.reduce((sum, { count }) => sum + count, 0);
}

/** Whether a duration is 0 to `mostMs`. A negative one means that the clock went back. */
export function isWithin(ms: number, mostMs: number): boolean {
  return ms >= 0 && ms <= mostMs;
}
