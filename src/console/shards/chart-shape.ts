/** The shape of a chart: its axes and its line, in px. */
import { nice, ticks } from "d3-array";
import { amount, type Measure, unitOf } from "./measures.ts";
import type { Sample } from "./shard-history.ts";

/** The time that a chart shows, in ms by performance.now(). */
export interface Period {
  readonly untilMs: number;
  readonly spanMs: number;
  /** Added to a time, it gives unix ms. */
  readonly unixMs: number;
}

export interface Size {
  readonly widthPx: number;
  /** The size of the axes' text. */
  readonly fontPx: number;
}

interface Label {
  readonly px: number;
  readonly text: string;
}

export interface Shape extends Size {
  readonly heightPx: number;
  /** The left end of the line's area. */
  readonly leftPx: number;
  readonly rightPx: number;
  /** The place of the value 0. */
  readonly basePx: number;
  readonly topPx: number;
  /** Lines of the value axis. */
  readonly values: readonly Label[];
  readonly times: readonly Label[];
  /** SVG paths; a gap in the samples is one in the line. */
  readonly line: string;
  readonly area: string;
  readonly placeOf: (sample: Sample) => { readonly x: number; readonly y: number | undefined };
  /** The time at a place. */
  readonly timeAt: (x: number) => number;
}

/** Values beside the axis, about. */
const VALUE_TICKS = 3;
/** Characters of the longest of them, as 30,000/s: the same for all charts, so that their times are in line. */
const VALUE_CHARS = 8;
/** The height of a chart, in lines of its text. */
const LINES = 11;
/** The width of a digit, in parts of the font's size; most fonts have narrower ones. */
const DIGIT = 0.62;

export function shapeOf(
  measure: Measure,
  samples: readonly Sample[],
  period: Period,
  { widthPx, fontPx }: Size,
): Shape {
  const { untilMs, spanMs, unixMs } = period;
  const most = Math.max(measure.topLeast, ...samples.map((one) => measure.of(one) ?? 0));
  const unit = unitOf(measure, most);
  const [, topValue] = nice(0, most / unit.size, VALUE_TICKS);
  const values = ticks(0, topValue, VALUE_TICKS).map((value) => ({
    value: value * unit.size,
    text: amount(value * unit.size, unit),
  }));
  const [leftPx, rightPx] = [(VALUE_CHARS * DIGIT + 0.7) * fontPx, widthPx - fontPx / 2];
  const heightPx = LINES * fontPx;
  const [topPx, basePx] = [0.8 * fontPx, heightPx - 2 * fontPx];
  const xOf = (ms: number): number =>
    leftPx + ((ms - untilMs + spanMs) / spanMs) * (rightPx - leftPx);
  const yOf = (value: number): number =>
    basePx - (value / (topValue * unit.size)) * (basePx - topPx);
  const placeOf = (sample: Sample) => {
    const value = measure.of(sample);
    return { x: xOf(sample.untilMs), y: value === undefined ? undefined : yOf(value) };
  };
  const runs = runsOf(samples, measure).map((run) =>
    run.map((one) => `${rounded(xOf(one.untilMs))},${rounded(yOf(measure.of(one) ?? 0))}`),
  );
  const text = timeText(spanMs);
  const labelPx = text(0).length * DIGIT * fontPx;
  return {
    widthPx,
    fontPx,
    heightPx,
    leftPx,
    rightPx,
    basePx,
    topPx,
    values: values.map((one) => ({ px: yOf(one.value), text: one.text })),
    times: timesIn(period, (rightPx - leftPx) / (labelPx + 1.5 * fontPx))
      .map((ms) => ({ px: xOf(ms), text: text(ms + unixMs) }))
      // None is cut off at the right.
      .filter(({ px }) => px + labelPx / 2 <= widthPx),
    // A lone point is a line without a length, which has round ends.
    line: runs.map((run) => `M${run.join("L")}${run.length === 1 ? "h0" : ""}`).join(""),
    area: runs.map((run) => areaOf(run, basePx)).join(""),
    placeOf,
    timeAt: (x) => untilMs - spanMs + ((x - leftPx) / (rightPx - leftPx)) * spanMs,
  };
}

/** The area between a run of points and the axis. */
function areaOf(run: readonly string[], basePx: number): string {
  const [first, last] = [run[0], run.at(-1)].map((point) => point?.split(",")[0]);
  return `M${first},${rounded(basePx)}L${run.join("L")}L${last},${rounded(basePx)}Z`;
}

function rounded(px: number): string {
  return px.toFixed(1);
}

/** The samples with a value, without a gap within a run. */
function runsOf(samples: readonly Sample[], measure: Measure): Sample[][] {
  const runs: Sample[][] = [];
  let last: Sample | undefined;
  for (const one of samples) {
    if (measure.of(one) === undefined) {
      last = undefined;
      continue;
    }
    if (last?.untilMs === one.fromMs) runs.at(-1)?.push(one);
    else runs.push([one]);
    last = one;
  }
  return runs;
}

/** Distances of times on the axis, in ms. All time zones are multiples of 15 minutes from UTC. */
const STEPS_MS = [15_000, 60_000, 300_000, 900_000];

/** Times on the axis, at most `most`, in ms by performance.now(). */
function timesIn({ untilMs, spanMs, unixMs }: Period, most: number): number[] {
  let stepMs = STEPS_MS.findLast((ms) => ms <= spanMs / 3) ?? spanMs;
  while (spanMs / stepMs > Math.max(1, most)) stepMs *= 2;
  const lastMs = Math.floor((untilMs + unixMs) / stepMs) * stepMs - unixMs;
  const count = Math.floor((lastMs - untilMs + spanMs) / stepMs) + 1;
  return Array.from({ length: count }, (_, back) => lastMs - back * stepMs).reverse();
}

/** Times of a span in the browser's time zone: with seconds if it is short. */
export function timeText(spanMs: number): (unixMs: number) => string {
  const { format } = new Intl.DateTimeFormat("en-GB", {
    timeStyle: spanMs <= 60_000 ? "medium" : "short",
  });
  return (unixMs) => format(unixMs);
}
