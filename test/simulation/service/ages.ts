/** The request time of each position's grant: it gives the age of an ID from memory. */

interface Asked {
  readonly start: number;
  readonly end: number;
  readonly atMs: number;
}

export class Ages {
  /** By `start`. Grants do not overlap. */
  readonly #grants: Asked[] = [];

  /** Records that the grant of [start, end) was requested at `atMs`. */
  asked(start: number, end: number, atMs: number): void {
    this.#grants.splice(this.#firstEndingAfter(start), 0, { start, end, atMs });
  }

  /** The request time of the oldest grant within [start, end); Infinity without a grant. */
  oldestMs(start: number, end: number): number {
    let oldestMs = Number.POSITIVE_INFINITY;
    for (let at = this.#firstEndingAfter(start); ; at += 1) {
      const grant = this.#grants[at];
      if (!grant || grant.start >= end) return oldestMs;
      oldestMs = Math.min(oldestMs, grant.atMs);
    }
  }

  #firstEndingAfter(place: number): number {
    let low = 0;
    let high = this.#grants.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#grants[middle]?.end ?? 0) <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
