/**
 * Proof that the clock of an object is frozen.
 *
 * workerd never lets the clock of a running object go back. When the machine's clock steps back by X, Date.now() in the
 * object is frozen for X, and a wait of 1 ms takes X + 1 ms. New instances and callers see the true clock.
 *
 * A caller's clock alone proves nothing: a queued call carries an old reading. So each reply carries the object's
 * clock, and the next call echoes it with the time that the caller's clock has counted since. Between the two the
 * object's clock must have counted at least as much, however long the call was queued. Only the first call of a request
 * echoes: the clock of a request that began before a step back is frozen too.
 */
import { ECHO_AGE_MAX_MS, FROZEN_CLOCK_MS } from "../limits.ts";

/** The clock of one instance of an object, as a reply shows it. */
export interface InstanceClock {
  /** Random: clocks of two instances can't be compared. Never 0. */
  readonly instance: number;
  readonly nowMs: number;
}

/** An object's clock as its caller echoes it. */
export interface ClockEcho {
  /** The instance of the reading; 0: no reading. */
  readonly instance: number;
  /** Lower bound of this instance's clock when the call arrives, in unix ms. */
  readonly leastMs: number;
}

export const NO_ECHO: ClockEcho = { instance: 0, leastMs: 0 };

/** A reading of an object's clock, received when the caller's clock showed `seenAtMs`. */
export interface SeenClock extends InstanceClock {
  readonly seenAtMs: number;
}

/**
 * Whether `now` replaces `known` for the next echo. A busy object replies many times per second: if each reply
 * replaced the one before, no echo would ever span FROZEN_CLOCK_MS. So an earlier reply of the same instance stays
 * while the object's clock has counted less since than the caller's.
 */
export function isStronger(now: SeenClock, known: SeenClock): boolean {
  const passedMs = now.seenAtMs - known.seenAtMs;
  if (now.instance !== known.instance || passedMs < 0 || passedMs > ECHO_AGE_MAX_MS) return true;
  return now.nowMs - known.nowMs >= passedMs;
}

/** The echo of a clock reading, for a call that leaves at `nowMs`. */
export function echoOf(
  { instance, nowMs: shownMs, seenAtMs }: SeenClock,
  nowMs: number,
): ClockEcho {
  const passedMs = nowMs - seenAtMs;
  // Two clocks may drift apart over a longer time, and a negative time proves nothing.
  if (passedMs < 0 || passedMs > ECHO_AGE_MAX_MS) return NO_ECHO;
  return { instance, leastMs: shownMs + passedMs };
}

/** Whether an echo proves that the clock of this instance is frozen. */
export function isFrozen(own: InstanceClock, echo: ClockEcho): boolean {
  return echo.instance === own.instance && echo.leastMs - own.nowMs >= FROZEN_CLOCK_MS;
}
