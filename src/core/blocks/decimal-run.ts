/**
 * IDs of one block as decimal texts, one at a time and without a BigInt each: the digits above the last four stay
 * the same for ten thousand IDs, and the last four come from a table.
 */
const LOW_SPAN = 10_000;
const LOW_DIGITS = 4;

let lowTexts: readonly string[] = [];

export class DecimalRun {
  readonly #first: bigint;
  readonly #stride: number;
  /** The digits above the last four; undefined where there are none. */
  #high: string | undefined;
  /** The distance from the first ID at which these high digits begin; 0 or less for those of the first ID. */
  #origin: number;

  /** Of the IDs from `first` on, 0 or greater, at a distance of `stride`. */
  constructor(first: bigint, stride = 1) {
    lowTexts = lowTexts.length > 0 ? lowTexts : makeLowTexts();
    this.#first = first;
    this.#stride = stride;
    this.#origin = 0;
    this.#moveTo(0);
  }

  /** The text of the ID at an offset, 0 or greater. */
  at(offset: number): string {
    const distance = offset * this.#stride;
    let low = distance - this.#origin;
    if (low < 0 || low >= LOW_SPAN) {
      this.#moveTo(distance);
      low = distance - this.#origin;
    }
    // The table has an entry for every value below LOW_SPAN.
    return this.#high === undefined ? `${low}` : this.#high + (lowTexts[low] as string);
  }

  #moveTo(distance: number): void {
    const id = this.#first + BigInt(distance);
    const high = id / BigInt(LOW_SPAN);
    this.#high = high === 0n ? undefined : high.toString();
    this.#origin = distance - Number(id % BigInt(LOW_SPAN));
  }
}

function makeLowTexts(): string[] {
  return Array.from({ length: LOW_SPAN }, (_, low) => `${low}`.padStart(LOW_DIGITS, "0"));
}
