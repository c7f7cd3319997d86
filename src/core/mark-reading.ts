/**
 * How long one reading of a lane's mark may be trusted: while two clocks show MARK_READING_TRUSTED_MS more at most.
 *
 * Two clocks, this object's and its caller's, since one of them may stand still; and MARK_READING_USES_MAX
 * grants at most, for where both do. This object's may not have gone back; callers differ from each other.
 */
import { MARK_READING_TRUSTED_MS, MARK_READING_USES_MAX } from "./limits.ts";

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
