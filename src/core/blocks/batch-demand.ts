/**
 * How much to prefetch for callers of batches: FreshDemand's rule, with a stock of at least a few usual batches.
 *
 * A batch comes whole from one stock or from a call of its own. So a stock with less than a batch left counts as used
 * up.
 */
import type { StockUse } from "./block-buffer.ts";
import { FreshDemand } from "./fresh-demand.ts";

/** Misses within freshForMs that count as repeated demand. Most of a stock would remain unused with fewer. */
const REPEATED_MISSES = 4;
/** Weight of one batch in the moving average of batch sizes, which covers the last few dozen. */
const USUAL_WEIGHT = 1 / 16;

export class BatchDemand extends FreshDemand {
  /** The moving average of batch sizes; 0 before the first batch. */
  protected override usualCount = 0;

  /** `freshForMs`: how long misses are remembered, in ms. */
  constructor(freshForMs: number) {
    super(freshForMs, REPEATED_MISSES);
  }

  /** Records a request for a batch of `count` IDs, ≥ 1. */
  asked(count: number): void {
    const usual = this.usualCount;
    this.usualCount = usual === 0 ? count : usual + (count - usual) * USUAL_WEIGHT;
  }

  override ended(use: StockUse, nowMs: number): void {
    const { count, used, ageMs, freshForMs } = use;
    // A stock that ended while fresh was too small for a batch, so it counts as used up.
    const isUsedUp = ageMs <= freshForMs || count - used < this.usualCount;
    super.ended(use, nowMs, isUsedUp);
  }
}
