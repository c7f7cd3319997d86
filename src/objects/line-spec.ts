import { fieldsOf } from "../core/json.ts";
import { type Layout, makeLayout } from "../core/layout/layout.ts";
import { isPolicy, type Policy } from "../core/layout/policy.ts";

/**
 * Reads a line spec: the layout and policy that come with each call. Throws if it is malformed: only this service
 * writes them.
 */
export function parseLineSpec(text: string): { layout: Layout; policy: Policy } {
  const { layout: spec, policy } = fieldsOf(JSON.parse(text));
  const result = makeLayout(spec);
  if (!result.ok) throw new RangeError(`cannot read a line spec: ${result.problems.join("; ")}`);
  if (!isPolicy(policy)) throw new RangeError("cannot read a line spec: its policy is incomplete");
  if (policy.randomStart > result.layout.sequenceCount) {
    throw new RangeError("cannot read a line spec: randomStart must be at most 2^sequenceBits");
  }
  return { layout: result.layout, policy };
}
