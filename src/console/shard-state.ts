/** How a shard is, in words, and what to do. */
import { POLICY_FIELDS } from "../core/layout/fields.ts";
import { isListOf, isNumber, type Json, numberOf, objectIn, objectsOf, textOf } from "./api.ts";

export interface ShardFacts {
  readonly shard: number;
  readonly region: string;
  /** Its clock, unix ms; absent where it does not say. */
  readonly clockMs?: number;
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
  /** Unix ms at which the layout's time begins, */
  readonly epochMs: number;
  /** … and at which it has run out. */
  readonly endMs: number;
  /** Built in: then no policy can be changed. */
  readonly isBuiltIn: boolean;
}

/** What a namespace's definition says of that. */
export function boundsIn(definition: Json): Bounds {
  const policy = objectIn(definition.policy);
  const layout = objectIn(definition.layout);
  const tickMs = numberOf(layout.tickMs, 1);
  const epochMs = numberOf(layout.epochMs);
  return {
    maxBorrowMs: numberOf(policy.maxBorrowMs),
    maxStepBackMs: numberOf(policy.maxStepBackMs),
    maxWaitMs: numberOf(policy.maxWaitMs),
    reserveMs: numberOf(policy.reserveMs),
    tickMs,
    epochMs,
    endMs: epochMs + 2 ** numberOf(layout.timestampBits, Number.POSITIVE_INFINITY) * tickMs,
    isBuiltIn: definition.builtIn === true,
  };
}

/** Whether it is a page of shards, each of them once. */
export function isShardPage({ shards }: Json): boolean {
  if (!isListOf(shards, ({ shard }) => isNumber(shard) && shard >= 0)) return false;
  const numbers = objectsOf(shards).map(({ shard }) => shard);
  return new Set(numbers).size === numbers.length;
}

/** Whether it is a namespace of a kind that is known here. */
export function isDefinition({ kind, layout }: Json): boolean {
  return kind === "segment" || (kind === "snowflake" && isNumber(objectIn(layout).tickMs));
}

/** What a shard's status says. */
export function shardFacts(status: Json): ShardFacts {
  const counters = objectIn(status.counters);
  const leads = objectsOf(status.lanes).map(({ leadMs }) => numberOf(leadMs));
  return {
    shard: numberOf(status.shard),
    region: textOf(status.region),
    ...(typeof status.clock === "number" && { clockMs: status.clock }),
    leadMs: Math.max(0, leads.at(-1) ?? 0),
    issued: numberOf(counters.issued),
    writes: numberOf(counters.writes),
    refusals: refusalsIn(counters.refusals),
    fault: faultIn(status, unreadIn(status)),
  };
}

/** Why an object could not be asked; if it could, `unread`: why its status can't be read. */
export function faultIn(status: Json, unread: string): string {
  if (status.fault === undefined) return unread;
  return textOf(objectIn(status.fault).detail) || "It does not answer.";
}

const UNREAD = "What it says of itself is none of what this console knows.";

/** Empty where all that is shown of a shard is there: what is missing must not pass for nothing. */
function unreadIn({ lanes, counters }: Json): string {
  const { issued, writes } = objectIn(counters);
  const isLane = ({ leadMs }: Json): boolean => isNumber(leadMs);
  const isSound = isListOf(lanes, isLane) && [issued, writes].every(isCount);
  return isSound ? "" : UNREAD;
}

function isCount(value: unknown): boolean {
  return isNumber(value) && value >= 0;
}

/** Refusals by code. */
export function refusalsIn(value: unknown): Record<string, number> {
  const pairs = Object.entries(objectIn(value)).map(([code, times]) => [code, numberOf(times)]);
  return Object.fromEntries(pairs);
}

/** `recent`: refusals since it was looked at before. */
export function shardState(
  facts: ShardFacts,
  recent: Readonly<Record<string, number>>,
  bounds: Bounds,
): ShardState {
  const { maxBorrowMs, maxStepBackMs, maxWaitMs, reserveMs, tickMs, epochMs, endMs } = bounds;
  const { leadMs, clockMs = epochMs, fault } = facts;
  if (fault !== "") {
    const words = fault === UNREAD ? "cannot be read" : "does not answer";
    return { level: "bad", words, advice: `${fault} ${AWAY}` };
  }
  // By demand a line leads by what it may borrow and the tick it is in; after a start, by what was reserved.
  const usualMs = Math.max(maxBorrowMs, reserveMs) + tickMs;
  if (clockMs < epochMs) return BEFORE_EPOCH;
  if (clockMs >= endMs) return RUN_OUT;
  const grantingMs = maxBorrowMs + maxStepBackMs + tickMs;
  if (leadMs > Math.max(grantingMs + maxWaitMs, usualMs)) {
    const words = `behind by ${duration(leadMs - maxBorrowMs)}`;
    return { level: "bad", words, advice: adviceBehind(leadMs, bounds) };
  }
  if ((recent.timestamp_exhausted ?? 0) > 0) return RUN_OUT;
  if ((recent.clock_disagreement ?? 0) > 0) return DISAGREES;
  if ((recent.shard_saturated ?? 0) > 0) {
    const advice = bounds.isBuiltIn ? `${SATURATED} ${BUILT_IN}` : SATURATED;
    return { level: "warning", words: "saturated", advice };
  }
  if (leadMs > Math.max(grantingMs, usualMs)) {
    const words = `waiting out a step back of ${duration(leadMs - maxBorrowMs)}`;
    return { level: "warning", words, advice: WAITING };
  }
  if (leadMs > usualMs) {
    const words = `riding out a step back of ${duration(leadMs)}`;
    return { level: "warning", words, advice: RIDING };
  }
  return { level: "good", words: "in step", advice: "" };
}

/** As docs/OPERATIONS.md has it: which of its ways is open. */
function adviceBehind(leadMs: number, { maxBorrowMs, isBuiltIn }: Bounds): string {
  if (leadMs > POLICY_FIELDS.maxStepBackMs.most + maxBorrowMs) return `${BEHIND} ${POISONED}`;
  return `${BEHIND} ${ITSELF} ${isBuiltIn ? BUILT_IN : LARGER}`;
}

const AWAY = "It is asked again; other shards serve meanwhile, only requests for its keys fail.";
const BEHIND =
  "The clock is further behind the IDs that it gave than is forgiven: IDs are refused. Mend the clock, if it is wrong.";
const ITSELF = "It goes on by itself once the clock has caught up.";
const LARGER =
  "With a larger maxStepBackMs (PATCH the namespace, up to a day) it continues at once.";
const POISONED =
  "It is more than the day that can be forgiven: go on in a successor, a namespace of an earlier epoch (docs/OPERATIONS.md).";
const BUILT_IN = "A built-in namespace never changes: one of your own can.";
const SATURATED =
  "More is asked than one worker ID can give; callers come back later. For good: more shards (PATCH the namespace; they only grow, and keys keep theirs). A longer maxBorrowMs takes in bursts only.";
const WAITING = "Nothing to do: requests wait until the clock has caught up.";
const RIDING = "Nothing to do: it goes on from where it was until the clock has caught up.";

const RUN_OUT: ShardState = {
  level: "bad",
  words: "its time has run out",
  advice:
    "Is the clock right? Then the layout has no time left: go on in a namespace with more timestamp bits or a later epoch.",
};
const BEFORE_EPOCH: ShardState = {
  level: "bad",
  words: "before its epoch",
  advice:
    "The clock is wrong, or the epoch of the layout is still ahead: until then IDs are refused.",
};
const DISAGREES: ShardState = {
  level: "warning",
  words: "its clock disagrees",
  advice:
    "It is over 60 s ahead of its callers. Compare its clock (in /v1/shards) with one you trust. After a step back of the clock of a machine of your own it needs nothing; on Cloudflare other shards serve meanwhile, and a deployment starts all anew.",
};

/** A length of time in words, of one unit. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 5_400_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} days`;
}
