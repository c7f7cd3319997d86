import type { Grant } from "../core/block.ts";
import { SETTLE_MS } from "../core/limits.ts";
import { MarkReading } from "../core/mark-reading.ts";

/** What an instance of a shard knows of one lane besides its line: how fresh its view of the mark is (S2). */
interface LaneWatch {
  /** When the mark was last read or written. */
  readonly reading: MarkReading;
  hasRaised: boolean;
  /** Until SETTLE_MS after this instance's first raise. */
  settling: Promise<void> | undefined;
}

/** One record for each lane. */
export class LaneWatches {
  readonly #watches: LaneWatch[] = [];

  /** The reading of the lane's mark. */
  reading(lane: number): MarkReading {
    return this.#of(lane).reading;
  }

  /** Notes that this instance has raised the lane's mark. */
  raised(lane: number): void {
    const watch = this.#of(lane);
    if (watch.hasRaised) return;
    watch.hasRaised = true;
    watch.settling = scheduler.wait(SETTLE_MS).then(() => {
      watch.settling = undefined;
    });
  }

  /** What an answer with these grants has to wait for; undefined if it may leave. */
  settling(grants: readonly Grant[]): Promise<void> | undefined {
    for (const { lane } of grants) {
      const { settling } = this.#of(lane);
      if (settling) return settling;
    }
    return undefined;
  }

  #of(lane: number): LaneWatch {
    const known = this.#watches[lane];
    if (known) return known;
    const watch = { reading: new MarkReading(), hasRaised: false, settling: undefined };
    this.#watches[lane] = watch;
    return watch;
  }
}
