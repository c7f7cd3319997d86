/**
 * The validity of a cached mark of the last lane: MARK_READING_TRUSTED_MS by this object's clock and by its caller's,
 * since one of them may be frozen. Both may be frozen, so a reading also covers at most MARK_READING_USES_MAX grants.
 * Callers have different clocks, so theirs may go back; this object's may not.
 */
import { MARK_READING_TRUSTED_MS, MARK_READING_USES_MAX } from "../limits.ts";

/** Readings of this object's clock and of a caller's. */
export interface ClockPair {
  readonly ownMs: number;
  readonly callerMs: number;
}

export class MarkReading {
  #at: ClockPair = { ownMs: 0, callerMs: 0 };
  #usesLeft = 0;

  /** Records that the mark was read or written at these clocks. */
  made(at: ClockPair): void {
    this.#at = at;
    this.#usesLeft = MARK_READING_USES_MAX;
  }

  /** Whether the last reading covers one more grant. */
  covers({ ownMs, callerMs }: ClockPair): boolean {
    const agoMs = ownMs - this.#at.ownMs;
    const isRecent = agoMs >= 0 && agoMs <= MARK_READING_TRUSTED_MS;
    const isRecentToCaller = Math.abs(callerMs - this.#at.callerMs) <= MARK_READING_TRUSTED_MS;
    if (!isRecent || !isRecentToCaller || this.#usesLeft < 1) return false;
    this.#usesLeft -= 1;
    return true;
  }
}
