/** The highest ID of a line (a key, or a shard in strict order) as it was at any event that may still matter. */
export interface Highest {
  readonly id: bigint;
  /** The answer that brought it. */
  readonly answer: number;
}

interface Step extends Highest {
  /** The event from which on this is the highest. */
  readonly event: number;
}

/** Steps that are let pile up between two prunings. */
const PRUNE_AT = 64;

export class OrderedLine {
  #steps: Step[] = [];
  #pruneAt = PRUNE_AT;

  /** The highest of the answers that had come before `event`. */
  before(event: number): Highest | undefined {
    let low = 0;
    let high = this.#steps.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#steps[middle]?.event ?? event) < event) low = middle + 1;
      else high = middle;
    }
    return this.#steps[low - 1];
  }

  /** An answer that came with `event`, later than all before. No event before `oldestOf()` is asked for any more. */
  add(event: number, highest: Highest, oldestOf: () => number): void {
    const last = this.#steps.at(-1);
    if (!last || highest.id > last.id) this.#steps.push({ ...highest, event });
    if (this.#steps.length < this.#pruneAt) return;
    const oldest = oldestOf();
    const kept = this.#steps.findLastIndex((step) => step.event < oldest);
    this.#steps = this.#steps.slice(Math.max(0, kept));
    this.#pruneAt = Math.max(PRUNE_AT, this.#steps.length * 2);
  }
}
