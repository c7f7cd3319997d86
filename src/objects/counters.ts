import * as v from "valibot";

const count = v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 0);

const CountersSchema = v.object({
  issued: count,
  grants: count,
  waits: count,
  rollbacks: count,
  writes: count,
  maxLeadTicks: count,
});

/** Counters of a shard, for its status. A restart loses changes since the last write of a mark. */
export interface Counters {
  /** IDs granted. */
  issued: number;
  /** Intervals granted. */
  grants: number;
  /** Waits for a later tick. */
  waits: number;
  /** Steps back of the clock while the instance ran. */
  rollbacks: number;
  /** Rows written for marks. */
  writes: number;
  /** Largest lead of a granted position over the clock, in ticks. */
  maxLeadTicks: number;
}

/**
 * The newest counters in these rows. Each row holds a copy as of its own last write. Counters only grow, so the newest
 * value of each is the largest.
 */
export function countersOf(texts: readonly string[]): Counters {
  const newest: Counters = v.parse(CountersSchema, {});
  for (const text of texts) {
    const row = v.parse(CountersSchema, JSON.parse(text));
    newest.issued = Math.max(newest.issued, row.issued);
    newest.grants = Math.max(newest.grants, row.grants);
    newest.waits = Math.max(newest.waits, row.waits);
    newest.rollbacks = Math.max(newest.rollbacks, row.rollbacks);
    newest.writes = Math.max(newest.writes, row.writes);
    newest.maxLeadTicks = Math.max(newest.maxLeadTicks, row.maxLeadTicks);
  }
  return newest;
}
