/** What a minter keeps beyond its process: its lease, and a mark ahead of all that it stamped. */
import { fieldsOf } from "./errors.ts";
import { beginOf, endOf } from "./lease-bounds.ts";
import { type HeldLease, leaseOf } from "./lease-desk.ts";

/**
 * One durable text, changed by compare-and-put. `put` answers once `text` would survive a crash; false where something
 * else than `expected` is stored, or came after `text` meanwhile. Of two processes that share it, one goes on.
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

/** The text of a record; `owner` is random, so that no two texts are alike. */
export function writeRecord(
  { url, namespace }: RecordPlace,
  owner: string,
  { lease, mark }: StoredLease,
): string {
  return JSON.stringify({ version: VERSION, url, namespace, owner, mark, lease: lease.answer });
}

/** The record of a process that is done: nothing to go on with. */
export function writeEmptyRecord(owner: string): string {
  return JSON.stringify({ version: VERSION, owner });
}

/** Reads a record; undefined where it is none, of another place, or its mark is not within its lease. */
export function readRecord(text: string | undefined, place: RecordPlace): StoredLease | undefined {
  const { version, url, namespace, mark, lease } = fieldsOf(jsonOf(text));
  if (version !== VERSION || url !== place.url || namespace !== place.namespace) return undefined;
  if (typeof mark !== "number" || !Number.isSafeInteger(mark)) return undefined;
  try {
    const held = leaseOf(lease);
    return mark >= beginOf(held) && mark < endOf(held) ? { lease: held, mark } : undefined;
  } catch {
    return undefined;
  }
}

function jsonOf(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
