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

/** One segment that was fetched: the numbers [from, until). */
export interface FetchSeen {
  readonly atMs: number;
  readonly from: string;
  readonly until: string;
}

/** What a segment object has done, for status. It is written along with maxId. */
export interface Tally {
  /** IDs given out, used or not. */
  readonly issued: number;
  /** Segments fetched by isolates and dialects. */
  readonly fetches: number;
  /** Requests answered with just the IDs that they asked for. */
  readonly exact: number;
  /** Requests answered again, by their Idempotency-Key, as of the last write. */
  readonly repeats: number;
  /** The last segments fetched, newest first. */
  readonly last: readonly FetchSeen[];
}

export function tallyOf(text = "{}"): Tally {
  return v.parse(TallySchema, JSON.parse(text));
}

/** The tally with a fetched segment more. */
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
