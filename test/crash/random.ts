/** Randomness that a seed brings back. Which connection draws when is the machine's, so a run repeats roughly. */

export class Random {
  readonly seed: number;
  #state: number;

  /** `seed`: a whole number, of which 32 bits count. */
  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed >>> 0;
  }

  /** Of the seed in CRASH_SEED where it is set, to repeat a run; of another one each time otherwise. */
  static ofRun(): Random {
    const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 32));
    if (!Number.isSafeInteger(seed)) throw new Error("CRASH_SEED takes a whole number");
    return new Random(seed);
  }

  /** In [0, 1). Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number in [from, until). */
  whole(from: number, until: number): number {
    return from + Math.floor(this.next() * (until - from));
  }

  /** One of these. */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.whole(0, items.length)];
    if (item === undefined) throw new Error("there is nothing to pick from");
    return item;
  }
}
