import type { IdFields } from "./id-fields.ts";
import { Offsets, offsetMsOf, type TimeBounds } from "./id-times.ts";
import { EXAMPLES_MAX } from "./limits.ts";
import type { Moment } from "./moment.ts";
import { OwnClock } from "./own-clock.ts";

/** An ID that is further from its request than was promised. */
export interface OffTime {
  /** Of the ID, among the acknowledged. */
  readonly index: number;
  readonly offsetMs: number;
}

/** Whether IDs are about as old as their requests. */
export class TimeCheck {
  readonly #fields: IdFields | undefined;
  readonly #offsets = new Offsets();
  readonly #clock: OwnClock;
  #bounds: TimeBounds | undefined;
  /** What was off when it came: kept, since the bounds may still be widened. */
  readonly #offIndices: Uint32Array;
  readonly #offMs: Float64Array;
  #offCount = 0;

  /** Checks nothing without `bounds`. Memory is taken only for IDs that are off. */
  constructor(fields: IdFields | undefined, bounds: TimeBounds | undefined, idsMax: number) {
    this.#fields = fields;
    this.#bounds = bounds;
    const { behindMaxMs = 0, aheadMaxMs = 0 } = bounds ?? {};
    this.#clock = new OwnClock(Math.min(behindMaxMs, aheadMaxMs));
    const offMax = bounds ? idsMax : 0;
    this.#offIndices = new Uint32Array(offMax);
    this.#offMs = new Float64Array(offMax);
  }

  /** Every moment of the run, in order. */
  see(at: Moment): void {
    this.#clock.see(at);
  }

  /** The IDs of an answer; the index of the first. */
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

  /** Judges by the larger bounds to either side: a policy may have changed during the run. */
  widen({ behindMaxMs, aheadMaxMs }: TimeBounds): void {
    if (!this.#bounds) return;
    this.#bounds = {
      behindMaxMs: Math.max(this.#bounds.behindMaxMs, behindMaxMs),
      aheadMaxMs: Math.max(this.#bounds.aheadMaxMs, aheadMaxMs),
    };
  }

  /** Why nothing can be said, other than that IDs can't be read. */
  get hasStepped(): boolean {
    return this.#clock.hasStepped;
  }

  get bounds(): TimeBounds | undefined {
    return this.#fields && this.#bounds;
  }

  /** All that are off, and the first few. None where this machine's clock stepped: it may have been the wrong one. */
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

  /** How far IDs were from their requests; undefined where that is not known. */
  summary(): ReturnType<Offsets["summary"]> {
    return this.bounds && !this.hasStepped ? this.#offsets.summary() : undefined;
  }

  #isOff(offsetMs: number): boolean {
    const bounds = this.#bounds;
    if (!bounds) return false;
    return offsetMs < -bounds.behindMaxMs || offsetMs > bounds.aheadMaxMs;
  }
}
