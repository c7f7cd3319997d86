/**
 * When to fetch the next segment, and its length: Meituan Leaf's rules (SegmentIDGenImpl).
 *
 * The first two fetches use the namespace's step. From the third on, the time since the last fetch decides:
 * under 15 min the step doubles, unless that would pass SEGMENT_STEP_MAX; from 30 min on it halves, unless that
 * would fall below the namespace's step; in between, and in those two cases, it stays.
 */
import type { RefillRule, StockUse } from "../blocks/block-buffer.ts";
import { SEGMENT_STEP_MAX } from "../limits.ts";

/** How long a segment should last, in ms (Leaf's SEGMENT_DURATION). */
export const SEGMENT_LASTS_MS = 900_000;
/** The next segment is prefetched once more than 1 / PREFETCH_DIVISOR of the current one is used. */
const PREFETCH_DIVISOR = 10;

interface Fetched {
  readonly step: number;
  readonly atMs: number;
}

export class SegmentDemand implements RefillRule {
  /** The namespace's own step, ≥ 1: it may be changed while the buffer lives. */
  namespaceStep: number;
  #fetches = 0;
  #last: Fetched = { step: 0, atMs: 0 };
  #planned: Fetched = { step: 0, atMs: 0 };

  constructor(namespaceStep: number) {
    this.namespaceStep = namespaceStep;
  }

  countAt(nowMs: number): number {
    this.#planned = { step: this.#stepAt(nowMs), atMs: nowMs };
    return this.#planned.step;
  }

  isDue({ count, used }: StockUse): boolean {
    return used * PREFETCH_DIVISOR > count;
  }

  answered(): void {
    this.#fetches += 1;
    this.#last = this.#planned;
  }

  // The step depends only on fetches.
  ended(): void {}
  missed(): void {}

  #stepAt(nowMs: number): number {
    if (this.#fetches < 2) return this.namespaceStep;
    const { step, atMs } = this.#last;
    const sinceMs = nowMs - atMs;
    if (sinceMs < SEGMENT_LASTS_MS) return step * 2 > SEGMENT_STEP_MAX ? step : step * 2;
    if (sinceMs < 2 * SEGMENT_LASTS_MS) return step;
    const half = Math.floor(step / 2);
    return half < this.namespaceStep ? step : half;
  }
}
