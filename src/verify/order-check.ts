import { Findings } from "./findings.ts";
import { OrderedLine } from "./ordered-line.ts";

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
