/**
 * How long one reading of the last lane's mark may be trusted: until one of two clocks shows MARK_READING_TRUSTED_MS
 * more. The clocks are this object's and its caller's, since one of them may be frozen. Both may be: so a reading also
 * covers MARK_READING_USES_MAX grants at most. Callers' clocks differ, so theirs may go back; this object's may not.
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

  /** Notes that the mark was read, or written, at these clocks. */
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
