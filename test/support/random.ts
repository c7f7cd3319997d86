/** Randomness that a seed brings back. */
export class Random {
  readonly seed: number;
  #state: number;

  /** `seed`: a whole number, of which 32 bits count. */
  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed;
  }

  /** In [0, 1). Mulberry32. */
  next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  isOneOf(parts: number): boolean {
    return this.next() * parts < 1;
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** One of these. */
  pick<Thing>(things: readonly Thing[]): Thing {
    const thing = things[this.between(0, things.length - 1)];
    if (thing === undefined) throw new Error("there is nothing to pick from");
    return thing;
  }

  /** Between the two as often near the least as near the most, by orders of magnitude. */
  spread(least: number, most: number): number {
    return Math.floor(least * (most / least) ** this.next());
  }
}
