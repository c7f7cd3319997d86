import { fieldsOf } from "../json.ts";
import {
  LANE_FIELDS,
  LAYOUT_FIELDS,
  LAYOUT_SUMS,
  type ValuesOf,
  type WholeField,
  type WordField,
  wrongIn,
} from "./fields.ts";

export type LanePlace = (typeof LANE_FIELDS.lanePlace.allowed)[number];
export type LaneUse = (typeof LANE_FIELDS.laneUse.allowed)[number];

/** The definition of a layout: bit widths, epoch, tick and use of lanes. */
export interface LayoutSpec extends ValuesOf<typeof LAYOUT_FIELDS> {
  readonly lanePlace?: LanePlace;
  readonly laneUse?: LaneUse;
}

export type FieldName = "timestamp" | "datacenter" | "worker" | "lane" | "sequence";

/** One bit field of an ID. `shift` is the position of its lowest bit. */
export interface Field {
  readonly name: FieldName;
  readonly bits: number;
  readonly shift: number;
}

/** A validated layout with derived values for lines and IDs. */
export interface Layout {
  /** From the most significant field on, without fields of 0 bits. */
  readonly fields: readonly Field[];
  readonly epochMs: number;
  readonly tickMs: number;
  readonly laneUse: LaneUse;
  readonly totalBits: number;
  /** Number of ticks on the line; ticks are 0..tickCount−1. */
  readonly tickCount: number;
  /** Positions per tick, 2^sequenceBits. */
  readonly sequenceCount: number;
  /** One past the last position, 2^(timestampBits + sequenceBits); at most 2^53. */
  readonly lineEnd: number;
  readonly laneCount: number;
  /** Worker IDs are 0..workerCount−1, datacenter and worker fields read as one number. */
  readonly workerCount: number;
  /** The parts of the layout that decide what an ID means, as one comparable text. */
  readonly fingerprint: string;
}

export type LayoutResult =
  | { readonly ok: true; readonly layout: Layout }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Validates a spec from any source, and derives its layout. Reports all problems at once. Rejects unknown fields: a
 * field of a later version could change every ID.
 */
export function makeLayout(spec: unknown): LayoutResult {
  const problems: string[] = [];
  return isSpec(spec, problems) ? { ok: true, layout: derive(spec) } : { ok: false, problems };
}

/** `makeLayout` for valid specs, such as those of presets. Throws RangeError for an invalid spec. */
export function layoutOf(spec: LayoutSpec): Layout {
  const result = makeLayout(spec);
  if (!result.ok) throw new RangeError(`invalid layout: ${result.problems.join("; ")}`);
  return result.layout;
}

/** The field with that name; undefined if the layout has none. */
export function fieldOf(layout: Layout, name: FieldName): Field | undefined {
  return layout.fields.find((field) => field.name === name);
}

/** The tick that contains `unixMs`: negative before the epoch, ≥ tickCount after the last tick. */
export function tickAt(layout: Layout, unixMs: number): number {
  return Math.floor((unixMs - layout.epochMs) / layout.tickMs);
}

/** The start of `tick`, in unix ms. */
export function tickStartMs(layout: Layout, tick: number): number {
  return layout.epochMs + tick * layout.tickMs;
}

function isSpec(value: unknown, problems: string[]): value is LayoutSpec {
  const given = fieldsOf(value);
  const fields: Readonly<Record<string, WholeField | WordField>> = {
    ...LAYOUT_FIELDS,
    ...LANE_FIELDS,
  };
  for (const name in { ...LAYOUT_FIELDS, ...given }) {
    const field = fields[name];
    const wrong = field ? wrongIn(field, given[name]) : { detail: "is an unknown field" };
    if (wrong) problems.push(`${name} ${wrong.detail}`);
  }
  for (const { of, most } of LAYOUT_SUMS) {
    const sum = of.reduce((bits, name) => bits + Number(given[name]), 0);
    if (sum > most) problems.push(`${of.join(" + ")} must sum to at most ${most}`);
  }
  return problems.length === 0;
}

function derive(spec: LayoutSpec): Layout {
  const names: readonly FieldName[] =
    spec.lanePlace === "aboveWorker"
      ? ["timestamp", "lane", "datacenter", "worker", "sequence"]
      : ["timestamp", "datacenter", "worker", "lane", "sequence"];
  const totalBits = names.reduce((sum, name) => sum + spec[`${name}Bits`], 0);
  let shift = totalBits;
  const fields: Field[] = [];
  for (const name of names) {
    const bits = spec[`${name}Bits`];
    shift -= bits;
    if (bits > 0) fields.push({ name, bits, shift });
  }
  const widths = fields.map(({ name, bits }) => `${name}:${bits}`).join(" ");
  return {
    fields,
    epochMs: spec.epochMs,
    tickMs: spec.tickMs,
    laneUse: spec.laneUse ?? "always",
    totalBits,
    tickCount: 2 ** spec.timestampBits,
    sequenceCount: 2 ** spec.sequenceBits,
    lineEnd: 2 ** (spec.timestampBits + spec.sequenceBits),
    laneCount: 2 ** spec.laneBits,
    workerCount: 2 ** (spec.datacenterBits + spec.workerBits),
    fingerprint: `${widths} epochMs:${spec.epochMs} tickMs:${spec.tickMs}`,
  };
}
