import { SETTLE_MS } from "../core/limits.ts";
import { type ClockPair, MarkReading } from "../core/line/mark-reading.ts";

/** How an instance keeps strict order beside another instance of its shard (S2): its view of the last lane's mark. */
export class MarkWatch {
  readonly #reading = new MarkReading();
  #hasRaised = false;
  #settling: Promise<void> | undefined;

  /** Until SETTLE_MS after this instance first raised the mark, no answer may leave; undefined from then on. */
  get settling(): Promise<void> | undefined {
    return this.#settling;
  }

  /** Whether the last reading of the mark covers one more grant. */
  covers(at: ClockPair): boolean {
    return this.#reading.covers(at);
  }

  /** Notes that the mark was read and is this instance's own. */
  read(at: ClockPair): void {
    this.#reading.made(at);
  }

  /** Notes that this instance has raised the mark. */
  raised(at: ClockPair): void {
    this.#reading.made(at);
    if (this.#hasRaised) return;
    this.#hasRaised = true;
    this.#settling = scheduler.wait(SETTLE_MS).then(() => {
      this.#settling = undefined;
    });
  }
}
