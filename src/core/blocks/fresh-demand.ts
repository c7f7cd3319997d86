/**
 * How much to prefetch for callers of fresh IDs: the number that they will request within freshForMs.
 *
 * A single request costs one exact call. After repeated demand, the first stock has one ID per recent miss, at least
 * FRESH_COUNT_MIN. After a short pause it has half of the last stock's size: a stalled holder resumes with all callers
 * that waited. Each further stock is sized by the rate of use of the stock before. It is at least half of that stock,
 * because a stalled holder could not use its IDs, and at most double the largest so far. So a busy holder fetches about
 * once per freshForMs at any load and wastes little; a fixed size would waste up to half. The next fetch starts as late
 * as possible: one round trip before the end, never in the first half.
 */
import { isWithin, type RefillRule, type StockUse } from "./block-buffer.ts";

/** Minimum size of a stock, in callers. Smaller demand is fetched one by one. */
export const FRESH_COUNT_MIN = 4;
/** Default number of misses within freshForMs that count as repeated demand. */
const REPEATED_MISSES = 2;
/** Demand is remembered for this many times freshForMs after it stops: longer than a garbage collection. */
const REMEMBERED_TIMES = 4;
/** Minimum time from a prefetch to the first use of its stock, in ms: clocks count whole ms, and queues form. */
const LEAD_MIN_MS = 10;
/** Round trips from a prefetch to the first use of its stock. */
const LEAD_ROUND_TRIPS = 1.25;

export class FreshDemand implements RefillRule {
  /** How long misses are remembered, in ms. */
  freshForMs: number;
  readonly #repeatedMisses: number;
  /** Number of IDs that a caller usually requests at once. */
  protected usualCount = 1;
  #count = 0;
  /** Size of the last stock before the pause. */
  #remembered = 0;
  #activeAtMs = 0;
  #missesSinceMs = 0;
  #misses = 0;
  #roundTripMs = 0;

  /** `repeatedMisses`: the number of misses that start prefetching. */
  constructor(freshForMs: number, repeatedMisses = REPEATED_MISSES) {
    this.freshForMs = freshForMs;
    this.#repeatedMisses = repeatedMisses;
  }

  countAt(nowMs: number): number {
    const isRecent = isWithin(nowMs - this.#missesSinceMs, this.freshForMs);
    const misses = isRecent ? this.#misses : 0;
    if (misses < this.#repeatedMisses) return this.#count;
    // This many were requested within freshForMs, in addition to prefetched IDs.
    const wanted = Math.max(misses, FRESH_COUNT_MIN) * this.usualCount;
    return Math.ceil(Math.max(wanted, this.#count, this.#remembered / 2));
  }

  isDue({ count, used, servedMs, ageMs, freshForMs }: StockUse): boolean {
    const leadMs = this.#leadMs(freshForMs);
    const usedInLead = (used * leadMs) / Math.max(1, servedMs);
    const soonUsedUp = used * 2 >= count && count - used <= usedInLead;
    return soonUsedUp || ageMs >= freshForMs - leadMs;
  }

  /** `isUsedUp`: the stock had too few IDs left. */
  ended(
    { count, used, servedMs, ageMs, freshForMs }: StockUse,
    nowMs: number,
    isUsedUp = used >= count,
  ): void {
    // A stock serves nobody once it is too old.
    this.#activeAtMs = nowMs - Math.max(0, ageMs - freshForMs);
    const inUseMs = freshForMs - Math.max(this.#leadMs(freshForMs), this.#roundTripMs);
    const wanted = (used * inUseMs) / Math.max(1, servedMs);
    // Only a stock that was used up shows higher demand.
    const most = isUsedUp ? 2 * Math.max(count, this.#count) : count;
    const next = Math.ceil(Math.min(Math.max(wanted, count / 2), most));
    // IDs that would arrive too late are of no use, and a clock that went back gives no rate.
    const isTooFew = next < FRESH_COUNT_MIN * this.usualCount;
    this.#count = inUseMs <= 0 || ageMs < 0 || isTooFew ? 0 : next;
    this.#remembered = 0;
  }

  missed(nowMs: number): void {
    // After a pause, earlier demand is uncertain.
    const silentMs = nowMs - this.#activeAtMs;
    if (!isWithin(silentMs, this.freshForMs)) {
      const rememberedMs = REMEMBERED_TIMES * this.freshForMs;
      this.#remembered = isWithin(silentMs, rememberedMs) ? this.#count : 0;
      this.#count = 0;
    }
    this.#activeAtMs = nowMs;
    if (!isWithin(nowMs - this.#missesSinceMs, this.freshForMs)) {
      this.#missesSinceMs = nowMs;
      this.#misses = 0;
    }
    this.#misses += 1;
  }

  answered(roundTripMs: number): void {
    // Decays by half: a shard answers slowly about once per second, when it writes its mark.
    this.#roundTripMs = Math.max(roundTripMs, this.#roundTripMs / 2);
  }

  #leadMs(freshForMs: number): number {
    return Math.min(Math.max(LEAD_ROUND_TRIPS * this.#roundTripMs, LEAD_MIN_MS), freshForMs / 2);
  }
}
