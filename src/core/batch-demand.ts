/**
 * How much to lease ahead for callers that want batches of fresh IDs: FreshDemand's rule, counted in batches.
 *
 * A batch is whole or asked for: what a lease has left that is less than a batch counts as used up.
 */
import type { LeaseUse, RefillRule } from "./block-buffer.ts";
import { FreshDemand } from "./fresh-demand.ts";

/** Misses within freshForMs that count as repeated demand: a lease is worth four batches, and most of a smaller one's would be left. */
const REPEATED_MISSES = 4;
/** A batch counts for one part in so many of the usual one: the last few dozens say what is usual. */
const USUAL_WEIGHT = 1 / 16;

export class BatchDemand implements RefillRule {
  readonly #batches: FreshDemand;
  #usualCount = 0;

  /** `freshForMs`: how long misses are remembered. */
  constructor(freshForMs: number) {
    this.#batches = new FreshDemand(freshForMs, REPEATED_MISSES);
  }

  /** Notes that somebody asked for so many at once, ≥ 1. */
  asked(count: number): void {
    const usual = this.#usualCount;
    this.#usualCount = usual === 0 ? count : usual + (count - usual) * USUAL_WEIGHT;
  }

  countAt(nowMs: number): number {
    return Math.ceil(this.#batches.countAt(nowMs) * this.#usualCount);
  }

  isDue(use: LeaseUse): boolean {
    return this.#batches.isDue(use);
  }

  ended(use: LeaseUse, nowMs: number): void {
    const { count, used } = use;
    const usual = this.#usualCount;
    const servedAll = count - used < usual;
    const batches = count / usual;
    this.#batches.ended(
      { ...use, count: batches, used: servedAll ? batches : used / usual },
      nowMs,
    );
  }

  missed(nowMs: number): void {
    this.#batches.missed(nowMs);
  }

  answered(roundTripMs: number): void {
    this.#batches.answered(roundTripMs);
  }
}
