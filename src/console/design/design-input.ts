/** The design of a snowflake namespace: the input, its address, and the request body that creates it. */

import { type FieldError, integerFrom } from "../../core/allowed.ts";
import { parseInstant } from "../../core/instant.ts";
import { LANE_FIELDS, POLICY_FIELDS, WIDTHS } from "../../core/layout/fields.ts";
import { type Layout, type LayoutSpec, makeLayout } from "../../core/layout/layout.ts";
import { DEFAULT_SPEC, PRESETS } from "../../core/layout/presets.ts";
import { REGIONS_COUNT_MAX, SHARDS_DEFAULT } from "../../core/limits.ts";
import {
  defineNamespace,
  type SnowflakeDefinition,
  type SnowflakeInput,
  shardsMax,
} from "../../core/namespace/namespace.ts";
import { REGIONS, type Region } from "../../core/regions.ts";
import { POLICY_NAMES, type Texts, wholesIn } from "../namespace/texts.ts";
import { addressOf, type Route } from "../route.ts";

export interface DesignInput {
  /** May be invalid; `epochMs` is NaN if the typed text is no time. */
  readonly spec: LayoutSpec;
  /** The preset that gives the layout; empty: `spec` is the layout. */
  readonly preset?: string;
  /** As typed; empty: the service's default. */
  readonly shards?: string;
  /** As typed, with commas or spaces between; empty: the service's default. */
  readonly regions?: string;
  /** As typed, by field; empty: the preset's value. */
  readonly policy?: Texts;
}

/** A valid design, or the errors of an invalid one. */
export type Designed =
  | {
      readonly ok: true;
      readonly layout: Layout;
      /** As the service will store it. */
      readonly definition: SnowflakeDefinition;
      /** The body of PUT /v1/namespaces/{namespace}. */
      readonly body: SnowflakeInput;
    }
  | {
      readonly ok: false;
      /** The layout, if that part is valid. */
      readonly layout: Layout | undefined;
      readonly errors: readonly FieldError[];
    };

/** Checks a design as the service will. */
export function designed(input: DesignInput): Designed {
  const { spec, preset = "", shards = "", regions = "", policy: texts = {} } = input;
  const own = layoutBody(spec);
  const known = PRESETS.get(preset)?.layout;
  const made = known ? { ok: true as const, layout: known } : makeLayout(own);
  const named = regionsIn(regions);
  const policy = wholesIn(POLICY_FIELDS, texts);
  const errors = [...policy.errors];
  if (!made.ok) {
    errors.push(...made.problems.map((detail) => ({ field: "layout", detail })));
  }
  if (named === undefined) {
    const detail = `must be 1 to ${REGIONS_COUNT_MAX} of ${REGIONS.join(", ")}`;
    errors.push({ field: "regions", detail });
  }
  if (!made.ok) return { ok: false, layout: undefined, errors };
  const { layout } = made;
  const most = shardsMax(layout);
  const count = shards === "" ? Math.min(SHARDS_DEFAULT, most) : wholeIn(shards);
  if (count < 1 || count > most) errors.push({ field: "shards", ...integerFrom(1, most) });
  const body: SnowflakeInput = {
    kind: "snowflake",
    ...(known ? { preset } : { layout: own }),
    ...(shards !== "" && { shards: count }),
    ...(named !== undefined && named.length > 0 && { regions: named }),
    ...(Object.keys(policy.values).length > 0 && { policy: policy.values }),
  };
  if (errors.length > 0) return { ok: false, layout, errors };
  const result = defineNamespace(body);
  if (result.kind === "defined" && result.definition.kind === "snowflake") {
    return { ok: true, layout, definition: result.definition, body };
  }
  return { ok: false, layout, errors: result.kind === "invalid" ? result.errors : [] };
}

/** The layout without its lane options if it has one lane. */
function layoutBody(spec: LayoutSpec): LayoutSpec {
  if (spec.laneBits > 0) return spec;
  const { lanePlace: _, laneUse: __, ...layout } = spec;
  return layout;
}

/** The integer in a text; 0 if it is none. */
function wholeIn(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** Undefined if one is unknown, or they are too many. */
function regionsIn(text: string): Region[] | undefined {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  const named = words.flatMap((word) => wordIn(REGIONS, word) ?? []);
  return named.length === words.length && named.length <= REGIONS_COUNT_MAX ? named : undefined;
}

/** The address of a design, with an ID to decode, and other parts of the query. */
export function designAddress(
  input: DesignInput,
  id = "",
  more: Readonly<Record<string, string>> = {},
): string {
  const { spec, preset = "", shards = "", regions = "", policy = {} } = input;
  return addressOf("design", id === "" ? [] : [id], {
    ...(preset === "" ? layoutQuery(spec) : { preset }),
    shards,
    regions,
    ...policy,
    ...more,
  });
}

function layoutQuery(spec: LayoutSpec): Record<string, string> {
  return {
    bits: WIDTHS.map((name) => spec[name]).join("."),
    epoch: Number.isNaN(spec.epochMs) ? "" : `${spec.epochMs}`,
    tick: `${spec.tickMs}`,
    lanePlace: spec.laneBits > 0 ? (spec.lanePlace ?? "") : "",
    laneUse: spec.laneBits > 0 ? (spec.laneUse ?? "") : "",
  };
}

/**
 * The design of an address. Absent parts of a layout are those of `default`. An address with neither a part of a layout
 * nor an ID to decode means the preset `default`.
 */
export function designIn({ parts, query }: Route): Required<DesignInput> {
  const { bits = "", epoch = "", tick = "", shards = "", regions = "" } = query;
  const widths = /^\d{1,2}(?:\.\d{1,2}){4}$/.test(bits) ? bits.split(".").map(Number) : [];
  const lanePlace = wordIn(LANE_FIELDS.lanePlace.allowed, query.lanePlace);
  const laneUse = wordIn(LANE_FIELDS.laneUse.allowed, query.laneUse);
  const spec: LayoutSpec = {
    ...DEFAULT_SPEC,
    ...Object.fromEntries(widths.map((width, place) => [WIDTHS[place], width])),
    epochMs: parseInstant(epoch) ?? DEFAULT_SPEC.epochMs,
    tickMs: wholeIn(tick) || DEFAULT_SPEC.tickMs,
    ...(lanePlace && { lanePlace }),
    ...(laneUse && { laneUse }),
  };
  const isOwn = parts.length > 0 || OWN_PARTS.some((name) => query[name] !== undefined);
  const preset = wordIn([...PRESETS.keys()], query.preset) ?? (isOwn ? "" : "default");
  const policy = POLICY_NAMES.map((name) => [name, query[name] ?? ""] as const);
  return { spec, preset, shards, regions, policy: Object.fromEntries(policy) };
}

/** The parts of an address that describe a layout. */
const OWN_PARTS = ["bits", "epoch", "tick", "lanePlace", "laneUse"];

function wordIn<Word extends string>(words: readonly Word[], text = ""): Word | undefined {
  return words.find((word) => word === text);
}
