/**
 * How much to prefetch for callers that want fresh IDs: as much as is asked for until they are too old.
 *
 * A lone request costs one exact call. Repeated demand begins with as many as found nothing, FRESH_COUNT_MIN at least,
 * or with half of what it had before a short silence: a holder that was held up comes back with all who waited.
 * Each stock is sized by the rate at which the one before was used, between half of that one and double the largest
 * yet. So a busy holder fetches about once per freshForMs whatever the load, and little is left over: a fixed size
 * would leave up to half. Half at least, since a holder that was held up could not use what it had.
 * The next fetch is made as late as it may be: a round trip before the end, never before half.
 */
import { isWithin, type RefillRule, type StockUse } from "./block-buffer.ts";

/** IDs for fewer callers than that are not worth a stock: they are fetched one by one. */
export const FRESH_COUNT_MIN = 4;
/** Misses within freshForMs that count as repeated demand, unless said otherwise. */
const REPEATED_MISSES = 2;
/** Demand is remembered for so many times freshForMs after it fell silent: longer than a collection of garbage takes. */
const REMEMBERED_TIMES = 4;
/** A fetch ahead is made at least this long before its stock is wanted, in ms: clocks count whole ms, and queues form. */
const LEAD_MIN_MS = 10;
/** … and this many round trips. */
const LEAD_ROUND_TRIPS = 1.25;

export class FreshDemand implements RefillRule {
  /** Misses are remembered for this long, in ms. */
  freshForMs: number;
  readonly #repeatedMisses: number;
  /** IDs that a caller usually wants at once. */
  protected usualCount = 1;
  #count = 0;
  /** What was prefetched at one time before the silence. */
  #remembered = 0;
  #activeAtMs = 0;
  #missesSinceMs = 0;
  #misses = 0;
  #roundTripMs = 0;

  /** `repeatedMisses`: so many misses are worth a stock. */
  constructor(freshForMs: number, repeatedMisses = REPEATED_MISSES) {
    this.freshForMs = freshForMs;
    this.#repeatedMisses = repeatedMisses;
  }

  countAt(nowMs: number): number {
    const isRecent = isWithin(nowMs - this.#missesSinceMs, this.freshForMs);
    const misses = isRecent ? this.#misses : 0;
    if (misses < this.#repeatedMisses) return this.#count;
    // So many were wanted within freshForMs, whatever was prefetched meanwhile.
    const wanted = Math.max(misses, FRESH_COUNT_MIN) * this.usualCount;
    return Math.ceil(Math.max(wanted, this.#count, this.#remembered / 2));
  }

  isDue({ count, used, servedMs, ageMs, freshForMs }: StockUse): boolean {
    const leadMs = this.#leadMs(freshForMs);
    const usedInLead = (used * leadMs) / Math.max(1, servedMs);
    const soonUsedUp = used * 2 >= count && count - used <= usedInLead;
    return soonUsedUp || ageMs >= freshForMs - leadMs;
  }

  /** `isUsedUp`: it had too little left. */
  ended(
    { count, used, servedMs, ageMs, freshForMs }: StockUse,
    nowMs: number,
    isUsedUp = used >= count,
  ): void {
    // Once it was too old it served nobody.
    this.#activeAtMs = nowMs - Math.max(0, ageMs - freshForMs);
    const inUseMs = freshForMs - Math.max(this.#leadMs(freshForMs), this.#roundTripMs);
    const wanted = (used * inUseMs) / Math.max(1, servedMs);
    // Only one that was used up shows that more was wanted: what little time another served says nothing.
    const most = isUsedUp ? 2 * Math.max(count, this.#count) : count;
    const next = Math.ceil(Math.min(Math.max(wanted, count / 2), most));
    // What would come too late is of no use, and of a clock that went back nothing is known.
    const isTooFew = next < FRESH_COUNT_MIN * this.usualCount;
    this.#count = inUseMs <= 0 || ageMs < 0 || isTooFew ? 0 : next;
    this.#remembered = 0;
  }

  missed(nowMs: number): void {
    // After a silence the demand of before says nothing for sure.
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
    // Falls by half: a shard that writes its mark answers slowly about once a second, and quickly in between.
    this.#roundTripMs = Math.max(roundTripMs, this.#roundTripMs / 2);
  }

  #leadMs(freshForMs: number): number {
    return Math.min(Math.max(LEAD_ROUND_TRIPS * this.#roundTripMs, LEAD_MIN_MS), freshForMs / 2);
  }
}
