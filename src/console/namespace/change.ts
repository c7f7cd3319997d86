/** A change of a namespace: the body of its PATCH, and what the body changes. */

import type { FieldError } from "../../core/allowed.ts";
import {
  mapFields,
  POLICY_FIELDS,
  SEGMENT_FIELDS,
  SHARD_FIELDS,
} from "../../core/layout/fields.ts";
import type { NamespacePolicy } from "../../core/layout/policy.ts";
import {
  type Defined,
  defaultPolicyOf,
  type NamespaceDefinition,
  type SnowflakeDefinition,
} from "../../core/namespace/namespace.ts";
import { type NamespacePatch, patchNamespace } from "../../core/namespace/namespace-patch.ts";
import { isDecimal, type SegmentDefinition } from "../../core/segment/segment-definition.ts";
import { descriptionErrors } from "./segment-input.ts";
import { type PolicyName, type Texts, typed, wholesIn } from "./texts.ts";

/** A field before and after a change. */
export interface ChangedField {
  readonly field: string;
  readonly now: string;
  readonly next: string;
  /** Whether it returns to the preset's value, or to the default. */
  readonly isReset: boolean;
}

/** A change that the service accepts, or why it is none. Without any field there is nothing to send. */
export type Change =
  | {
      readonly ok: true;
      readonly body: object;
      readonly fields: readonly ChangedField[];
      /** The definition after it. */
      readonly after: NamespaceDefinition;
    }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** The fields of a namespace that may change, with their values. */
export function textsOf(stored: NamespaceDefinition): Texts {
  if (stored.kind === "segment") {
    const { step, max, description } = stored;
    return { step: `${step}`, max, description };
  }
  const { policy, shards } = stored;
  return { shards: `${shards}`, ...mapFields(POLICY_FIELDS, (_, name) => `${policy[name]}`) };
}

/** The change from the stored definition to the typed texts. An empty text returns a field to its default. */
export function changeOf(stored: NamespaceDefinition, texts: Texts): Change {
  const now = textsOf(stored);
  // A stored description may have spaces around it.
  const changed = Object.keys(now).filter((name) => {
    return ![texts[name], typed(texts, name)].includes(now[name]);
  });
  const given = Object.fromEntries(changed.map((name) => [name, typed(texts, name)]));
  const resets = changed.filter((name) => given[name] === "" && name !== "description");
  const { patch, errors } =
    stored.kind === "segment"
      ? segmentPatch(stored, given, resets)
      : snowflakePatch(stored, given, resets);
  if (errors.length > 0) return { ok: false, errors };
  const result = patchNamespace(patch, stored);
  if (result.kind !== "defined") return { ok: false, errors: errorsIn(result) };
  const next = textsOf(result.definition);
  const fields = changed
    .filter((name) => next[name] !== now[name])
    .map((field) => ({
      field,
      now: now[field] ?? "",
      next: next[field] ?? "",
      isReset: resets.includes(field),
    }));
  return { ok: true, body: bodyOf(patch, fields), fields, after: result.definition };
}

interface Patched {
  readonly patch: NamespacePatch;
  readonly errors: readonly FieldError[];
}

function snowflakePatch(
  { shards }: SnowflakeDefinition,
  given: Texts,
  resets: readonly string[],
): Patched {
  const counts = wholesIn(SHARD_FIELDS, given);
  const policy = wholesIn(POLICY_FIELDS, given);
  const errors = [...counts.errors, ...policy.errors];
  const isFewer = (counts.values.shards ?? shards) < shards;
  if (isFewer || resets.includes("shards")) {
    errors.push({ field: "shards", detail: `can only grow, from ${shards}` });
  }
  const reset = resets.filter((name) => name !== "shards").map((name) => [name, null] as const);
  const wanted = { ...policy.values, ...Object.fromEntries(reset) };
  return { patch: { kind: "snowflake", ...counts.values, policy: wanted }, errors };
}

function segmentPatch(stored: SegmentDefinition, given: Texts, resets: readonly string[]): Patched {
  const { values, errors: wrong } = wholesIn({ step: SEGMENT_FIELDS.step }, given);
  const { max, description } = given;
  const errors = [...wrong, ...descriptionErrors(description ?? "")];
  if (max !== undefined && (!isDecimal(max) || BigInt(max) < BigInt(stored.max))) {
    errors.push({ field: "max", detail: `can only grow, from ${stored.max} to 2^63 − 1` });
  }
  const patch: NamespacePatch = {
    kind: "segment",
    ...values,
    ...(resets.includes("step") && { step: null }),
    ...(max !== undefined && { max }),
    ...(description !== undefined && { description }),
  };
  return { patch, errors };
}

/** The patch with the fields alone that it changes, without its kind. */
function bodyOf(patch: NamespacePatch, fields: readonly ChangedField[]): object {
  const isChanged = ([name]: readonly [string, unknown]): boolean =>
    fields.some(({ field }) => field === name);
  const { kind: _, ...rest } = patch;
  const policy = Object.entries("policy" in rest ? (rest.policy ?? {}) : {}).filter(isChanged);
  return {
    ...Object.fromEntries(Object.entries(rest).filter(isChanged)),
    ...(policy.length > 0 && { policy: Object.fromEntries(policy) }),
  };
}

function errorsIn(result: Exclude<Defined, { kind: "defined" }>): readonly FieldError[] {
  if (result.kind === "invalid") return result.errors;
  return result.fields.map((field) => ({ field, detail: "never changes, or can only grow" }));
}

/** The value of each policy field if it alone returns to the preset's. */
export function presetPolicyOf(stored: SnowflakeDefinition): NamespacePolicy {
  const usual = defaultPolicyOf(stored.preset, stored.layout);
  return mapFields(POLICY_FIELDS, (_, name) => presetValue(stored, name) ?? usual[name]);
}

/** reserveMs without a value follows from the other fields. */
function presetValue(stored: SnowflakeDefinition, name: PolicyName): number | undefined {
  const result = patchNamespace({ kind: "snowflake", policy: { [name]: null } }, stored);
  const isDefined = result.kind === "defined" && result.definition.kind === "snowflake";
  return isDefined ? result.definition.policy[name] : undefined;
}
