/**
 * The segment allocator: a line of numbers without a clock. Callers get consecutive segments of it. It takes the place
 * of the database row of Meituan Leaf (leaf_alloc) and TinyID (tiny_id_info).
 *
 * Invariants, each proved by the tests with the same number:
 *  G1 Segments are disjoint and increase: each begins at the maxId before it, and maxId moves to its end.
 *  G2 Every number n of a segment lies in start..max, and n mod delta = remainder.
 *  G3 An exact segment has exactly the requested count, and the next number follows without a gap.
 *  G4 No number above max is issued, and a refusal leaves maxId unchanged. The line never wraps.
 *  G5 A segment holds at least one ID.
 *
 * Pure. Numbers reach 2^63 − 1, so they are BigInts: a few per segment, none per ID.
 */
import type { Block } from "../blocks/block.ts";
import type { Refusal } from "../refusal.ts";

/** The numbers that a namespace can produce. */
export interface SegmentNumbers {
  /** The lowest number, ≥ 0. The first ID is the first number from there on with the remainder. */
  readonly start: bigint;
  /** The highest number, at most 2^63 − 1. */
  readonly max: bigint;
  /** Distance between IDs, ≥ 1. */
  readonly delta: number;
  /** Remainder of every ID divided by delta, 0 to delta − 1. */
  readonly remainder: number;
}

/** The numbers [from, until), allocated once, to one caller. */
export interface Segment {
  readonly from: bigint;
  readonly until: bigint;
}

export type Allocation =
  | { readonly ok: true; readonly segment: Segment }
  | { readonly ok: false; readonly refusal: Refusal };

/** The next `width` numbers, of which every delta-th is an ID; fewer at the end of the line. */
export function allocateWidth(numbers: SegmentNumbers, maxId: bigint, width: number): Allocation {
  const end = numbers.max + 1n;
  const wished = maxId + BigInt(width);
  const until = wished < end ? wished : end;
  const segment = { from: maxId, until };
  return blockOf(numbers, segment) ? { ok: true, segment } : exhausted(numbers, 1);
}

/** The next `count` IDs, or a refusal if fewer are left. */
export function allocateCount(numbers: SegmentNumbers, maxId: bigint, count: number): Allocation {
  const segment = exactSegment(numbers, maxId, count);
  return segment.until > numbers.max + 1n ? exhausted(numbers, count) : { ok: true, segment };
}

/** The numbers from `from` to the `count`-th ID from there; may go above max. */
export function exactSegment(numbers: SegmentNumbers, from: bigint, count: number): Segment {
  const last = firstFrom(numbers, from) + BigInt(count - 1) * BigInt(numbers.delta);
  return { from, until: last + 1n };
}

/** The IDs of a segment; undefined if it has none. */
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
