/** What a minter keeps beyond its process: its lease, and a mark ahead of all that it stamped. */
import { fieldsOf } from "./errors.ts";
import { type HeldLease, leaseOf } from "./lease-desk.ts";

/**
 * One durable text, changed by compare-and-put. `put` answers once `text` would survive a crash; false, with nothing
 * changed, where something else than `expected` is stored. Of two processes that share it, one goes on.
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

/** The text of a record; `owner` is random for each process, so that no two texts are alike. */
export function writeRecord(
  namespace: string,
  owner: string,
  { lease, mark }: StoredLease,
): string {
  return JSON.stringify({ version: VERSION, namespace, owner, mark, lease: lease.answer });
}

/** The record of a process that is done: nothing to go on with. */
export function writeEmptyRecord(owner: string): string {
  return JSON.stringify({ version: VERSION, owner });
}

/** Reads a record; undefined where it is none, of another namespace, or its mark is in doubt. */
export function readRecord(text: string | undefined, namespace: string): StoredLease | undefined {
  const { version, namespace: stored, mark, lease } = fieldsOf(jsonOf(text));
  if (version !== VERSION || stored !== namespace) return undefined;
  if (typeof mark !== "number" || !Number.isSafeInteger(mark) || mark < 0) return undefined;
  try {
    return { lease: leaseOf(lease), mark };
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
