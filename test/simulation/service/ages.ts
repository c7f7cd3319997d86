/** When the grant of each place on a line was asked for: how old an ID is that comes out of somebody's memory. */

interface Asked {
  readonly start: number;
  readonly end: number;
  readonly atMs: number;
}

export class Ages {
  /** By `start`. Grants do not overlap. */
  readonly #grants: Asked[] = [];

  /** The grant of [start, end) was asked for at `atMs`. */
  asked(start: number, end: number, atMs: number): void {
    this.#grants.splice(this.#firstEndingAfter(start), 0, { start, end, atMs });
  }

  /** When the oldest grant within [start, end) was asked for; Infinity if none lies there. */
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
