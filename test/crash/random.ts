/** Randomness that a seed brings back: the same seed, the same pauses and the same order of requests. */

export class Random {
  #state: number;

  /** `seed`: a whole number, of which 32 bits count. */
  constructor(seed: number) {
    this.#state = seed >>> 0;
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

/** CRASH_SEED where it is set, to repeat a run; another one each time otherwise. */
export function seedOfRun(): number {
  const given = process.env.CRASH_SEED;
  return given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given);
}
