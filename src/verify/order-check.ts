/** Checks that the IDs of a line (a key, or a shard in strict order) increase. */
import type { AcknowledgedIds } from "./acknowledged-ids.ts";
import { Findings } from "./findings.ts";

/** A new highest ID of a line. Links lead forward only, so that changes before the oldest open request are freed. */
export interface Change {
  readonly line: string;
  /** The index of the line's highest ID before, among the acknowledged. */
  readonly before: number | undefined;
  next: Change | undefined;
}

/** The order of all keys, or of all shards. */
export class OrderCheck {
  readonly findings = new Findings();
  /** All IDs that were followed. */
  seen = 0;
  /** IDs that were compared with an answer that arrived before they were requested. */
  compared = 0;
  readonly #ids: AcknowledgedIds;
  /** The index of each line's highest ID. */
  readonly #highest = new Map<string, number>();
  #latest: Change = { line: "", before: undefined, next: undefined };

  constructor(ids: AcknowledgedIds) {
    this.#ids = ids;
  }

  get latest(): Change {
    return this.#latest;
  }

  /** Checks an answer: the IDs from index `first` on. `since`: the latest change when its request was sent. */
  follow(line: string, first: number, since: Change): void {
    const ids = this.#ids;
    const known = this.#highest.get(line);
    let highest = known;
    let last = this.#before(line, since);
    this.seen += ids.count - first;
    if (last !== undefined) this.compared += ids.count - first;
    for (let index = first; index < ids.count; index += 1) {
      const early = last;
      if (early !== undefined && ids.at(index) <= ids.at(early)) {
        this.findings.add(() => `${line}: ${ids.shown(index)} after ${ids.shown(early)}`);
      }
      last = index;
      if (highest === undefined || ids.at(index) > ids.at(highest)) highest = index;
    }
    if (highest === undefined || highest === known) return;
    this.#highest.set(line, highest);
    const change = { line, before: known, next: undefined };
    this.#latest.next = change;
    this.#latest = change;
  }

  /** The index of the line's highest ID at the time of a change. */
  #before(line: string, since: Change): number | undefined {
    for (let change = since.next; change; change = change.next) {
      if (change.line === line) return change.before;
    }
    return this.#highest.get(line);
  }
}
