import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Allocation, Segment } from "../../src/core/segment/segment.ts";
import { readSegmentReply } from "../../src/core/segment/segment-reply.ts";
import { SegmentStorage } from "../../src/objects/segment-storage.ts";
import type { Segments } from "../../src/objects/segments.ts";

/** A segment's numbers as they go along with each call. */
export function specOf(change: Record<string, unknown> = {}): string {
  const usual = { start: "1", max: "9223372036854775807", delta: 1, remainder: 0 };
  return JSON.stringify({ ...usual, ...change });
}

export function segmentsOf(namespace: string): DurableObjectStub<Segments> {
  return env.SEGMENTS.getByName(namespace);
}

/** The object's storage, for looking in and for breaking things. */
export function inSegments<Value>(
  namespace: string,
  look: (sql: SqlStorage, state: DurableObjectState) => Value,
): Promise<Value> {
  return runInDurableObject(segmentsOf(namespace), (_, state) => look(state.storage.sql, state));
}

/** Ends the object's instance, after waking it if necessary: the next call makes a new one. */
export async function evict(namespace: string): Promise<void> {
  await segmentsOf(namespace).status(specOf());
  await evictDurableObject(segmentsOf(namespace));
}

/** The tables of an object that may not have been used. */
export async function makeTables(namespace: string): Promise<void> {
  await inSegments(namespace, (_, { storage }) =>
    new SegmentStorage(storage).atOnce(() => undefined),
  );
}

/** The stored maxId; undefined before the first allocation. */
export function maxIdOf(namespace: string): Promise<string | undefined> {
  return inSegments(namespace, (_, { storage }) => {
    const row = new SegmentStorage(storage).row();
    return row && `${row.maxId}`;
  });
}

/** A stored maxId that this instance did not write. */
export async function moveBehind(namespace: string, maxId: bigint): Promise<void> {
  await inSegments(namespace, (sql) => sql.exec("UPDATE segment SET maxId = ?", `${maxId}`));
}

/** Makes every write of that kind fail, until `mend`. */
export async function breakWrites(namespace: string, write: string): Promise<() => Promise<void>> {
  const raise = "BEGIN SELECT RAISE(ABORT, 'disk full'); END";
  await makeTables(namespace);
  await inSegments(namespace, (sql) => sql.exec(`CREATE TRIGGER broken BEFORE ${write} ${raise}`));
  return async () => {
    await inSegments(namespace, (sql) => sql.exec("DROP TRIGGER broken"));
  };
}

/** The segment of a reply that must be none of a refusal. */
export function segmentOf(reply: string): Segment {
  const allocation: Allocation = readSegmentReply(reply);
  if (!allocation.ok) throw new Error(allocation.refusal.detail);
  return allocation.segment;
}

/** The numbers from..until − 1. */
export function numbersFrom(from: number, count: number): bigint[] {
  return Array.from({ length: count }, (_, index) => BigInt(from + index));
}
