/**
 * How much to prefetch for callers that want batches of fresh IDs: FreshDemand's rule, where a few of the usual
 * batches are the least that is worth a stock.
 *
 * A batch is whole or asked for: a stock that has less than a batch left counts as used up.
 */
import type { StockUse } from "./block-buffer.ts";
import { FreshDemand } from "./fresh-demand.ts";

/** Misses within freshForMs that count as repeated demand: a stock is worth four batches, and most of a smaller one's would be left. */
const REPEATED_MISSES = 4;
/** A batch counts for one part in so many of the usual one: the last few dozens say what is usual. */
const USUAL_WEIGHT = 1 / 16;

export class BatchDemand extends FreshDemand {
  /** None is usual yet. */
  protected override usualCount = 0;

  /** `freshForMs`: how long misses are remembered. */
  constructor(freshForMs: number) {
    super(freshForMs, REPEATED_MISSES);
  }

  /** Notes that somebody asked for so many at once, ≥ 1. */
  asked(count: number): void {
    const usual = this.usualCount;
    this.usualCount = usual === 0 ? count : usual + (count - usual) * USUAL_WEIGHT;
  }

  override ended(use: StockUse, nowMs: number): void {
    const { count, used, ageMs, freshForMs } = use;
    // One that was fresh still gave way to the next, since a batch did not go in.
    const isUsedUp = ageMs <= freshForMs || count - used < this.usualCount;
    super.ended(use, nowMs, isUsedUp);
  }
}
