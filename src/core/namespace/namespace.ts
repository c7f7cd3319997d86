/**
 * Definitions of namespaces, and rules for their changes.
 *
 * Invariants:
 *  N1 The fields that determine the IDs of a namespace never change: kind and layout, and start, delta and remainder of
 *     a segment. The max of a segment only grows.
 *  N2 keyShards, which maps keys to shards, and regions, which places objects, never change.
 *  N3 Shards only grow, and stay in the lower half of the worker range: leases use the upper half.
 */

import { anyOf, type FieldError, rangeErrors } from "../allowed.ts";
import { POLICY_FIELDS } from "../layout/fields.ts";
import { type Layout, type LayoutSpec, layoutOf, makeLayout } from "../layout/layout.ts";
import type { NamespacePolicy, Policy } from "../layout/policy.ts";
import { PRESETS } from "../layout/presets.ts";
import { leasableWorkers } from "../lease/worker-lease.ts";
import {
  RESERVE_DEFAULT_MS,
  RESERVE_STRICT_CLOCK_MS,
  SHARDS_DEFAULT,
  SHARDS_MAX,
} from "../limits.ts";
import type { Region } from "../regions.ts";
import {
  defineSegment,
  type SegmentDefinition,
  type SegmentInput,
  segmentConflicts,
} from "../segment/segment-definition.ts";

const REGIONS_DEFAULT: readonly Region[] = ["enam", "wnam", "weur", "apac"];

/** The allowed names of namespaces. Leaf's and TinyID's tags fit without renaming. */
export const NAMESPACE_NAME = /^[A-Za-z][A-Za-z0-9._-]{0,62}$/;
/** The allowed names of namespaces, as the end of a sentence. */
export const NAME_RULE = "a letter, then up to 62 letters, digits, dots, underscores or hyphens";

/** The stored definition of a namespace of time-ordered IDs. */
export interface SnowflakeDefinition {
  readonly kind: "snowflake";
  /** The preset: the source of omitted policy fields, and of the layout if none was given. */
  readonly preset: string;
  readonly layout: LayoutSpec;
  readonly policy: NamespacePolicy;
  readonly shards: number;
  readonly regions: readonly Region[];
  readonly keyShards: number;
}

/**
 * The requested definition. Omitted fields stay as they are, or get the default in a new namespace. Omitted policy
 * fields get the preset's value.
 */
export interface SnowflakeInput extends Partial<Omit<SnowflakeDefinition, "kind" | "policy">> {
  readonly kind: "snowflake";
  readonly policy?: Partial<NamespacePolicy>;
}

export type NamespaceInput = SnowflakeInput | SegmentInput;
export type NamespaceDefinition = SnowflakeDefinition | SegmentDefinition;

export type Defined =
  | { readonly kind: "defined"; readonly definition: NamespaceDefinition }
  | { readonly kind: "invalid"; readonly errors: readonly FieldError[] }
  /** The input would change `fields`, which are fixed. */
  | {
      readonly kind: "conflict";
      readonly fields: readonly string[];
      readonly stored: NamespaceDefinition;
      readonly wished: NamespaceDefinition;
    };

/** The largest number of shards of a layout: the lower half of its worker IDs (N3). */
export function shardsMax({ workerCount }: Layout): number {
  return Math.min(SHARDS_MAX, Math.max(1, Math.floor(workerCount / 2)));
}

/** Applies an input to a stored definition, or to a new namespace. */
export function defineNamespace(input: NamespaceInput, stored?: NamespaceDefinition): Defined {
  const { definition, errors } =
    input.kind === "segment"
      ? defineSegment(input, stored?.kind === "segment" ? stored : undefined)
      : defineSnowflake(input, stored?.kind === "snowflake" ? stored : undefined);
  const fields = stored && definition ? conflictsOf(stored, definition) : [];
  if (stored && definition && fields.length > 0) {
    return { kind: "conflict", fields, stored, wished: definition };
  }
  if (errors.length > 0 || !definition) return { kind: "invalid", errors };
  return { kind: "defined", definition };
}

function defineSnowflake(input: SnowflakeInput, stored: SnowflakeDefinition | undefined) {
  const presetName = input.preset ?? stored?.preset ?? "default";
  const preset = PRESETS.get(presetName);
  if (!preset) return undefinable("preset", anyOf([...PRESETS.keys()]).detail);
  if (input.preset !== undefined && input.layout !== undefined) {
    const detail = "and preset are mutually exclusive; send one of them";
    return undefinable("layout", detail);
  }
  const spec =
    input.layout ?? (input.preset === undefined ? stored?.layout : undefined) ?? preset.spec;
  const made = makeLayout(spec);
  if (!made.ok) return undefinable("layout", `cannot be: ${made.problems.join("; ")}`);
  const { layout } = made;
  const shards = input.shards ?? stored?.shards ?? Math.min(SHARDS_DEFAULT, shardsMax(layout));
  const definition: SnowflakeDefinition = {
    kind: input.kind,
    preset: presetName,
    layout: spec,
    policy: policyOf(preset.policy, input.policy ?? {}, layout),
    shards,
    regions: input.regions ?? stored?.regions ?? REGIONS_DEFAULT,
    keyShards: input.keyShards ?? stored?.keyShards ?? shards,
  };
  return { definition, errors: errorsOf(definition, layout) };
}

function undefinable(field: string, detail: string) {
  return { definition: undefined, errors: [{ field, detail }] };
}

/** The policy that a namespace of that preset and layout has if nothing is overridden; `default`'s for an unknown preset. */
export function defaultPolicyOf(presetName: string, layout: LayoutSpec): NamespacePolicy {
  const preset = PRESETS.get(presetName) ?? PRESETS.get("default");
  if (!preset) throw new RangeError("there is no preset default");
  return policyOf(preset.policy, {}, layoutOf(layout));
}

function policyOf(
  preset: Policy,
  overrides: Partial<NamespacePolicy>,
  layout: Layout,
): NamespacePolicy {
  const policy = {
    ...preset,
    freshForMs: POLICY_FIELDS.freshForMs.default,
    leaseTtlMaxMs: POLICY_FIELDS.leaseTtlMaxMs.default,
    // Half: a key at its limit leaves the other half to other keys.
    leasesPerKeyMax: Math.max(1, Math.floor(leasesMax(layout) / 2)),
    ...overrides,
  };
  const leads = policy.maxStepBackMs > 0 || policy.maxBorrowMs > 0;
  const reserveMs = leads ? RESERVE_DEFAULT_MS : RESERVE_STRICT_CLOCK_MS;
  const usual = Math.max(layout.tickMs, Math.min(reserveMs, reserveMaxMs(policy)));
  return { ...policy, reserveMs: overrides.reserveMs ?? usual };
}

/** The number of leasable worker IDs; at least 1, because a layout without any still needs a valid bound. */
function leasesMax(layout: Layout): number {
  const { first, end } = leasableWorkers(layout);
  return Math.max(1, end - first);
}

/** A restart continues at the mark. With a mark further ahead, it would refuse until the clock is closer. */
function reserveMaxMs({ maxStepBackMs, maxBorrowMs, maxWaitMs }: Policy): number {
  return maxStepBackMs + maxBorrowMs + maxWaitMs;
}

function errorsOf(definition: SnowflakeDefinition, layout: Layout): readonly FieldError[] {
  const { policy, shards, keyShards } = definition;
  // A mark is always at least a tick ahead (markFor in core/line/line).
  const reserveMost = Math.max(layout.tickMs, reserveMaxMs(policy));
  return [
    ...rangeErrors("policy.randomStart", policy.randomStart, 0, layout.sequenceCount),
    ...rangeErrors("policy.reserveMs", policy.reserveMs, layout.tickMs, reserveMost),
    ...rangeErrors("policy.leasesPerKeyMax", policy.leasesPerKeyMax, 1, leasesMax(layout)),
    ...rangeErrors("shards", shards, 1, shardsMax(layout)),
    ...rangeErrors("keyShards", keyShards, 1, shards),
  ];
}

/** The fixed fields that would change. */
function conflictsOf(stored: NamespaceDefinition, wished: NamespaceDefinition): string[] {
  if (stored.kind === "segment" && wished.kind === "segment") {
    return segmentConflicts(stored, wished);
  }
  if (stored.kind !== "snowflake" || wished.kind !== "snowflake") return ["kind"];
  const same = (one: unknown, other: unknown): boolean =>
    JSON.stringify(one) === JSON.stringify(other);
  const fields: string[] = [];
  if (!same(layoutPartsOf(stored.layout), layoutPartsOf(wished.layout))) fields.push("layout");
  if (!same(stored.regions, wished.regions)) fields.push("regions");
  if (stored.keyShards !== wished.keyShards) fields.push("keyShards");
  if (stored.shards > wished.shards) fields.push("shards");
  return fields;
}

/** The fixed parts of a layout, independent of how its spec was written. */
function layoutPartsOf(spec: LayoutSpec): unknown {
  const { fingerprint, laneUse } = layoutOf(spec);
  return [fingerprint, laneUse];
}
