/** Checks that the times of IDs are near their requests, by this machine's clock, which may be wrong itself. */
import { Histogram } from "./histogram.ts";
import type { IdFields, TimeBounds } from "./known-layout.ts";
import { CLOCKS_DIFFER_MAX_MS, EXAMPLES_MAX, OWN_STEP_LEAST_MS } from "./limits.ts";

/** A moment by two clocks: ms since the run began (monotonic), and unix ms. */
export interface Moment {
  readonly ms: number;
  readonly unixMs: number;
}

/** Detects steps of this machine's clock during a run, against its monotonic clock. */
export class OwnClock {
  readonly #toleranceMs: number;
  #apartMs: number | undefined;
  #hasStepped = false;

  /** `boundMs`: the smallest wrong distance of an ID from its request; a step as large would look like one. */
  constructor(boundMs: number) {
    this.#toleranceMs = Math.max(OWN_STEP_LEAST_MS, Math.min(CLOCKS_DIFFER_MAX_MS, boundMs));
  }

  see({ ms, unixMs }: Moment): void {
    const apartMs = unixMs - ms;
    this.#apartMs ??= apartMs;
    if (Math.abs(apartMs - this.#apartMs) > this.#toleranceMs) this.#hasStepped = true;
  }

  /** True after the first step, even if a later step undid it. */
  get hasStepped(): boolean {
    return this.#hasStepped;
  }
}

/** An ID's tick, and its request by the caller's clock: unix ms, but `tickMs`. */
export interface TimedId {
  readonly unixMs: number;
  readonly tickMs: number;
  readonly sentMs: number;
  readonly answeredMs: number;
}

/**
 * The distance of an ID's time from its request, in ms: 0 if the request was open during its tick, negative if the tick
 * ended before, positive if it began after.
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

  /** In ms, min and max exactly; undefined if empty. */
  summary(): { minMs: number; medianMs: number; maxMs: number } | undefined {
    const behind = this.#behind.total;
    const total = behind + this.#ahead.total;
    if (total === 0) return undefined;
    const rank = Math.ceil(total / 2);
    // The oldest ID has the greatest distance.
    const medianMs =
      rank <= behind ? -this.#behind.ranked(behind - rank + 1) : this.#ahead.ranked(rank - behind);
    return { minMs: this.#minMs, medianMs, maxMs: this.#maxMs };
  }
}

/** An ID further from its request than promised. */
export interface OffTime {
  /** The index of the ID among the acknowledged. */
  readonly index: number;
  readonly offsetMs: number;
}

/** Checks the time of each ID against its request. */
export class TimeCheck {
  readonly #fields: IdFields | undefined;
  readonly #offsets = new Offsets();
  readonly #clock: OwnClock;
  #bounds: TimeBounds | undefined;
  /** IDs that were off when they came. They are kept, since `widen` may still accept some. */
  readonly #offIndices: Uint32Array;
  readonly #offMs: Float64Array;
  #offCount = 0;

  /** Checks nothing without `bounds`. Memory is committed only for IDs that are off. */
  constructor(fields: IdFields | undefined, bounds: TimeBounds | undefined, idsMax: number) {
    this.#fields = fields;
    this.#bounds = bounds;
    const { behindMaxMs = 0, aheadMaxMs = 0 } = bounds ?? {};
    this.#clock = new OwnClock(Math.min(behindMaxMs, aheadMaxMs));
    const offMax = bounds ? idsMax : 0;
    this.#offIndices = new Uint32Array(offMax);
    this.#offMs = new Float64Array(offMax);
  }

  /** Records every moment of the run, in order. */
  see(at: Moment): void {
    this.#clock.see(at);
  }

  /** Adds the IDs of an answer; `first` is the index of the first one. */
  add(ids: readonly bigint[], first: number, sentAt: Moment, at: Moment): void {
    const fields = this.#fields;
    if (!fields || this.#clock.hasStepped) return;
    const request = { tickMs: fields.tickMs, sentMs: sentAt.unixMs, answeredMs: at.unixMs };
    for (const [place, id] of ids.entries()) {
      const offsetMs = offsetMsOf({ ...request, unixMs: fields.unixMsOf(id) });
      this.#offsets.add(offsetMs);
      if (!this.#isOff(offsetMs)) continue;
      this.#offIndices[this.#offCount] = first + place;
      this.#offMs[this.#offCount] = offsetMs;
      this.#offCount += 1;
    }
  }

  /** Widens the bounds: the policy may have changed during the run. */
  widen({ behindMaxMs, aheadMaxMs }: TimeBounds): void {
    if (!this.#bounds) return;
    this.#bounds = {
      behindMaxMs: Math.max(this.#bounds.behindMaxMs, behindMaxMs),
      aheadMaxMs: Math.max(this.#bounds.aheadMaxMs, aheadMaxMs),
    };
  }

  /** True if this machine's clock stepped, so that no time can be judged. */
  get hasStepped(): boolean {
    return this.#clock.hasStepped;
  }

  get bounds(): TimeBounds | undefined {
    return this.#fields && this.#bounds;
  }

  /** The number of IDs that are off, and the first few. None if this machine's clock stepped: it may be the wrong one. */
  off(): { readonly count: number; readonly first: readonly OffTime[] } {
    const first: OffTime[] = [];
    let count = 0;
    for (let at = 0; at < this.#offCount && !this.hasStepped; at += 1) {
      const offsetMs = this.#offMs[at] ?? 0;
      if (!this.#isOff(offsetMs)) continue;
      count += 1;
      if (first.length < EXAMPLES_MAX) first.push({ index: this.#offIndices[at] ?? 0, offsetMs });
    }
    return { count, first };
  }

  /** The distances of IDs from their requests; undefined if unknown. */
  summary(): ReturnType<Offsets["summary"]> {
    return this.bounds && !this.hasStepped ? this.#offsets.summary() : undefined;
  }

  #isOff(offsetMs: number): boolean {
    const bounds = this.#bounds;
    if (!bounds) return false;
    return offsetMs < -bounds.behindMaxMs || offsetMs > bounds.aheadMaxMs;
  }
}
