import type { LayoutSpec } from "../layout/layout.ts";
import type { NamespacePolicy } from "../layout/policy.ts";
import type { SegmentDefinition, SegmentInput } from "../segment/segment-definition.ts";
import {
  type Defined,
  defineNamespace,
  type NamespaceDefinition,
  type SnowflakeDefinition,
  type SnowflakeInput,
} from "./namespace.ts";

/** Fields to change; null returns a field to its default. */
type Nullable<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | null };

/** A JSON merge patch (RFC 7396) of a snowflake namespace. Null returns a field of the policy, or all of it, to the preset's. */
export interface SnowflakePatch
  extends Partial<Omit<SnowflakeDefinition, "kind" | "layout" | "policy">> {
  readonly kind: "snowflake";
  readonly layout?: Partial<LayoutSpec>;
  readonly policy?: Nullable<NamespacePolicy> | null;
}

/** The same of a segment namespace. Null returns a field to the default of a new namespace. */
export interface SegmentPatch
  extends Partial<Omit<SegmentDefinition, "kind" | "step" | "description">>,
    Nullable<Pick<SegmentDefinition, "step" | "description">> {
  readonly kind: "segment";
}

export type NamespacePatch = SnowflakePatch | SegmentPatch;

/** `stored` with the fields that the patch names changed, by the rules of `defineNamespace`. All other fields stay. */
export function patchNamespace(patch: NamespacePatch, stored: NamespaceDefinition): Defined {
  if (patch.kind === "snowflake" && stored.kind === "snowflake") {
    return defineNamespace(patchedSnowflake(patch, stored), stored);
  }
  if (patch.kind === "segment" && stored.kind === "segment") {
    return defineNamespace(patchedSegment(patch, stored), stored);
  }
  return defineNamespace({ kind: patch.kind }, stored);
}

function patchedSnowflake(
  { layout, policy = {}, ...rest }: SnowflakePatch,
  stored: SnowflakeDefinition,
): SnowflakeInput {
  const merged = policy === null ? {} : { ...stored.policy, ...policy };
  const given = Object.entries(merged).filter(
    (entry): entry is [string, number] => entry[1] !== null,
  );
  return {
    ...rest,
    ...(layout && { layout: { ...stored.layout, ...layout } }),
    policy: Object.fromEntries(given),
  };
}

function patchedSegment(
  { step, description, ...rest }: SegmentPatch,
  stored: SegmentDefinition,
): SegmentInput {
  return {
    ...rest,
    ...(step !== null && { step: step ?? stored.step }),
    ...(description !== null && { description: description ?? stored.description }),
  };
}
