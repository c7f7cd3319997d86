import { fieldsOf } from "../json.ts";
import { isWhole } from "../takes.ts";
import type { POLICY_FIELDS, ValuesOf } from "./fields.ts";
import type { LayoutSpec } from "./layout.ts";

/** A namespace's policy: see FIELD_TEXTS. Times in whole ms. */
export type NamespacePolicy = ValuesOf<typeof POLICY_FIELDS>;

/** The part of it that lines need. */
const LINE_FIELDS = [
  "maxStepBackMs",
  "maxBorrowMs",
  "maxWaitMs",
  "randomStart",
  "reserveMs",
] as const;
export type Policy = Pick<NamespacePolicy, (typeof LINE_FIELDS)[number]>;

/** Layout and policy as the JSON text that goes along with each call of a shard. */
export function lineSpecOf(layout: LayoutSpec, policy: Policy): string {
  return `{"layout":${JSON.stringify(layout)},"policy":${JSON.stringify(policy, [...LINE_FIELDS])}}`;
}

/** Whether a value of whatever source is a policy. Another version may have other bounds, and more fields. */
export function isPolicy(value: unknown): value is Policy {
  const given = fieldsOf(value);
  return LINE_FIELDS.every((name) => isWhole(given[name], 0, Number.MAX_SAFE_INTEGER));
}
