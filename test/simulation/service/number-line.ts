/** The used positions of a line: intervals that never overlap, in order, and joined if they touch. */
export class NumberLine<Place extends number | bigint> {
  readonly #starts: Place[] = [];
  readonly #ends: Place[] = [];

  /** Marks [start, end) as used; returns false, and changes nothing, if a part of it was used before. */
  take(start: Place, end: Place): boolean {
    const at = this.#firstEndingAfter(start);
    const next = this.#starts[at];
    if (next !== undefined && next < end) return false;
    const joinsBefore = at > 0 && this.#ends[at - 1] === start;
    const joinsNext = next === end;
    if (joinsBefore && joinsNext) {
      this.#starts.splice(at, 1);
      this.#ends.splice(at - 1, 1);
    } else if (joinsBefore) this.#ends[at - 1] = end;
    else if (joinsNext) this.#starts[at] = start;
    else {
      this.#starts.splice(at, 0, start);
      this.#ends.splice(at, 0, end);
    }
    return true;
  }

  /** Whether all of [start, end) is used. */
  has(start: Place, end: Place): boolean {
    const at = this.#firstEndingAfter(start);
    const from = this.#starts[at];
    const until = this.#ends[at];
    return from !== undefined && until !== undefined && from <= start && end <= until;
  }

  #firstEndingAfter(place: Place): number {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ends[middle] ?? place) <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
