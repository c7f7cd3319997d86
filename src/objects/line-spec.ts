import * as v from "valibot";
import { type Layout, makeLayout } from "../core/layout.ts";
import type { Policy } from "../core/policy.ts";

const whole = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A layout in storage and on the wire. Strict: a field that this version does not know would change every ID. */
export const LayoutSchema = v.strictObject({
  timestampBits: whole,
  datacenterBits: whole,
  workerBits: whole,
  laneBits: whole,
  sequenceBits: whole,
  epochMs: whole,
  tickMs: whole,
  lanePlace: v.exactOptional(v.picklist(["aboveWorker", "belowWorker"])),
  laneUse: v.exactOptional(v.picklist(["always", "back"])),
});

/** A line's policy. Not strict: a later version may send more. */
export const PolicySchema = v.object({
  maxStepBackMs: whole,
  maxBorrowMs: whole,
  maxWaitMs: whole,
  randomStart: whole,
  reserveMs: whole,
});

/** The wire form of a namespace's line: what the router sends along with each call, as JSON text. */
const LineSpec = v.object({ layout: LayoutSchema, policy: PolicySchema });

/** Reads a line spec. Throws on anything malformed: only this service writes them. */
export function parseLineSpec(text: string): { layout: Layout; policy: Policy } {
  const { layout: spec, policy } = v.parse(LineSpec, JSON.parse(text));
  const result = makeLayout(spec);
  if (!result.ok) throw new RangeError(`cannot read a line spec: ${result.problems.join("; ")}`);
  if (policy.randomStart > result.layout.sequenceCount) {
    throw new RangeError("cannot read a line spec: randomStart takes at most 2^sequenceBits");
  }
  return { layout: result.layout, policy };
}
