/** How a shard is, in words, and what to do. */
import { type Json, numberOf, objectIn, objectsOf, textOf } from "./api.ts";

export interface ShardFacts {
  readonly shard: number;
  readonly region: string;
  readonly leadMs: number;
  readonly issued: number;
  readonly writes: number;
  readonly refusals: Readonly<Record<string, number>>;
  /** Why the shard could not be asked; empty where it was. */
  readonly fault: string;
}

export interface ShardState {
  readonly level: "good" | "warning" | "bad";
  readonly words: string;
  readonly advice: string;
}

/** What a shard may do, in ms. */
export interface Bounds {
  readonly maxBorrowMs: number;
  readonly maxStepBackMs: number;
  readonly maxWaitMs: number;
  readonly reserveMs: number;
  readonly tickMs: number;
}

/** What a namespace's definition says of that. */
export function boundsIn(definition: Json): Bounds {
  const policy = objectIn(definition.policy);
  return {
    maxBorrowMs: numberOf(policy.maxBorrowMs),
    maxStepBackMs: numberOf(policy.maxStepBackMs),
    maxWaitMs: numberOf(policy.maxWaitMs),
    reserveMs: numberOf(policy.reserveMs),
    tickMs: numberOf(objectIn(definition.layout).tickMs, 1),
  };
}

/** What a shard's status says. */
export function shardFacts(status: Json): ShardFacts {
  const counters = objectIn(status.counters);
  const leads = objectsOf(status.lanes).map(({ leadMs }) => numberOf(leadMs));
  const fault = objectIn(status.fault);
  return {
    shard: numberOf(status.shard),
    region: textOf(status.region),
    leadMs: Math.max(0, leads.at(-1) ?? 0),
    issued: numberOf(counters.issued),
    writes: numberOf(counters.writes),
    refusals: refusalsIn(counters.refusals),
    fault: status.fault === undefined ? "" : textOf(fault.detail, "It does not answer."),
  };
}

/** Refusals by code. */
export function refusalsIn(value: unknown): Record<string, number> {
  const pairs = Object.entries(objectIn(value)).map(([code, times]) => [code, numberOf(times)]);
  return Object.fromEntries(pairs);
}

/** `recent`: refusals since it was looked at before. */
export function shardState(
  { leadMs, fault }: ShardFacts,
  recent: Readonly<Record<string, number>>,
  { maxBorrowMs, maxStepBackMs, maxWaitMs, reserveMs, tickMs }: Bounds,
): ShardState {
  if (fault !== "") return { level: "bad", words: "does not answer", advice: `${fault} ${AWAY}` };
  // By demand a line leads by what it may borrow and the tick it is in; after a start, by what was reserved.
  const usualMs = Math.max(maxBorrowMs, reserveMs) + tickMs;
  if (leadMs > Math.max(maxBorrowMs + maxStepBackMs + maxWaitMs + tickMs, usualMs)) {
    return { level: "bad", words: `behind by ${duration(leadMs - maxBorrowMs)}`, advice: BEHIND };
  }
  if ((recent.shard_saturated ?? 0) > 0) {
    return { level: "warning", words: "saturated", advice: SATURATED };
  }
  if (leadMs > usualMs) {
    const words = `riding out a step back of ${duration(leadMs)}`;
    return { level: "warning", words, advice: RIDING };
  }
  return { level: "good", words: "in step", advice: "" };
}

const AWAY = "It is asked again; other shards serve meanwhile.";
const BEHIND =
  "The clock is further back than is forgiven: IDs are refused. Look after the clock; it goes on by itself once that has caught up. A larger maxStepBackMs goes on at once.";
const SATURATED =
  "More is asked than one worker ID can give. More shards, a longer maxBorrowMs, or blocks ahead.";
const RIDING = "Nothing to do: it goes on from where it was until the clock has caught up.";

/** A length of time in words, of one unit. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 5_400_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} days`;
}
