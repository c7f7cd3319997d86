/**
 * The IDs of one block as decimal texts, without a BigInt per ID. The digits above the last four stay the same for
 * 10,000 IDs; the last four come from a table.
 */
const LOW_SPAN = 10_000;
const LOW_DIGITS = 4;

let lowTexts: readonly string[] = [];

export class DecimalRun {
  readonly #first: bigint;
  readonly #stride: number;
  /** The digits above the last four; undefined if the ID has at most four. */
  #high: string | undefined;
  /** Distance from the first ID to the number where these high digits begin; at most 0 for those of the first ID. */
  #origin: number;

  /** `first` is the first ID, ≥ 0; `stride` is the distance between IDs. */
  constructor(first: bigint, stride = 1) {
    lowTexts = lowTexts.length > 0 ? lowTexts : makeLowTexts();
    this.#first = first;
    this.#stride = stride;
    this.#origin = 0;
    this.#moveTo(0);
  }

  /** The text of the ID at an offset, ≥ 0. */
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
