/**
 * How much to prefetch for callers of batches: FreshDemand's rule, with a stock of at least a few usual batches.
 *
 * A batch comes whole from one stock or from a call of its own.
 */
import { FreshDemand } from "./fresh-demand.ts";

/** Requests that count as repeated demand. Most of a stock would remain unused with fewer. */
const REPEATED_REQUESTS = 4;
/** Weight of one batch in the moving average of batch sizes, which covers the last few dozen. */
const USUAL_WEIGHT = 1 / 16;
/** A larger batch counts as so many times the average: a single one must not change it much. */
const USUAL_TIMES_MAX = 8;

export class BatchDemand extends FreshDemand {
  /** The moving average of batch sizes; 0 before the first batch. */
  protected override usualCount = 0;

  constructor() {
    super(REPEATED_REQUESTS);
  }

  /** Records a request for a batch of `count` IDs, ≥ 1. */
  asked(count: number): void {
    const usual = this.usualCount;
    const limited = Math.min(count, USUAL_TIMES_MAX * usual);
    this.usualCount = usual === 0 ? count : usual + (limited - usual) * USUAL_WEIGHT;
  }
}
