/**
 * When requests are due: one every 1000 / rate ms, whatever the answers do. One that could not be sent for `waitMaxMs`
 * is given up, so that a stalled server is not buried in what piled up meanwhile.
 *
 * Invariant: due = taken + skipped + waiting.
 */
export class Pace {
  readonly #spacingMs: number;
  readonly #total: number;
  readonly #waitMaxMs: number;
  /** Requests that are due; those that were taken or skipped are the first of them. */
  #due = 0;
  #past = 0;

  /** `rate`: requests a second; `total`: how many there are. Times are in ms since the first one was due. */
  constructor(rate: number, total: number, waitMaxMs: number) {
    this.#spacingMs = 1000 / rate;
    this.#total = total;
    this.#waitMaxMs = waitMaxMs;
  }

  /** Moves on to that time, never back; the number of requests that are given up. */
  advance(nowMs: number): number {
    const due = Math.min(this.#total, Math.floor(nowMs / this.#spacingMs) + 1);
    this.#due = Math.max(this.#due, due);
    const past = this.#past;
    while (this.#past < this.#due && nowMs - this.#dueMsOf(this.#past) > this.#waitMaxMs) {
      this.#past += 1;
    }
    return this.#past - past;
  }

  /** The request that waits longest: its number, and when it was due. Undefined where none waits. */
  take(): { readonly number: number; readonly dueMs: number } | undefined {
    if (this.#past === this.#due) return undefined;
    const number = this.#past;
    this.#past += 1;
    return { number, dueMs: this.#dueMsOf(number) };
  }

  /** Gives up all that waits; how many. Nothing is due any more. */
  stop(): number {
    const waiting = this.#due - this.#past;
    this.#past = this.#total;
    this.#due = this.#total;
    return waiting;
  }

  get waiting(): number {
    return this.#due - this.#past;
  }

  /** When the next request is due that is not yet; undefined after the last. */
  get nextDueMs(): number | undefined {
    return this.#due < this.#total ? this.#dueMsOf(this.#due) : undefined;
  }

  #dueMsOf(number: number): number {
    return number * this.#spacingMs;
  }
}
