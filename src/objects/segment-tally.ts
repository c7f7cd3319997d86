import * as v from "valibot";
import { SEGMENT_FETCHES_SHOWN } from "../core/limits.ts";
import type { Segment } from "../core/segment/segment.ts";

const count = v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0);

const TallySchema = v.object({
  issued: count,
  fetches: count,
  exact: count,
  repeats: count,
  last: v.optional(
    v.array(
      v.object({
        atMs: v.pipe(v.number(), v.safeInteger()),
        from: v.string(),
        until: v.string(),
      }),
    ),
    [],
  ),
});

/** A fetched segment: the numbers [from, until). */
export interface FetchSeen {
  readonly atMs: number;
  readonly from: string;
  readonly until: string;
}

/** Counters of a segment object, for its status. They are written together with maxId. */
export interface Tally {
  /** IDs issued, used or not. */
  readonly issued: number;
  /** Segments that isolates and dialects fetched. */
  readonly fetches: number;
  /** Requests for an exact count of IDs. */
  readonly exact: number;
  /** Repeated requests, recognised by their Idempotency-Key, as of the last write. */
  readonly repeats: number;
  /** The last fetched segments, newest first. */
  readonly last: readonly FetchSeen[];
}

export function tallyOf(text = "{}"): Tally {
  return v.parse(TallySchema, JSON.parse(text));
}

/** Adds a fetched segment to the tally. */
export function withFetch(
  tally: Tally,
  issued: number,
  { from, until }: Segment,
  atMs: number,
): Tally {
  const seen = { atMs, from: `${from}`, until: `${until}` };
  const last = [seen, ...tally.last].slice(0, SEGMENT_FETCHES_SHOWN);
  return { ...tally, issued: tally.issued + issued, fetches: tally.fetches + 1, last };
}
