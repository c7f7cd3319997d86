import { SETTLE_MS } from "../core/limits.ts";
import { type ClockPair, MarkReading } from "../core/line/mark-reading.ts";

/**
 * An instance's cached view of the last lane's mark. It keeps strict order if a second instance of the shard runs (S2).
 */
export class MarkWatch {
  readonly #reading = new MarkReading();
  #hasRaised = false;
  #settling: Promise<void> | undefined;

  /** Resolves SETTLE_MS after this instance first raised the mark; no reply may leave before. Undefined afterwards. */
  get settling(): Promise<void> | undefined {
    return this.#settling;
  }

  /** Whether the last reading of the mark covers one more grant. */
  covers(at: ClockPair): boolean {
    return this.#reading.covers(at);
  }

  /** Records that the mark was read and is this instance's own. */
  read(at: ClockPair): void {
    this.#reading.made(at);
  }

  /** Records that this instance raised the mark. */
  raised(at: ClockPair): void {
    this.#reading.made(at);
    if (this.#hasRaised) return;
    this.#hasRaised = true;
    this.#settling = scheduler.wait(SETTLE_MS).then(() => {
      this.#settling = undefined;
    });
  }
}
