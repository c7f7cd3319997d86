/** Whether the IDs of a key, or of a shard in strict order, increase. */
import { Findings } from "./findings.ts";

/** An answer's IDs as its lines see them. Events are numbered in the order in which they happened. */
export interface OrderedAnswer {
  readonly ids: readonly bigint[];
  /** Its index among the acknowledged. */
  readonly answer: number;
  /** The event of the request's sending, and that of its answer. */
  readonly sentEvent: number;
  readonly event: number;
  /** The sending of the oldest request that is still open. */
  oldestOf(): number;
  /** Where and when that answer came, for people. */
  placeOf(answer: number): string;
}

/** The order of the lines of one kind: of every key, or of every shard. */
export class OrderCheck {
  readonly findings = new Findings();
  readonly #kind: string;
  readonly #lines = new Map<string | number, OrderedLine>();
  #seen = 0;
  #compared = 0;

  constructor(kind: string) {
    this.#kind = kind;
  }

  /** IDs that came for any line. */
  get seen(): number {
    return this.#seen;
  }

  /** Those of them that were held against an answer that had come before they were asked for. */
  get compared(): number {
    return this.#compared;
  }

  follow(name: string | number, given: OrderedAnswer): void {
    const { ids, answer, sentEvent, event, oldestOf, placeOf } = given;
    const line = this.#lines.get(name) ?? new OrderedLine();
    this.#lines.set(name, line);
    let last = line.before(sentEvent);
    let highest = last;
    this.#seen += ids.length;
    if (last) this.#compared += ids.length;
    for (const id of ids) {
      if (last && id <= last.id) {
        const { id: before, answer: earlier } = last;
        this.findings.add(
          () =>
            `${this.#kind} ${name}: ${id} ${placeOf(answer)} after ${before} ${placeOf(earlier)}`,
        );
      }
      last = { id, answer };
      if (!highest || id > highest.id) highest = last;
    }
    if (highest) line.add(event, highest, oldestOf);
  }
}

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
