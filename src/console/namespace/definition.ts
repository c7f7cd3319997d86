/** Reads the service's description of a namespace. */
import {
  LANE_FIELDS,
  LAYOUT_FIELDS,
  mapFields,
  POLICY_FIELDS,
  SEGMENT_FIELDS,
} from "../../core/layout/fields.ts";
import { type Layout, type LayoutSpec, makeLayout } from "../../core/layout/layout.ts";
import type { NamespaceDefinition } from "../../core/namespace/namespace.ts";
import { REGIONS, type Region } from "../../core/regions.ts";
import { isDecimal } from "../../core/segment/segment-definition.ts";
import { isNumber, type Json, numberOf, objectIn, textOf } from "../api.ts";

/** A namespace of the service. */
export interface Described {
  readonly name: string;
  readonly isBuiltIn: boolean;
  readonly isRetired: boolean;
  /** Empty for a built-in one. */
  readonly createdAt: string;
  /** Undefined for segments. */
  readonly layout: Layout | undefined;
  readonly definition: NamespaceDefinition;
}

/** The description; undefined if it is unreadable, as of another version of the service. */
export function describedIn(answer: Json): Described | undefined {
  const read = answer.kind === "segment" ? segmentIn(answer) : snowflakeIn(answer);
  return (
    read && {
      ...read,
      name: textOf(answer.name),
      isBuiltIn: answer.builtIn === true,
      isRetired: answer.retired === true,
      createdAt: textOf(answer.createdAt),
    }
  );
}

/** Whether a response describes a namespace. */
export function isDescription(answer: Json): boolean {
  return describedIn(answer) !== undefined;
}

type Read = Pick<Described, "layout" | "definition"> | undefined;

function snowflakeIn({
  kind,
  preset,
  layout: spec,
  shards,
  regions,
  keyShards,
  ...more
}: Json): Read {
  const policy = objectIn(more.policy);
  const made = makeLayout(spec);
  const numbers = [shards, keyShards, ...Object.keys(POLICY_FIELDS).map((name) => policy[name])];
  if (kind !== "snowflake" || !made.ok || !numbers.every(isNumber)) return undefined;
  return {
    layout: made.layout,
    definition: {
      kind,
      preset: textOf(preset),
      layout: specIn(objectIn(spec)),
      policy: mapFields(POLICY_FIELDS, (_, name) => numberOf(policy[name])),
      shards: numberOf(shards),
      regions: regionsIn(regions),
      keyShards: numberOf(keyShards),
    },
  };
}

function segmentIn(answer: Json): Read {
  const { start, max } = answer;
  const numbers = Object.keys(SEGMENT_FIELDS).map((name) => answer[name]);
  if (![start, max].every((one) => isDecimal(textOf(one))) || !numbers.every(isNumber)) {
    return undefined;
  }
  return {
    layout: undefined,
    definition: {
      kind: "segment",
      ...mapFields(SEGMENT_FIELDS, (_, name) => numberOf(answer[name])),
      start: textOf(start),
      max: textOf(max),
      description: textOf(answer.description),
    },
  };
}

/** The parts of a valid layout. */
function specIn(given: Json): LayoutSpec {
  const lanePlace = LANE_FIELDS.lanePlace.allowed.find((one) => one === given.lanePlace);
  const laneUse = LANE_FIELDS.laneUse.allowed.find((one) => one === given.laneUse);
  return {
    ...mapFields(LAYOUT_FIELDS, (_, name) => numberOf(given[name])),
    ...(lanePlace && { lanePlace }),
    ...(laneUse && { laneUse }),
  };
}

function regionsIn(value: unknown): Region[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one) => REGIONS.find((region) => region === one) ?? []);
}
