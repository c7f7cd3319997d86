/** What a minter keeps beyond its process: its lease, and a mark ahead of all that it stamped. */
import { fieldsOf } from "../core/json.ts";
import { beginOf, endOf } from "./lease-bounds.ts";
import { type HeldLease, leaseOf } from "./lease-desk.ts";

/**
 * One durable text, changed by compare-and-put. `put` answers once `text` would survive a crash; false where something
 * else than `expected` is stored, or came after `text` meanwhile. Of two processes that share it, one goes on. A call
 * fails if it rejects or takes longer than 5 s; the text of a put that failed may be stored.
 */
export interface MinterStore {
  get(): Promise<string | undefined>;
  put(text: string, expected: string | undefined): Promise<boolean>;
}

/** A lease that may be gone on with from `mark` on: no position at or above it was stamped. */
export interface StoredLease {
  readonly lease: HeldLease;
  readonly mark: number;
}

const VERSION = 1;

/** Which service and namespace a record is of: elsewhere its worker ID is another's. */
export interface RecordPlace {
  readonly url: string;
  readonly namespace: string;
}

/** The text of a record; without one, that there is nothing to go on with. Random in part: no two texts are alike. */
export function recordText({ url, namespace }: RecordPlace, record?: StoredLease): string {
  const kept = record && { url, namespace, mark: record.mark, lease: record.lease.answer };
  return JSON.stringify({ version: VERSION, put: crypto.randomUUID(), ...kept });
}

/** Reads a record; undefined where it is none, of another place, or its mark is not within its lease. */
export function readRecord(text: string | undefined, place: RecordPlace): StoredLease | undefined {
  try {
    const { version, url, namespace, mark, lease } = fieldsOf(JSON.parse(text ?? "null"));
    if (version !== VERSION || url !== place.url || namespace !== place.namespace) return undefined;
    const held = leaseOf(lease);
    const isMark = Number.isSafeInteger(mark) && typeof mark === "number";
    return isMark && mark >= beginOf(held) && mark < endOf(held)
      ? { lease: held, mark }
      : undefined;
  } catch {
    return undefined;
  }
}
