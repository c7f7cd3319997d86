import {
  DATE_MS_MAX,
  ID_BITS_MAX,
  LANE_BITS_MAX,
  POSITION_BITS_MAX,
  WORKER_BITS_MAX,
} from "./limits.ts";

/** The unit of the timestamp field, in ms. */
export const TICKS_MS = [1, 10, 1000] as const;

/**
 * When a further lane is used: `always` when the one before is used up or behind,
 * `back` only when the clock went back behind the one before.
 */
export type LaneUse = "always" | "back";

/** What a person decides about a layout: bit widths, epoch, tick. */
export interface LayoutSpec {
  readonly timestampBits: number;
  readonly datacenterBits: number;
  readonly workerBits: number;
  readonly laneBits: number;
  readonly sequenceBits: number;
  /** Unix ms of tick 0. */
  readonly epochMs: number;
  /** 1, 10 or 1000. */
  readonly tickMs: number;
  /** Where the lane field sits; below the worker unless said otherwise. */
  readonly lanePlace?: "aboveWorker" | "belowWorker";
  /** Default `always`. */
  readonly laneUse?: LaneUse;
}

export type FieldName = "timestamp" | "datacenter" | "worker" | "lane" | "sequence";

/** One bit field of an ID. `shift` is the place of its lowest bit. */
export interface Field {
  readonly name: FieldName;
  readonly bits: number;
  readonly shift: number;
}

/** A validated layout with everything derived that the line and the IDs need. */
export interface Layout {
  /** From the most significant; fields of 0 bits are left out. */
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

/** Validates a spec and derives its layout. All problems are reported at once. */
export function makeLayout(spec: LayoutSpec): LayoutResult {
  const problems = problemsOf(spec);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, layout: derive(spec) };
}

/** `makeLayout` for specs known to be good, such as the preset table. Throws RangeError. */
export function layoutOf(spec: LayoutSpec): Layout {
  const result = makeLayout(spec);
  if (!result.ok) throw new RangeError(`invalid layout: ${result.problems.join("; ")}`);
  return result.layout;
}

/** The field of that name, or undefined where the layout has none. */
export function fieldOf(layout: Layout, name: FieldName): Field | undefined {
  return layout.fields.find((field) => field.name === name);
}

/** The tick that `unixMs` lies in; negative before the epoch, ≥ tickCount past the end. */
export function tickAt(layout: Layout, unixMs: number): number {
  return Math.floor((unixMs - layout.epochMs) / layout.tickMs);
}

/** Unix ms at which `tick` begins. */
export function tickStartMs(layout: Layout, tick: number): number {
  return layout.epochMs + tick * layout.tickMs;
}

function problemsOf(spec: LayoutSpec): string[] {
  const problems: string[] = [];
  const takes = (name: keyof LayoutSpec, least: number, most: number): void => {
    const value = spec[name];
    if (!Number.isInteger(value) || Number(value) < least || Number(value) > most) {
      problems.push(`${name} takes a whole number from ${least} to ${most}`);
    }
  };
  takes("timestampBits", 1, POSITION_BITS_MAX);
  takes("datacenterBits", 0, WORKER_BITS_MAX);
  takes("workerBits", 0, WORKER_BITS_MAX);
  takes("laneBits", 0, LANE_BITS_MAX);
  takes("sequenceBits", 0, POSITION_BITS_MAX - 1);
  takes("epochMs", 0, DATE_MS_MAX);
  if (!TICKS_MS.some((tickMs) => tickMs === spec.tickMs)) {
    problems.push(`tickMs takes ${TICKS_MS.join(", ")}`);
  }
  const { timestampBits, datacenterBits, workerBits, laneBits, sequenceBits } = spec;
  if (timestampBits + sequenceBits > POSITION_BITS_MAX) {
    problems.push(`timestampBits + sequenceBits take at most ${POSITION_BITS_MAX}`);
  }
  if (datacenterBits + workerBits > WORKER_BITS_MAX) {
    problems.push(`datacenterBits + workerBits take at most ${WORKER_BITS_MAX}`);
  }
  if (timestampBits + datacenterBits + workerBits + laneBits + sequenceBits > ID_BITS_MAX) {
    problems.push(`all fields together take at most ${ID_BITS_MAX} bits`);
  }
  return problems;
}

function derive(spec: LayoutSpec): Layout {
  const lane: [FieldName, number] = ["lane", spec.laneBits];
  const fromTop: [FieldName, number][] = [
    ["timestamp", spec.timestampBits],
    ...(spec.lanePlace === "aboveWorker" ? [lane] : []),
    ["datacenter", spec.datacenterBits],
    ["worker", spec.workerBits],
    ...(spec.lanePlace === "aboveWorker" ? [] : [lane]),
    ["sequence", spec.sequenceBits],
  ];
  const totalBits = fromTop.reduce((sum, [, bits]) => sum + bits, 0);
  let shift = totalBits;
  const fields: Field[] = [];
  for (const [name, bits] of fromTop) {
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
