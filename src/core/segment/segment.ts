/**
 * The segment allocator: a line of numbers without a clock, of which callers get one stretch after the other.
 * It plays the database row of Meituan Leaf (leaf_alloc) and TinyID (tiny_id_info).
 *
 * Invariants, each proved by the tests with the same number:
 *  G1 Segments are disjoint and increase: each begins at the maxId before it, and maxId moves to its end.
 *  G2 Every number n of a segment lies in start..max, and n mod delta = remainder.
 *  G3 An exact segment has just the numbers asked for; after one, the next number follows with none skipped.
 *  G4 Past max nothing is given out: a refusal leaves maxId where it was. It never wraps.
 *  G5 A segment holds one number at least.
 *
 * Pure. Numbers reach 2^63 − 1, so they are BigInts; there are a few of them a segment, none an ID.
 */
import type { Block } from "../blocks/block.ts";
import type { Refusal } from "../refusal.ts";

/** Which numbers a namespace can produce. */
export interface SegmentNumbers {
  /** The lowest number; the first ID is the first one from there on that the remainder allows. ≥ 0. */
  readonly start: bigint;
  /** The highest number, at most 2^63 − 1. */
  readonly max: bigint;
  /** Distance between IDs, ≥ 1. */
  readonly delta: number;
  /** What an ID leaves when divided by delta, 0 to delta − 1. */
  readonly remainder: number;
}

/** The numbers [from, until): given out once, to one caller. */
export interface Segment {
  readonly from: bigint;
  readonly until: bigint;
}

export type Allocation =
  | { readonly ok: true; readonly segment: Segment }
  | { readonly ok: false; readonly refusal: Refusal };

/** The next `width` numbers, of which every delta-th is an ID; less where max comes first. */
export function allocateWidth(numbers: SegmentNumbers, maxId: bigint, width: number): Allocation {
  const end = numbers.max + 1n;
  const wished = maxId + BigInt(width);
  const until = wished < end ? wished : end;
  const segment = { from: maxId, until };
  return blockOf(numbers, segment) ? { ok: true, segment } : exhausted(numbers, 1);
}

/** The next `count` IDs, all of them or none. */
export function allocateCount(numbers: SegmentNumbers, maxId: bigint, count: number): Allocation {
  const segment = exactSegment(numbers, maxId, count);
  return segment.until > numbers.max + 1n ? exhausted(numbers, count) : { ok: true, segment };
}

/** The numbers from `from` to the `count`-th ID there, past max too. */
export function exactSegment(numbers: SegmentNumbers, from: bigint, count: number): Segment {
  const last = firstFrom(numbers, from) + BigInt(count - 1) * BigInt(numbers.delta);
  return { from, until: last + 1n };
}

/** The IDs of a segment; undefined where it has none. */
export function blockOf(numbers: SegmentNumbers, { from, until }: Segment): Block | undefined {
  const first = firstFrom(numbers, from);
  if (first >= until) return undefined;
  const { delta } = numbers;
  const count = Number((until - 1n - first) / BigInt(delta)) + 1;
  return delta === 1 ? { first, count } : { first, count, stride: delta };
}

/** The lowest ID at or above `from`. */
function firstFrom({ delta, remainder }: SegmentNumbers, from: bigint): bigint {
  const distance = (BigInt(remainder) - from) % BigInt(delta);
  return from + (distance < 0n ? distance + BigInt(delta) : distance);
}

function exhausted({ max }: SegmentNumbers, count: number): Allocation {
  const left = count === 1 ? "No number is" : `Fewer than ${count} numbers are`;
  const detail = `${left} left up to this namespace's max, ${max}.`;
  return { ok: false, refusal: { code: "exhausted", detail } };
}
