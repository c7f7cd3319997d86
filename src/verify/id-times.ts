import { Histogram } from "./histogram.ts";

/** How far IDs may be from the request that brought them, in ms. */
export interface TimeBounds {
  /** Older than the request's sending. */
  readonly behindMaxMs: number;
  /** Ahead of the answer's arrival. */
  readonly aheadMaxMs: number;
}

/** An ID's tick, and the request that brought it by the caller's clock, all in unix ms. */
export interface TimedId {
  readonly unixMs: number;
  readonly tickMs: number;
  readonly sentMs: number;
  readonly answeredMs: number;
}

/**
 * How far an ID's time is from its request, in ms: 0 where its tick is one of those in which the request was open,
 * negative where it ended before, positive where it began after.
 */
export function offsetMsOf({ unixMs, tickMs, sentMs, answeredMs }: TimedId): number {
  // The caller's clock may have stepped back meanwhile.
  const openMs = Math.min(sentMs, answeredMs);
  const closedMs = Math.max(sentMs, answeredMs);
  if (unixMs > closedMs) return unixMs - closedMs;
  return Math.min(0, unixMs + tickMs - 1 - openMs);
}

/** The offsets of a run. */
export class Offsets {
  readonly #behind = new Histogram();
  readonly #ahead = new Histogram();
  #minMs = Number.POSITIVE_INFINITY;
  #maxMs = Number.NEGATIVE_INFINITY;

  add(offsetMs: number): void {
    this.#minMs = Math.min(this.#minMs, offsetMs);
    this.#maxMs = Math.max(this.#maxMs, offsetMs);
    if (offsetMs < 0) this.#behind.add(-offsetMs);
    else this.#ahead.add(offsetMs);
  }

  /** In ms, min and max exactly; undefined where there are none. */
  summary(): { minMs: number; medianMs: number; maxMs: number } | undefined {
    const behind = this.#behind.total;
    const total = behind + this.#ahead.total;
    if (total === 0) return undefined;
    const rank = Math.ceil(total / 2);
    // The oldest has the greatest distance.
    const medianMs =
      rank <= behind ? -this.#behind.ranked(behind - rank + 1) : this.#ahead.ranked(rank - behind);
    return { minMs: this.#minMs, medianMs, maxMs: this.#maxMs };
  }
}
