/**
 * A double buffer of prefetched IDs: the stock in use, and the next stock.
 *
 * Invariants, each proved by the tests with the same number:
 *  B1 Each ID of a stock is issued at most once: the cursor only moves forward, and a stock is accepted
 *     at most once, from the fetch that was planned for it.
 *  B2 No ID is issued at an age below 0 or above freshForMs, the namespace's policy as last read.
 *  B3 At most one prefetch runs at a time. Its claim lapses after CLAIM_LAPSES_MS, so that a lost fetch does not
 *     block the next. A later result is dropped, unless stocks do not age and no other fetch was planned.
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

/** How a stock was used so far: the input of a RefillRule. */
export interface StockUse {
  readonly count: number;
  readonly used: number;
  /** Time in use, in ms; 0 if it was never in use. */
  readonly servedMs: number;
  readonly ageMs: number;
  readonly freshForMs: number;
}

/** Decides when to prefetch, and how much. */
export interface RefillRule {
  /** Number of IDs for the next prefetch; 0: no prefetch. */
  countAt(nowMs: number): number;
  /** Whether to prefetch the next stock now. */
  isDue(use: StockUse): boolean;
  /** A stock was used up or dropped. */
  ended(use: StockUse, nowMs: number): void;
  /** The buffer had no ID for a caller. */
  missed(nowMs: number): void;
  /** A prefetch was answered after `roundTripMs`. */
  answered(roundTripMs: number): void;
}

/** A planned prefetch. The holder makes it and passes the stock to `fill`. */
export interface Fetch {
  readonly count: number;
  readonly plannedAtMs: number;
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
  readonly sinceMs: number;
  used: number;
}

const NO_BLOCK: Block = { first: 0n, count: 0 };

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
  missed(nowMs: number): void {
    this.#rule.missed(nowMs);
  }

  /** Plans a prefetch of at most `countMax` IDs; undefined if it is too early for one. */
  plan(nowMs: number, countMax: number): Fetch | undefined {
    if (this.#ahead || this.#isClaimed(nowMs)) return undefined;
    if (this.#inUse && !this.#rule.isDue(this.#useOf(this.#inUse, nowMs))) return undefined;
    const count = Math.min(this.#rule.countAt(nowMs), countMax);
    if (count < 1) return undefined;
    this.#fetch = { count, plannedAtMs: nowMs };
    return this.#fetch;
  }

  /**
   * Accepts the stock of a fetch. Returns false if the fetch was replaced or the stock is too old; its IDs are a gap.
   */
  fill(fetch: Fetch, stock: Stock, nowMs: number): boolean {
    const lapsed = this.freshForMs < Infinity && !this.#isClaimed(nowMs);
    if (fetch !== this.#fetch || lapsed) return false;
    this.#fetch = undefined;
    this.#rule.answered(nowMs - stock.askedAtMs);
    if (!this.isFresh(stock, nowMs)) return this.#drop(stock, nowMs);
    this.#ahead = stock;
    return true;
  }

  /** Switches to the prefetched stock if it is still fresh. The rest of the stock in use is a gap. */
  switchToNext(nowMs: number): boolean {
    if (this.#inUse) this.#rule.ended(this.#useOf(this.#inUse, nowMs), nowMs);
    const stock = this.#ahead;
    this.#inUse = undefined;
    this.#ahead = undefined;
    this.#block = NO_BLOCK;
    this.#blockIndex = -1;
    this.#offset = 0;
    if (!stock) return false;
    if (!this.isFresh(stock, nowMs)) return this.#drop(stock, nowMs);
    this.#inUse = unused(stock, nowMs);
    return true;
  }

  /** Whether the IDs of a stock may be issued now (B2). */
  isFresh({ askedAtMs }: Stock, nowMs: number): boolean {
    return this.freshForMs === Infinity || isWithin(nowMs - askedAtMs, this.freshForMs);
  }

  #useOf({ stock, count, sinceMs, used }: InUse, nowMs: number): StockUse {
    const { freshForMs } = this;
    // A stock serves nobody after its end, even if that is noticed late.
    const untilMs = Math.min(nowMs, stock.askedAtMs + freshForMs);
    const ageMs = nowMs - stock.askedAtMs;
    return { count, used, servedMs: Math.max(0, untilMs - sinceMs), ageMs, freshForMs };
  }

  #isClaimed(nowMs: number): boolean {
    const sinceMs = nowMs - (this.#fetch?.plannedAtMs ?? Number.NaN);
    return isWithin(sinceMs, CLAIM_LAPSES_MS - 1);
  }

  /** Drops a stock that became too old before its first use. */
  #drop(stock: Stock, nowMs: number): false {
    this.#rule.ended({ ...this.#useOf(unused(stock, nowMs), nowMs), servedMs: 0 }, nowMs);
    return false;
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

function unused(stock: Stock, sinceMs: number): InUse {
  return { stock, count: countOf(stock), sinceMs, used: 0 };
}

/** The number of IDs in a stock. */
export function countOf({ blocks }: Stock): number {
  return blocks.reduce((sum, { count }) => sum + count, 0);
}

/** Whether a duration is 0 to `mostMs`. A negative one means that the clock went back. */
export function isWithin(ms: number, mostMs: number): boolean {
  return ms >= 0 && ms <= mostMs;
}
