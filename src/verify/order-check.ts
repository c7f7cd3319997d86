/** Checks that the IDs of a key, or of a shard in strict order, increase. */
import { Findings } from "./findings.ts";

/** The IDs of an answer, for the check. Events are numbered in the order in which they happened. */
export interface OrderedAnswer {
  readonly ids: readonly bigint[];
  /** The answer's index among the acknowledged. */
  readonly answer: number;
  /** The events of sending the request and of its answer. */
  readonly sentEvent: number;
  readonly event: number;
  /** The event of sending the oldest open request. */
  oldestOf(): number;
  /** When and by which shard an answer came, for people. */
  placeOf(answer: number): string;
}

/** The order of all keys, or of all shards. */
export class OrderCheck {
  readonly findings = new Findings();
  readonly #kind: string;
  readonly #lines = new Map<string | number, OrderedLine>();
  #seen = 0;
  #compared = 0;

  constructor(kind: string) {
    this.#kind = kind;
  }

  /** All IDs that were followed. */
  get seen(): number {
    return this.#seen;
  }

  /** IDs that were compared with an answer that arrived before they were requested. */
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

/** The highest ID of a line (a key, or a shard in strict order) so far. */
export interface Highest {
  readonly id: bigint;
  /** The answer that has the ID. */
  readonly answer: number;
}

interface Step extends Highest {
  /** The first event after which this is the highest. */
  readonly event: number;
}

/** Steps to keep before the first pruning. */
const PRUNE_AT = 64;

export class OrderedLine {
  #steps: Step[] = [];
  #pruneAt = PRUNE_AT;

  /** The highest ID of the answers that came before `event`. */
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

  /** Adds an answer that came with `event`, later than all before. Events before `oldestOf()` are not needed any more. */
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
