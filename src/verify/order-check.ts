/** Checks that the IDs of a line (a key, or a shard in strict order) increase. */
import type { AcknowledgedIds } from "./acknowledged-ids.ts";
import { Findings } from "./findings.ts";

/** An ID and its index among the acknowledged. */
interface Highest {
  readonly id: bigint;
  readonly index: number;
}

/** A new highest ID of a line. Links lead forward only, so that changes before the oldest open request are freed. */
export interface Change {
  readonly line: string;
  /** The line's highest ID before the change. */
  readonly before: Highest | undefined;
  next: Change | undefined;
}

/** The IDs of an answer, as they were added to the acknowledged from the index `first` on. */
export interface OrderedAnswer {
  readonly ids: readonly bigint[];
  readonly first: number;
  /** The latest change when the request was sent. */
  readonly since: Change;
}

/** The order of all keys, or of all shards. */
export class OrderCheck {
  readonly findings = new Findings();
  /** All IDs that were followed. */
  seen = 0;
  /** IDs that were compared with an answer that arrived before they were requested. */
  compared = 0;
  readonly #acknowledged: AcknowledgedIds;
  readonly #highest = new Map<string, Highest>();
  #latest: Change = { line: "", before: undefined, next: undefined };

  constructor(acknowledged: AcknowledgedIds) {
    this.#acknowledged = acknowledged;
  }

  get latest(): Change {
    return this.#latest;
  }

  follow(line: string, { ids, first, since }: OrderedAnswer): void {
    const known = this.#highest.get(line);
    let highest = known;
    let last = this.#before(line, since);
    this.seen += ids.length;
    if (last) this.compared += ids.length;
    for (const [at, id] of ids.entries()) {
      const now = { id, index: first + at };
      if (last && id <= last.id) {
        const earlier = this.#shown(last);
        this.findings.add(() => `${line}: ${this.#shown(now)} after ${earlier}`);
      }
      last = now;
      if (!highest || id > highest.id) highest = now;
    }
    if (!highest || highest === known) return;
    this.#highest.set(line, highest);
    const change = { line, before: known, next: undefined };
    this.#latest.next = change;
    this.#latest = change;
  }

  /** The line's highest ID at the time of a change. */
  #before(line: string, since: Change): Highest | undefined {
    for (let change = since.next; change; change = change.next) {
      if (change.line === line) return change.before;
    }
    return this.#highest.get(line);
  }

  #shown({ id, index }: Highest): string {
    return `${id} ${this.#acknowledged.placeOf(index)}`;
  }
}
