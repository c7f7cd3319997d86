import { KeptIds } from "./kept-ids.ts";
import { medianOf } from "./median.ts";
import type { Piece, Verdict } from "./piece.ts";

/**
 * IDs made without a pause. Of those that count per ms some ms of them, so that one that is out of IDs has to show
 * what it does; of random ones few, since those kept are work for the garbage collector.
 */
export const IDS_PER_RUN = { counted: 65_536, random: 4096 } as const;
/** A run ends with the error after so many: a generator that only throws gives no IDs. */
const THROWS_PER_RUN_MAX = 500_000;

const BURSTS = 15;
/** Fewer than any generator's sequence holds. */
const BURST_IDS = 256;
/** Before a burst, so that its ms is a fresh one. */
const PAUSE_MS = 2;
/** A generator that takes that many times as long as in a burst, by its thread's CPU time, is waiting. */
const WAITING_FACTOR = 2;

/** How long a verdict may make further IDs, where the timed runs were too few. */
const FURTHER_MS_MAX = 5000;

export type Generate = () => bigint | string;

/** A generator of IDs one at a time; one that throws is called again. */
export class GeneratorPiece implements Piece {
  readonly idsPerRun: number;
  readonly #generate: Generate;
  readonly #idsChecked: number;
  readonly #run: (bigint | string)[];
  readonly #kept: KeptIds;
  #runs = 0;
  #throws = 0;
  /** Of all runs but the first, which V8 spends on compiling. CPU time of this thread: not longer where others want the core. */
  #cpuMs = 0;

  constructor(generate: Generate, idsPerRun: number, idsChecked: number) {
    this.idsPerRun = idsPerRun;
    this.#generate = generate;
    this.#idsChecked = idsChecked;
    this.#run = Array.from({ length: idsPerRun }, () => "");
    this.#kept = new KeptIds(idsChecked);
  }

  run(): number {
    const run = this.#run;
    const generate = this.#generate;
    const idsPerRun = this.idsPerRun;
    const cpuBefore = process.threadCpuUsage();
    let throws = 0;
    for (let made = 0; made < idsPerRun; ) {
      try {
        run[made] = generate();
        made += 1;
      } catch (error) {
        throws += 1;
        if (throws > THROWS_PER_RUN_MAX) throw error;
      }
    }
    const { user, system } = process.threadCpuUsage(cpuBefore);
    if (this.#runs > 0) this.#cpuMs += (user + system) / 1000;
    this.#throws += throws;
    this.#runs += 1;
    return throws;
  }

  keep(): void {
    this.#kept.add(this.#run);
  }

  judge(): Verdict {
    const startMs = performance.now();
    while (this.#kept.count < this.#idsChecked && performance.now() - startMs < FURTHER_MS_MAX) {
      this.run();
      this.keep();
    }
    const cpuNsPerId = (this.#cpuMs * 1e6) / ((this.#runs - 1) * this.idsPerRun);
    const burstNsPerId = this.#burstNsPerId();
    return {
      checked: this.#kept.count,
      repeats: this.#kept.repeats(),
      throwsPerId: this.#throws / (this.#runs * this.idsPerRun),
      burstNsPerId,
      waits: cpuNsPerId > burstNsPerId * WAITING_FACTOR,
    };
  }

  #burstNsPerId(): number {
    const bursts: number[] = [];
    for (let index = 0; index < BURSTS; index += 1) {
      sleep(PAUSE_MS);
      // The first IDs after a pause find the caches cold.
      this.#burst();
      bursts.push(this.#burst());
    }
    return medianOf(bursts) ?? Number.NaN;
  }

  #burst(): number {
    const startMs = performance.now();
    for (let index = 0; index < BURST_IDS; index += 1) this.#run[index] = this.#generate();
    return ((performance.now() - startMs) * 1e6) / BURST_IDS;
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
