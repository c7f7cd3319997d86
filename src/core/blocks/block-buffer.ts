/**
 * Prefetched IDs on their way out, one at a time: the stock in use, and the next one, fetched ahead.
 *
 * Invariants, each proved by the tests with the same number:
 *  B1 Each ID of a stock is handed out at most once: the cursor only moves on, and a stock is taken in once
 *     at most, by the fetch that was planned for it.
 *  B2 Nothing is handed out at an age below 0 or above freshForMs, the namespace's policy as last read.
 *  B3 One fetch ahead at a time. Its claim lapses after CLAIM_LAPSES_MS, so that one which never answers does
 *     not block the next; what it brings later is dropped, unless it never ages and no other was asked for.
 *  B4 Two stocks are held at most.
 *  B5 A batch is whole and of one stock, and so of one shard (openFor in take-blocks).
 *
 * Pure: the clock is handed in, the fetching is the caller's. Isolates and clients use the same buffer.
 */
import type { Block } from "./block.ts";

/** IDs prefetched at one time from one shard: at least one block, none of them empty. */
export interface Stock {
  readonly blocks: readonly Block[];
  readonly shard: number;
  /** The holder's clock when it asked, unix ms: the stock's age is counted from there. */
  readonly askedAtMs: number;
}

/** How a stock was or is used: what a rule decides on. */
export interface StockUse {
  readonly count: number;
  readonly used: number;
  /** Since it came into use, in ms; 0 where it never did. */
  readonly servedMs: number;
  readonly ageMs: number;
  readonly freshForMs: number;
}

/** When to fetch ahead, and how much. */
export interface RefillRule {
  /** IDs to ask for in the next fetch ahead; 0: none. */
  countAt(nowMs: number): number;
  /** Whether it is time to fetch the stock that follows this one. */
  isDue(use: StockUse): boolean;
  /** A stock was used up or dropped. */
  ended(use: StockUse, nowMs: number): void;
  /** There was nothing to hand out. */
  missed(nowMs: number): void;
  /** A fetch was answered, so many ms after it was asked for. */
  answered(roundTripMs: number): void;
}

/** A fetch that the holder is to make; it brings its stock to `fill`. */
export interface Fetch {
  readonly count: number;
  readonly plannedAtMs: number;
}

/** How long a fetch ahead may take before another one is made, in ms; a failed one is not repeated sooner. */
export const CLAIM_LAPSES_MS = 1000;

/** A stock that IDs are handed out from. */
export interface StockInUse {
  readonly stock: Stock;
  /** All of its IDs, … */
  readonly count: number;
  /** … and those that were handed out. */
  readonly used: number;
}

interface InUse extends StockInUse {
  readonly sinceMs: number;
  used: number;
}

const NO_BLOCK: Block = { first: 0n, count: 0 };

export class BlockBuffer {
  /**
   * IDs are handed out up to this age, in ms; Infinity for numbers without a clock. The holder sets it to the policy
   * as it was last read, so that a change binds stocks already held.
   */
  freshForMs: number;
  readonly #rule: RefillRule;
  #inUse: InUse | undefined;
  #ahead: Stock | undefined;
  /** The fetch that was planned last, until it is answered. */
  #fetch: Fetch | undefined;
  #block = NO_BLOCK;
  #blockIndex = 0;
  #offset = 0;

  constructor(rule: RefillRule, freshForMs = Number.POSITIVE_INFINITY) {
    this.#rule = rule;
    this.freshForMs = freshForMs;
  }

  /** Moves on to the next ID that may be handed out now; false where there is none. */
  advance(nowMs: number): boolean {
    const inUse = this.#inUse;
    const moved = inUse !== undefined && this.isFresh(inUse.stock, nowMs) && this.#next();
    return moved || (this.switchToNext(nowMs) && this.#next());
  }

  /** The stock in use, fresh or not. */
  get inUse(): StockInUse | undefined {
    return this.#inUse;
  }

  /** The stock fetched ahead, fresh or not. */
  get ahead(): Stock | undefined {
    return this.#ahead;
  }

  /** The block that the last `advance` moved to. */
  get block(): Block {
    return this.#block;
  }

  /** The place in that block. */
  get offset(): number {
    return this.#offset;
  }

  /** Moves on by `many` more IDs of that block, which has as many. */
  skip(many: number): void {
    this.#offset += many;
    if (this.#inUse) this.#inUse.used += many;
  }

  /** Notes that somebody had to fetch for itself. */
  missed(nowMs: number): void {
    this.#rule.missed(nowMs);
  }

  /** The fetch ahead that is to be made now, at most `countMax` IDs; undefined where none is. */
  plan(nowMs: number, countMax: number): Fetch | undefined {
    if (this.#ahead || this.#isClaimed(nowMs)) return undefined;
    if (this.#inUse && !this.#rule.isDue(this.#useOf(this.#inUse, nowMs))) return undefined;
    const count = Math.min(this.#rule.countAt(nowMs), countMax);
    if (count < 1) return undefined;
    this.#fetch = { count, plannedAtMs: nowMs };
    return this.#fetch;
  }

  /** Takes in what a fetch brought. False: not that fetch's turn any more, or too old; its IDs are a gap. */
  fill(fetch: Fetch, stock: Stock, nowMs: number): boolean {
    const lapsed = this.freshForMs < Infinity && !this.#isClaimed(nowMs);
    if (fetch !== this.#fetch || lapsed) return false;
    this.#fetch = undefined;
    this.#rule.answered(nowMs - stock.askedAtMs);
    if (!this.isFresh(stock, nowMs)) return this.#drop(stock, nowMs);
    this.#ahead = stock;
    return true;
  }

  /** Switches to the stock fetched ahead if it is still fresh. The rest of the stock in use is a gap. */
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

  /** Whether a stock may be handed out now (B2). */
  isFresh({ askedAtMs }: Stock, nowMs: number): boolean {
    return this.freshForMs === Infinity || isWithin(nowMs - askedAtMs, this.freshForMs);
  }

  #useOf({ stock, count, sinceMs, used }: InUse, nowMs: number): StockUse {
    const { freshForMs } = this;
    // After its end it served nobody, however late that is noticed.
    const untilMs = Math.min(nowMs, stock.askedAtMs + freshForMs);
    const ageMs = nowMs - stock.askedAtMs;
    return { count, used, servedMs: Math.max(0, untilMs - sinceMs), ageMs, freshForMs };
  }

  #isClaimed(nowMs: number): boolean {
    const sinceMs = nowMs - (this.#fetch?.plannedAtMs ?? Number.NaN);
    return isWithin(sinceMs, CLAIM_LAPSES_MS - 1);
  }

  /** A stock that is too old before it served anybody. */
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

/** All IDs of a stock. */
export function countOf({ blocks }: Stock): number {
  return blocks.reduce((sum, { count }) => sum + count, 0);
}

/** Whether a length of time is none that a clock gives which went back, and no longer than that. */
export function isWithin(ms: number, mostMs: number): boolean {
  return ms >= 0 && ms <= mostMs;
}
