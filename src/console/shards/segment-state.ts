/** The state of a segment in words and figures, with advice. */
import { isNumber, type Json, numberOf, objectIn, objectsOf, textOf } from "../api.ts";
import { figure } from "../figure.ts";
import { UNITS_MS } from "../relative-time.ts";
import { faultIn, refusalsIn, type ShardState } from "./shard-state.ts";

/** A fetched range of numbers. */
export interface Fetched {
  readonly time: string;
  readonly from: string;
  readonly until: string;
  /** Its size: the step at that time. */
  readonly width: number;
}

export interface SegmentFacts {
  readonly nextNumber: bigint;
  readonly start: bigint;
  readonly max: bigint;
  readonly step: number;
  readonly issued: number;
  readonly fetches: number;
  readonly updated: string;
  readonly refusals: Readonly<Record<string, number>>;
  /** Newest first. */
  readonly last: readonly Fetched[];
  /** Why the object did not respond; empty if it did. */
  readonly fault: string;
}

/** Reads the status of a segment. */
export function segmentFacts(status: Json): SegmentFacts {
  const counters = objectIn(status.counters);
  const last = objectsOf(status.fetches).map(({ time, from, until }) => {
    const width = Number(wholeIn(until) - wholeIn(from));
    return { time: textOf(time), from: textOf(from), until: textOf(until), width };
  });
  return {
    nextNumber: wholeIn(status.max_id),
    start: wholeIn(status.start),
    max: wholeIn(status.max),
    step: numberOf(status.step),
    issued: numberOf(counters.issued),
    fetches: numberOf(counters.fetches),
    updated: textOf(status.update_time, "never"),
    refusals: refusalsIn(counters.refusals),
    last: last.toSorted((one, other) => (one.time < other.time ? 1 : -1)),
    fault: faultIn(status, unreadIn(status)),
  };
}

/** Empty if its numbers are present: a missing one must not show as 0. */
function unreadIn({ max_id, start, max, step }: Json): string {
  const isSound = [max_id, start, max].every(isWhole) && isNumber(step);
  return isSound ? "" : "Its status can’t be read.";
}

/** The issued part of its numbers, from 0 to 1. */
export function usedOf({ nextNumber, start, max }: SegmentFacts): number {
  const all = max - start + 1n;
  if (all <= 0n) return 1;
  const used = nextNumber - start;
  // In bigint, to a millionth: 63-bit values are not exact as numbers.
  return Math.min(1, Math.max(0, Number((used * 1_000_000n) / all) / 1_000_000));
}

/** From this part on, max should be raised. */
const NEARLY_USED = 0.9;

export function segmentState(facts: SegmentFacts): ShardState {
  const { fault, nextNumber, max } = facts;
  if (fault !== "") {
    return { level: "bad", words: "does not answer", advice: `${fault} The console retries.` };
  }
  if (nextNumber > max) {
    return { level: "bad", words: "used up", advice: RAISE };
  }
  if (usedOf(facts) >= NEARLY_USED) {
    return { level: "warning", words: "nearly used up", advice: RAISE };
  }
  return { level: "good", words: "in use", advice: "" };
}

const RAISE = "Raise the namespace’s max.";

/** The next number of a segment at a time in ms. */
export interface Sample {
  readonly atMs: number;
  readonly nextNumber: bigint;
}

/** Numbers per ms from the first sample to the last; undefined if there is only one. */
function rateOf(samples: readonly Sample[]): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.atMs <= first.atMs) return undefined;
  return Number(last.nextNumber - first.nextNumber) / (last.atMs - first.atMs);
}

/** Until the numbers are used up at a rate per ms, in words. */
export function timeLeft({ max, nextNumber }: SegmentFacts, rate: number | undefined): string {
  const left = max - nextNumber + 1n;
  if (left <= 0n) return "none";
  if (rate === undefined) return COUNTING;
  return rate > 0 ? about(Number(left) / rate) : "idle: no number is fetched";
}

const COUNTING = "counting …";

/** Longer times say nothing more. */
const YEARS_SHOWN_MAX = 1000;

/** A duration in words, in its largest unit. */
function about(ms: number): string {
  const [unit, unitMs] = UNITS_MS.find(([, one]) => ms >= one) ?? ["second", 1000];
  const count = Math.max(1, Math.floor(ms / unitMs));
  if (unit === "year" && count >= YEARS_SHOWN_MAX) return "more than 1,000 years";
  return `about ${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** Pairs of a property and its value. `samples`: the oldest first. */
export function segmentRows(
  facts: SegmentFacts,
  samples: readonly Sample[],
): (readonly [string, string])[] {
  const { nextNumber, start, max, step, issued, fetches, updated, refusals, last } = facts;
  const refused = Object.entries(refusals).map(([code, times]) => `${code} ${figure(times)}`);
  const rate = rateOf(samples);
  return [
    ["next number (max_id)", figure(nextNumber)],
    ["numbers", `${figure(start)} to ${figure(max)}`],
    ["used", percent(usedOf(facts))],
    ["numbers per second", rate === undefined ? COUNTING : figure(rate * 1000)],
    ["time left at this rate", timeLeft(facts, rate)],
    ["step", figure(step)],
    ["last fetches", last.map(({ width }) => figure(width)).join(", ") || "–"],
    ["issued", figure(issued)],
    ["segments fetched", figure(fetches)],
    ["last change", updated],
    ["rejected", refused.join(", ") || "–"],
  ];
}

function percent(part: number): string {
  const percents = part * 100;
  return `${percents > 0 && percents < 1 ? Number(percents.toFixed(4)) : percents.toFixed(1)} %`;
}

function wholeIn(value: unknown): bigint {
  return isWhole(value) ? BigInt(value) : 0n;
}

/** Whether it is a decimal of at most 19 digits, enough for 63 bits: longer ones are slow to read. */
function isWhole(value: unknown): value is string {
  return typeof value === "string" && /^\d{1,19}$/.test(value);
}
