/** The design of a namespace: the input, its address, and the request body that creates it. */

import { parseInstant } from "../core/instant.ts";
import { LANE_FIELDS, WIDTHS } from "../core/layout/fields.ts";
import { type Layout, type LayoutSpec, makeLayout } from "../core/layout/layout.ts";
import { DEFAULT_SPEC } from "../core/layout/presets.ts";
import { REGIONS_COUNT_MAX, SHARDS_DEFAULT } from "../core/limits.ts";
import { type SnowflakeInput, shardsMax } from "../core/namespace/namespace.ts";
import { REGIONS, type Region } from "../core/regions.ts";
import { integerFrom } from "../core/takes.ts";
import { addressOf, type Route } from "./route.ts";

export interface DesignInput {
  /** May be invalid; `epochMs` is NaN if the typed text is no time. */
  readonly spec: LayoutSpec;
  /** As typed; empty: the service's default. */
  readonly shards?: string;
  /** As typed, with commas or spaces between; empty: the service's default. */
  readonly regions?: string;
}

/** A valid design with its number of shards, or the problems of an invalid one. */
export type Designed =
  | {
      readonly ok: true;
      readonly layout: Layout;
      readonly shards: number;
      /** The body of PUT /v1/namespaces/{namespace}. */
      readonly body: SnowflakeInput;
    }
  | {
      readonly ok: false;
      /** The layout, if that part is valid. */
      readonly layout: Layout | undefined;
      readonly problems: readonly string[];
    };

/** Checks a design as the service will. */
export function designed({ spec, shards = "", regions = "" }: DesignInput): Designed {
  const input = layoutBody(spec);
  const made = makeLayout(input);
  const named = regionsIn(regions);
  const problems = made.ok ? [] : [...made.problems];
  if (named === undefined) {
    problems.push(`regions must be 1 to ${REGIONS_COUNT_MAX} of ${REGIONS.join(", ")}`);
  }
  if (!made.ok) return { ok: false, layout: undefined, problems };
  const { layout } = made;
  const most = shardsMax(layout);
  const count = shards === "" ? Math.min(SHARDS_DEFAULT, most) : wholeIn(shards);
  if (count < 1 || count > most) problems.push(`shards ${integerFrom(1, most).detail}`);
  if (problems.length > 0 || named === undefined) return { ok: false, layout, problems };
  const body: SnowflakeInput = {
    kind: "snowflake",
    layout: input,
    ...(shards !== "" && { shards: count }),
    ...(named.length > 0 && { regions: named }),
  };
  return { ok: true, layout, shards: count, body };
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

/** The address of a design, with an ID to decode. */
export function designAddress(input: DesignInput, id = "", encoding = ""): string {
  const { spec, shards = "", regions = "" } = input;
  return addressOf("design", id === "" ? [] : [id], {
    bits: WIDTHS.map((name) => spec[name]).join("."),
    epoch: Number.isNaN(spec.epochMs) ? "" : `${spec.epochMs}`,
    tick: `${spec.tickMs}`,
    lanePlace: spec.laneBits > 0 ? (spec.lanePlace ?? "") : "",
    laneUse: spec.laneBits > 0 ? (spec.laneUse ?? "") : "",
    shards,
    regions,
    encoding,
  });
}

/** The design of an address; absent parts are those of `default`. */
export function designIn({ query }: Route): Required<DesignInput> {
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
  return { spec, shards, regions };
}

function wordIn<Word extends string>(words: readonly Word[], text = ""): Word | undefined {
  return words.find((word) => word === text);
}
