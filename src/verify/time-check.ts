/** Checks that the times of IDs are near their requests, by this machine's clock, which may be wrong itself. */
import { createHistogram } from "node:perf_hooks";
import type { IdFields, TimeBounds } from "./known-layout.ts";
import { CLOCKS_DIFFER_MAX_MS, EXAMPLES_MAX, OWN_STEP_LEAST_MS } from "./limits.ts";

/** A moment by two clocks: ms since the run began (monotonic), and unix ms. */
export interface Moment {
  readonly ms: number;
  readonly unixMs: number;
}

/**
 * The distance of an ID's time from its request, in ms: 0 if the request was open during its tick, negative if the tick
 * ended before, positive if it began after.
 */
export function offsetMsOf(
  tick: { readonly unixMs: number; readonly tickMs: number },
  sentMs: number,
  answeredMs: number,
): number {
  // The caller's clock may have stepped back meanwhile.
  const openMs = Math.min(sentMs, answeredMs);
  const closedMs = Math.max(sentMs, answeredMs);
  if (tick.unixMs > closedMs) return tick.unixMs - closedMs;
  return Math.min(0, tick.unixMs + tick.tickMs - 1 - openMs);
}

/** Greater offsets, of IDs with bits above their layout, count as this one in the median. */
const OFFSET_MAX_MS = 2 ** 52;

/** Checks the time of each ID against its request. */
export class TimeCheck {
  readonly #fields: IdFields | undefined;
  bounds: TimeBounds | undefined;
  /** The offset of each ID that was off when it came, else 0. They are kept, since `widen` may still accept some. */
  readonly #offMs: Float64Array;
  #count = 0;
  #minMs = Number.POSITIVE_INFINITY;
  #maxMs = Number.NEGATIVE_INFINITY;
  /** Of negative offsets, as positive numbers. */
  readonly #behind = createHistogram();
  /** Of the others, plus 1: a histogram has no 0. */
  readonly #ahead = createHistogram();
  /** A larger change between the two clocks is a step: it would look like a wrong time. */
  readonly #toleranceMs: number;
  #apartMs: number | undefined;
  /** True if this machine's clock stepped, even if it stepped back later: no time can be judged. */
  hasStepped = false;

  /** Checks nothing without `fields` and `bounds`. Memory is committed only for IDs that are off. */
  constructor(fields: IdFields | undefined, bounds: TimeBounds | undefined, idsMax: number) {
    this.#fields = bounds && fields;
    this.bounds = fields && bounds;
    this.#offMs = new Float64Array(this.bounds ? idsMax : 0);
    const { behindMaxMs = 0, aheadMaxMs = 0 } = bounds ?? {};
    const leastMs = Math.min(behindMaxMs, aheadMaxMs, CLOCKS_DIFFER_MAX_MS);
    this.#toleranceMs = Math.max(OWN_STEP_LEAST_MS, leastMs);
  }

  /** Looks for a step of this machine's clock. Needs every moment of the run, in order. */
  see({ ms, unixMs }: Moment): void {
    const apartMs = unixMs - ms;
    this.#apartMs ??= apartMs;
    if (Math.abs(apartMs - this.#apartMs) > this.#toleranceMs) this.hasStepped = true;
  }

  /** Adds the next acknowledged ID. */
  add(id: bigint, sentAt: Moment, at: Moment): void {
    const fields = this.#fields;
    if (!fields) return;
    const tick = { unixMs: fields.unixMsOf(id), tickMs: fields.tickMs };
    const offsetMs = offsetMsOf(tick, sentAt.unixMs, at.unixMs);
    this.#minMs = Math.min(this.#minMs, offsetMs);
    this.#maxMs = Math.max(this.#maxMs, offsetMs);
    if (offsetMs < 0) this.#behind.record(-offsetMs);
    else this.#ahead.record(Math.min(offsetMs, OFFSET_MAX_MS) + 1);
    if (this.#isOff(offsetMs)) this.#offMs[this.#count] = offsetMs;
    this.#count += 1;
  }

  /** Widens the bounds: the policy may have changed during the run. */
  widen({ behindMaxMs, aheadMaxMs }: TimeBounds): void {
    this.bounds &&= {
      behindMaxMs: Math.max(this.bounds.behindMaxMs, behindMaxMs),
      aheadMaxMs: Math.max(this.bounds.aheadMaxMs, aheadMaxMs),
    };
  }

  /** The number of IDs further from their requests than promised, and the first few, by the order of acknowledgement. */
  off() {
    const first: { readonly index: number; readonly offsetMs: number }[] = [];
    let count = 0;
    const hasOff = this.#isOff(this.#minMs) || this.#isOff(this.#maxMs);
    if (!hasOff || this.hasStepped) return { count, first };
    for (let index = 0; index < this.#count; index += 1) {
      const offsetMs = this.#offMs[index] ?? 0;
      if (!this.#isOff(offsetMs)) continue;
      count += 1;
      if (first.length < EXAMPLES_MAX) first.push({ index, offsetMs });
    }
    return { count, first };
  }

  /** The distances of IDs from their requests, in ms, the median to three digits; undefined if unknown. */
  summary() {
    if (this.#count === 0 || this.hasStepped) return undefined;
    const [behind, ahead] = [this.#behind, this.#ahead];
    const rank = Math.ceil(this.#count / 2);
    // The oldest ID has the greatest distance.
    const medianMs =
      rank <= behind.count
        ? -behind.percentile((100 * (behind.count - rank + 1)) / behind.count)
        : ahead.percentile((100 * (rank - behind.count)) / ahead.count) - 1;
    const [minMs, maxMs] = [this.#minMs, this.#maxMs];
    return { minMs, medianMs: Math.max(minMs, Math.min(maxMs, medianMs)), maxMs };
  }

  #isOff(offsetMs: number): boolean {
    if (!this.bounds) return false;
    const { behindMaxMs, aheadMaxMs } = this.bounds;
    return offsetMs < -behindMaxMs || offsetMs > aheadMaxMs;
  }
}
