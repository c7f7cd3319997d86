/** The values that charts of shards show, with their units. */
import type { Sample } from "./shard-history.ts";

interface Unit {
  /** Its size in the measure's own unit. */
  readonly size: number;
  /** Follows a number. */
  readonly suffix: string;
}

export interface Measure {
  readonly title: string;
  /** The value of a sample; undefined if it has none. */
  readonly of: (sample: Sample) => number | undefined;
  /** Smallest first. */
  readonly units: readonly [Unit, ...Unit[]];
  /** The least top of an axis: it does not magnify small values. */
  readonly topLeast: number;
}

export const MEASURES: readonly Measure[] = [
  {
    title: "IDs per second",
    of: ({ issued, ...sample }) => perSecond(issued, sample),
    units: [{ size: 1, suffix: "/s" }],
    topLeast: 10,
  },
  {
    title: "Largest lead",
    of: ({ leadMs }) => leadMs,
    units: [
      { size: 1, suffix: " ms" },
      { size: 1000, suffix: " s" },
      { size: 60_000, suffix: " min" },
      { size: 3_600_000, suffix: " h" },
    ],
    topLeast: 10,
  },
  {
    title: "Writes per million IDs",
    of: ({ issued, writes }) => (issued > 0 ? (writes * 1e6) / issued : undefined),
    units: [{ size: 1, suffix: "/M" }],
    topLeast: 10,
  },
  {
    title: "Rejections per second",
    of: ({ refused, ...sample }) => perSecond(refused, sample),
    units: [{ size: 1, suffix: "/s" }],
    topLeast: 1,
  },
];

function perSecond(count: number, { fromMs, untilMs }: Pick<Sample, "fromMs" | "untilMs">): number {
  return (count * 1000) / (untilMs - fromMs);
}

/** The largest unit in which a value is at least 1. */
export function unitOf({ units }: Measure, value: number): Unit {
  return units.findLast(({ size }) => value >= size) ?? units[0];
}

/** Numbers from here on are shortened, as 120K: longer ones do not fit beside an axis. */
const COMPACT_LEAST = 100_000;

/** A value with its unit. */
export function amount(value: number, { size, suffix }: Unit): string {
  const inUnit = value / size;
  const format: Intl.NumberFormatOptions =
    inUnit < COMPACT_LEAST
      ? { maximumFractionDigits: inUnit < 10 ? 2 : 0 }
      : { notation: "compact", maximumSignificantDigits: 3 };
  return `${inUnit.toLocaleString("en-US", format)}${suffix}`;
}

/** The value of a sample in words. */
export function amountAt(measure: Measure, sample: Sample | undefined): string {
  const value = sample && measure.of(sample);
  return value === undefined ? "–" : amount(value, unitOf(measure, value));
}

/** A chart in words, for screen readers. */
export function wordsOf(measure: Measure, samples: readonly Sample[], span: string): string {
  const values = samples.map(measure.of).filter((value) => value !== undefined);
  if (values.length === 0) return `${measure.title}: no values yet`;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const [lowest, highest] = [least, most].map((value) => amount(value, unitOf(measure, value)));
  const now = amountAt(measure, samples.at(-1));
  return `${measure.title} in the last ${span}: now ${now === "–" ? "none" : now}, lowest ${lowest}, highest ${highest}`;
}
