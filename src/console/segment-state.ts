/** How a segment is, in words and figures, and what to do. */
import { isNumber, type Json, numberOf, objectIn, objectsOf, textOf } from "./api.ts";
import { figure } from "./figure.ts";
import { faultIn, refusalsIn, type ShardState } from "./shard-state.ts";

/** One stretch of numbers that was fetched. */
export interface Fetched {
  readonly time: string;
  readonly from: string;
  readonly until: string;
  /** Numbers in it: the step as it was then. */
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
  /** The latest first. */
  readonly last: readonly Fetched[];
  /** Why the object could not be asked; empty where it was. */
  readonly fault: string;
}

/** What a segment's status says. */
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

/** Empty where its numbers are there: what is missing must not pass for nothing. */
function unreadIn({ max_id, start, max, step }: Json): string {
  const isSound = [max_id, start, max].every(isWhole) && isNumber(step);
  return isSound ? "" : "What it says of itself cannot be read.";
}

/** How much of its numbers are given out, from 0 to 1. */
export function usedOf({ nextNumber, start, max }: SegmentFacts): number {
  const all = max - start + 1n;
  if (all <= 0n) return 1;
  const used = nextNumber - start;
  // Parts per million: exact enough for people, and numbers of 63 bits are not exact.
  return Math.min(1, Math.max(0, Number((used * 1_000_000n) / all) / 1_000_000));
}

/** From here on a larger max is due. */
const NEARLY_USED = 0.9;

export function segmentState(facts: SegmentFacts): ShardState {
  const { fault, nextNumber, max } = facts;
  if (fault !== "") {
    return { level: "bad", words: "does not answer", advice: `${fault} It is asked again.` };
  }
  if (nextNumber > max) {
    return { level: "bad", words: "used up", advice: RAISE };
  }
  if (usedOf(facts) >= NEARLY_USED) {
    return { level: "warning", words: "nearly used up", advice: RAISE };
  }
  return { level: "good", words: "in use", advice: "" };
}

const RAISE = "Give it a larger max: PATCH the namespace.";

/** Pairs of what and how much. */
export function segmentRows(facts: SegmentFacts): [string, string][] {
  const { nextNumber, start, max, step, issued, fetches, updated, refusals, last } = facts;
  const refused = Object.entries(refusals).map(([code, times]) => `${code} ${figure(times)}`);
  const [latest] = last;
  return [
    ["next number", `${nextNumber}`],
    ["numbers", `${start} to ${max}`],
    ["used", percent(usedOf(facts))],
    ["step", `${figure(step)}${latest ? `; the last fetch took ${figure(latest.width)}` : ""}`],
    ["given out", figure(issued)],
    ["segments fetched", figure(fetches)],
    ["last change", updated],
    ["refused", refused.join(", ") || "–"],
  ];
}

function percent(part: number): string {
  return `${(part * 100).toFixed(part > 0 && part < 0.01 ? 4 : 1)} %`;
}

function wholeIn(value: unknown): bigint {
  return isWhole(value) ? BigInt(value) : 0n;
}

/** Of no more digits than a number of 63 bits and the one after it: the longer, the slower to read. */
function isWhole(value: unknown): value is string {
  return typeof value === "string" && /^\d{1,19}$/.test(value);
}
