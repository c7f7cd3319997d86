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

/** What a shard has done, for status. A restart takes back what came after the last mark was written. */
export interface Counters {
  /** IDs granted. */
  issued: number;
  /** Intervals granted. */
  grants: number;
  /** Waits for a tick. */
  waits: number;
  /** Steps back of the clock seen while running. */
  rollbacks: number;
  /** Rows written for marks. */
  writes: number;
  /** The furthest that a granted position led the clock, in ticks. */
  maxLeadTicks: number;
}

/**
 * The counters as of the newest of these rows' texts. Each row carries a copy as of its own
 * last write; since counters only grow while an instance runs, the newest value of each is the largest.
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
