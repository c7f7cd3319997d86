import * as v from "valibot";
import type { SegmentNumbers } from "../core/segment/segment.ts";
import { isDecimal } from "../core/segment/segment-definition.ts";

/** A number of a segment as decimal text, because it can exceed the exact range of a JS number. */
export const NumberText = v.pipe(v.string(), v.check(isDecimal));

/** The wire form of a segment's numbers: JSON text that comes with each call. */
const SegmentSpec = v.object({
  start: NumberText,
  max: NumberText,
  delta: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  remainder: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
});

/** Reads a segment spec. Throws if it is malformed: only this service writes them. */
export function parseSegmentSpec(text: string): SegmentNumbers {
  const { start, max, delta, remainder } = v.parse(SegmentSpec, JSON.parse(text));
  if (remainder >= delta) throw new RangeError("cannot read a segment spec: remainder ≥ delta");
  return { start: BigInt(start), max: BigInt(max), delta, remainder };
}

/** The fixed parts of a segment's numbers, as one comparable text. */
export function fingerprintOf({ start, delta, remainder }: SegmentNumbers): string {
  return `start:${start} delta:${delta} remainder:${remainder}`;
}
