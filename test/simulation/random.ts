/** Randomness that a seed repeats. */
/** Seeded: the same seed, the same world. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** In [0, 1). */
  next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  isOneOf(parts: number): boolean {
    return this.next() * parts < 1;
  }

  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** Between the two as often near the least as near the most, by orders of magnitude. */
  spread(least: number, most: number): number {
    return Math.floor(least * (most / least) ** this.next());
  }
}
