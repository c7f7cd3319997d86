/** The state of a shard in words, with advice. */
import { POLICY_FIELDS } from "../../core/layout/fields.ts";
import { isListOf, isNumber, type Json, numberOf, objectIn, objectsOf, textOf } from "../api.ts";

export interface ShardFacts {
  readonly shard: number;
  readonly region: string;
  /** Its clock, unix ms, if known. */
  readonly clockMs?: number;
  readonly leadMs: number;
  readonly issued: number;
  readonly writes: number;
  readonly refusals: Readonly<Record<string, number>>;
  /** Whether it never issued an ID: it has no mark. */
  readonly isUnused: boolean;
  /** Why the shard did not respond; empty if it did. */
  readonly fault: string;
  /** The error code of the fault; empty if it has none. */
  readonly faultCode: string;
}

export interface ShardState {
  readonly level: "good" | "idle" | "warning" | "bad";
  readonly words: string;
  readonly advice: string;
  /** The error that callers get; the reference says more about it. */
  readonly code?: string;
}

/** The limits of a shard, in ms. */
export interface Bounds {
  readonly maxBorrowMs: number;
  readonly maxStepBackMs: number;
  readonly maxWaitMs: number;
  readonly reserveMs: number;
  readonly tickMs: number;
  /** The begin of the layout's time, unix ms. */
  readonly epochMs: number;
  /** The end of the layout's time, unix ms. */
  readonly endMs: number;
  /** Whether the namespace is built in: its policy can't be changed. */
  readonly isBuiltIn: boolean;
}

/** Reads the limits in a namespace's definition. */
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

/** Whether it is a page of distinct shards. */
export function isShardPage({ shards }: Json): boolean {
  if (!isListOf(shards, ({ shard }) => isNumber(shard) && shard >= 0)) return false;
  const numbers = objectsOf(shards).map(({ shard }) => shard);
  return new Set(numbers).size === numbers.length;
}

/** Whether it is the definition of a namespace of a known kind. */
export function isDefinition({ kind, layout }: Json): boolean {
  return kind === "segment" || (kind === "snowflake" && isNumber(objectIn(layout).tickMs));
}

/** Reads the status of a shard. */
export function shardFacts(status: Json): ShardFacts {
  const counters = objectIn(status.counters);
  const lanes = objectsOf(status.lanes);
  const leads = lanes.map(({ leadMs }) => numberOf(leadMs));
  const issued = numberOf(counters.issued);
  return {
    shard: numberOf(status.shard),
    region: textOf(status.region),
    ...(typeof status.clock === "number" && { clockMs: status.clock }),
    leadMs: Math.max(0, leads.at(-1) ?? 0),
    issued,
    writes: numberOf(counters.writes),
    refusals: refusalsIn(counters.refusals),
    isUnused: issued === 0 && lanes.length > 0 && lanes.every(({ mark }) => mark === 0),
    fault: faultIn(status, unreadIn(status)),
    faultCode: codeIn(objectIn(status.fault)),
  };
}

/** The error code; empty if it has none that a link can name. */
function codeIn({ code }: Json): string {
  return /^[a-z_]+$/.test(textOf(code)) ? textOf(code) : "";
}

/** Why an object did not respond; if it did, `unread`. */
export function faultIn(status: Json, unread: string): string {
  if (status.fault === undefined) return unread;
  return textOf(objectIn(status.fault).detail) || "It does not answer.";
}

const UNREAD = "This console can’t read its status.";

/** Empty if all shown values are present: a missing one must not show as 0. */
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

/** The state of a shard. `recent`: refusals since the previous look. */
export function shardState(
  facts: ShardFacts,
  recent: Readonly<Record<string, number>>,
  bounds: Bounds,
): ShardState {
  const { maxBorrowMs, maxStepBackMs, maxWaitMs, reserveMs, tickMs, epochMs, endMs } = bounds;
  const { leadMs, clockMs = epochMs, fault } = facts;
  if (fault !== "") {
    const words = fault === UNREAD ? "can’t be read" : "does not answer";
    const code = facts.faultCode === "" ? {} : { code: facts.faultCode };
    return { level: "bad", words, advice: `${fault} ${AWAY}`, ...code };
  }
  // Demand makes a line lead by maxBorrowMs and the current tick; a restart, by reserveMs.
  const usualMs = Math.max(maxBorrowMs, reserveMs) + tickMs;
  if (clockMs < epochMs) return BEFORE_EPOCH;
  if (clockMs >= endMs) return RUN_OUT;
  const grantingMs = maxBorrowMs + maxStepBackMs + tickMs;
  if (leadMs > Math.max(grantingMs + maxWaitMs, usualMs)) {
    const words = `behind by ${duration(leadMs - maxBorrowMs)}`;
    return { level: "bad", words, advice: adviceBehind(leadMs, bounds), code: "clock_behind" };
  }
  if ((recent.timestamp_exhausted ?? 0) > 0) return RUN_OUT;
  if ((recent.clock_disagreement ?? 0) > 0) return DISAGREES;
  if ((recent.shard_saturated ?? 0) > 0) {
    const advice = bounds.isBuiltIn ? `${SATURATED} ${BUILT_IN}` : SATURATED;
    return { level: "warning", words: "saturated", advice, code: "shard_saturated" };
  }
  if (leadMs > Math.max(grantingMs, usualMs)) {
    const words = `waiting out a step back of ${duration(leadMs - maxBorrowMs)}`;
    return { level: "warning", words, advice: WAITING };
  }
  if (leadMs > usualMs) {
    const words = `riding out a step back of ${duration(leadMs)}`;
    return { level: "warning", words, advice: RIDING };
  }
  if (facts.isUnused) return IDLE;
  return { level: "good", words: "in step", advice: "" };
}

/** The way out that is open, of those in docs/OPERATIONS.md. */
function adviceBehind(leadMs: number, { maxBorrowMs, isBuiltIn }: Bounds): string {
  if (leadMs > POLICY_FIELDS.maxStepBackMs.most + maxBorrowMs) return `${BEHIND} ${POISONED}`;
  return `${BEHIND} ${ITSELF} ${isBuiltIn ? BUILT_IN : LARGER}`;
}

const AWAY =
  "The console retries. Meanwhile other shards serve, and only requests for its keys fail.";
const BEHIND =
  "The clock is further behind the issued IDs than the policy allows, so requests are rejected. If the clock is wrong, correct it.";
const ITSELF = "The shard continues by itself once the clock has caught up.";
const LARGER = "To continue at once, PATCH a larger maxStepBackMs, up to a day.";
const POISONED =
  "It is behind by more than a day, the most that a policy can allow: continue in a successor namespace with an earlier epoch.";
const BUILT_IN = "The policy of a built-in namespace never changes: use a namespace of your own.";
const SATURATED =
  "Demand exceeds the rate of one worker ID, so callers must retry. Add more shards: their number can only grow, and keys keep their shards. A larger maxBorrowMs helps with bursts only.";
const WAITING = "Nothing to do: requests wait until the clock has caught up.";
const RIDING = "Nothing to do: IDs continue ahead of the clock until it has caught up.";

const IDLE: ShardState = {
  level: "idle",
  words: "idle",
  advice: "Nothing to do: no request has used it yet.",
};
const RUN_OUT: ShardState = {
  level: "bad",
  words: "timestamps exhausted",
  advice:
    "Check the clock. If it is right, the layout has no timestamps left: continue in a namespace with more timestamp bits or a later epoch.",
  code: "timestamp_exhausted",
};
const BEFORE_EPOCH: ShardState = {
  level: "bad",
  words: "clock before the epoch",
  advice:
    "The clock is wrong, or the layout’s epoch is in the future. Until then, requests are rejected.",
  code: "clock_before_epoch",
};
const DISAGREES: ShardState = {
  level: "warning",
  words: "clock disagreement",
  advice:
    "The shard’s clock is over 60 s ahead of its callers’. Compare it (in /v1/shards) with a clock you trust. If the clock of your own machine stepped back, there is nothing to do. On Cloudflare, other shards serve meanwhile, and a deployment restarts all shards.",
  code: "clock_disagreement",
};

/** A duration in words, in one unit. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 5_400_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} days`;
}
