/** The state of a minter that survives its process: its lease, and a mark above every position it stamped. */
import { fieldsOf } from "../core/json.ts";
import { beginOf, endOf } from "./lease-bounds.ts";
import { type HeldLease, leaseOf } from "./lease-desk.ts";

/**
 * Keeps one durable text for a minter, replaced by compare-and-put. `fileStore` of `edgeflake/minter/file` is one; write
 * your own for a database or a Durable Object. If two processes share a store, only one of them keeps it. A call fails
 * if it rejects or takes longer than 5 s.
 */
export interface MinterStore {
  /** Reads the text; `undefined` if none was stored. */
  get(): Promise<string | undefined>;
  /**
   * Replaces the text if it is `expected` (`undefined`: none was stored). If it rejects, the text may be stored or not.
   *
   * @returns `true` once `text` would survive a crash; `false` if the stored text is not `expected`, or another text has
   * replaced `text` since.
   */
  put(text: string, expected: string | undefined): Promise<boolean>;
}

/** A lease that may be resumed at `mark`: no position at or above it was stamped. */
export interface StoredLease {
  readonly lease: HeldLease;
  readonly mark: number;
}

const VERSION = 1;

/** The service and namespace of a record: in any other, its worker ID belongs to another process. */
export interface RecordPlace {
  readonly url: string;
  readonly namespace: string;
}

/** The text of a record, or without `record` of no lease. A random part makes each text unique. */
export function recordText({ url, namespace }: RecordPlace, record?: StoredLease): string {
  const kept = record && { url, namespace, mark: record.mark, lease: record.lease.answer };
  return JSON.stringify({ version: VERSION, put: crypto.randomUUID(), ...kept });
}

/** Reads a record. Undefined if it is invalid or of another place, or if its mark is not within its lease. */
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
