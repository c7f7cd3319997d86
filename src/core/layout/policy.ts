import { isWhole } from "../allowed.ts";
import { fieldsOf } from "../json.ts";
import type { POLICY_FIELDS, ValuesOf } from "./fields.ts";
import type { LayoutSpec } from "./layout.ts";

/** A namespace's policy: see FIELD_TEXTS. Times in whole ms. */
export type NamespacePolicy = ValuesOf<typeof POLICY_FIELDS>;

/** The policy fields that lines use. */
const LINE_FIELDS = [
  "maxStepBackMs",
  "maxBorrowMs",
  "maxWaitMs",
  "randomStart",
  "reserveMs",
] as const;
export type Policy = Pick<NamespacePolicy, (typeof LINE_FIELDS)[number]>;

/** Layout and policy as JSON text: each call of a shard carries it. */
export function lineSpecOf(layout: LayoutSpec, policy: Policy): string {
  return `{"layout":${JSON.stringify(layout)},"policy":${JSON.stringify(policy, [...LINE_FIELDS])}}`;
}

/** Whether a value from any source is a policy. Ignores bounds and unknown fields: another version may have others. */
export function isPolicy(value: unknown): value is Policy {
  const given = fieldsOf(value);
  return LINE_FIELDS.every((name) => isWhole(given[name], 0, Number.MAX_SAFE_INTEGER));
}
