/**
 * Noticing that this instance's clock stands still.
 *
 * workerd never lets the clock of a running object go back: when the machine's clock steps back by X,
 * Date.now() in the object stands still for X, and a wait of 1 ms takes X + 1 ms. New instances and
 * callers see the true clock. So: our clock is ahead of a caller's, and has not moved while the callers'
 * have. A lagging caller alone, or a long queue, does not look like that.
 */
import { STANDSTILL_AHEAD_MS, STANDSTILL_CALLERS_MOVED_MS } from "./limits.ts";

/** The earliest caller's clock seen at the reading `ownMs` of ours. */
export interface ClockPair {
  readonly ownMs: number;
  readonly callerMs: number;
}

/** Takes in another pair of readings. */
export function observePair(before: ClockPair | undefined, now: ClockPair): ClockPair {
  if (before?.ownMs !== now.ownMs) return now;
  return before.callerMs <= now.callerMs ? before : now;
}

/** Whether our clock stands still, given all pairs `seen` (by observePair) and the newest. */
export function standsStill(seen: ClockPair, now: ClockPair): boolean {
  return isAhead(now) && now.callerMs - seen.callerMs >= STANDSTILL_CALLERS_MOVED_MS;
}

/** Looks at this instance's clock with each call that brings a caller's. */
export class ClockWatch {
  #seen: ClockPair | undefined;

  /** Whether it is found to stand still, now that it shows this. */
  standsStill(now: ClockPair): boolean {
    this.#seen = observePair(this.#seen, now);
    return standsStill(this.#seen, now);
  }
}

/** Whether our clock is so far ahead of the caller's that a wait reckoned from it may take too long. */
export function isAhead({ ownMs, callerMs }: ClockPair): boolean {
  return ownMs - callerMs > STANDSTILL_AHEAD_MS;
}
