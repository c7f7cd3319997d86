/**
 * When to prefetch for callers of fresh IDs, and how many.
 *
 * Invariants, each proved by the tests with the same number:
 *  P1 A lone request causes no prefetch: at first, or after REMEMBERED_TIMES × freshForMs without one. After a pause of
 *     less than twice that, a part of the demand before is expected from the second request on.
 *  P2 Each stock is sized for the demand in the time that it can serve, freshForMs less a round trip, plus half a
 *     standard deviation of that demand. The rate is that of the requests of about the last freshForMs.
 *  P3 The next stock is requested a round trip before the newest one is too old or used up, and LEAD_MS earlier. So a
 *     busy holder sends at most twice 1000 ÷ (freshForMs − round trip) calls a second, whatever the load.
 *  P4 The first stock is small: FRESH_COUNT_FIRST IDs after two requests at once. No stock is above twice the
 *     requests counted, plus the margin.
 */
import { isWithin, type RefillRule, type StockUse } from "./block-buffer.ts";

/** Size of the first stock, in requests: 4 and their margin. */
export const FRESH_COUNT_FIRST = 5;
/** Default number of requests, in the time that a stock can serve, that count as repeated demand. */
const REPEATED_REQUESTS = 2;
/** Demand is remembered for this many times freshForMs, and in part for twice as long. */
const REMEMBERED_TIMES = 4;
/** Part of the remembered requests that are expected again at once. */
const EXPECTED_PART = 1 / 8;
/** Time from the response to the first use of a stock, in ms: clocks count whole ms, and requests come at random. */
const LEAD_MS = 10;

export class FreshDemand implements RefillRule {
  readonly #repeated: number;
  /** Number of IDs that a caller usually requests at once. */
  protected usualCount = 1;
  #sinceMs = 0;
  /** IDs requested since then, except those used of the stock in use. */
  #requested = 0;
  #roundTripMs = 0;
  /** The next stock is due if fewer IDs than these are left; 0 if none was planned since a pause. */
  #least = 0;

  /** `repeated`: the number of requests that start prefetching. */
  constructor(repeated = REPEATED_REQUESTS) {
    this.#repeated = repeated;
  }

  countAt(nowMs: number, used: number, freshForMs: number): number {
    const usual = this.usualCount;
    const ms = nowMs - this.#sinceMs;
    if (!isWithin(ms, REMEMBERED_TIMES * freshForMs)) {
      const isPause = this.#least > 0 && isWithin(ms, 2 * REMEMBERED_TIMES * freshForMs);
      const expected = isPause ? (this.#requested + used) * EXPECTED_PART : 0;
      this.#least = 0;
      this.#sinceMs = nowMs;
      this.#requested = expected + usual - used;
      return 0;
    }
    const requested = this.#requested + used;
    // Over less time, a few concurrent requests would seem a high rate.
    const perMs = requested / Math.max(ms, (freshForMs * this.#repeated) / (FRESH_COUNT_FIRST - 1));
    const wanted = perMs * this.#servesMs(freshForMs);
    // NaN if freshForMs is 0.
    if (!(wanted >= this.#repeated * usual)) return 0;
    const kept = Math.min(1, freshForMs / ms);
    this.#sinceMs = nowMs - ms * kept;
    this.#requested = requested * kept - used;
    this.#least = usual + perMs * (this.#roundTripMs + LEAD_MS);
    return Math.ceil(wanted + Math.sqrt(wanted * usual) / 2);
  }

  isDue({ count, used, ageMs, freshForMs }: StockUse): boolean {
    const servesMs = this.#servesMs(freshForMs);
    return count - used < this.#least || ageMs >= Math.max(servesMs - LEAD_MS, servesMs / 2);
  }

  ended(used: number): void {
    this.#requested += used;
  }

  missed(): void {
    this.#requested += this.usualCount;
  }

  answered(roundTripMs: number): void {
    // Decays by half: a shard answers slowly about once per second, when it writes its mark.
    this.#roundTripMs = Math.max(roundTripMs, this.#roundTripMs / 2);
  }

  /** The time that a stock can serve. Never 0: a single slow response must not end prefetching. */
  #servesMs(freshForMs: number): number {
    return Math.max(freshForMs - this.#roundTripMs, freshForMs / 4);
  }
}
