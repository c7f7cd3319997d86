/** The health of a namespace, and what needs attention, for the Overview. */
import { type Json, numberOf, objectIn, objectsOf, textOf } from "../api.ts";
import { relativeTime } from "../relative-time.ts";
import { addressOf } from "../route.ts";
import { segmentFacts, segmentState } from "../shards/segment-state.ts";
import { recentOf } from "../shards/shard-history.ts";
import {
  type Bounds,
  boundsIn,
  duration,
  type ShardState,
  shardFacts,
  shardState,
} from "../shards/shard-state.ts";

/** Something that a person should look at. */
export interface Attention {
  readonly level: "bad" | "warning";
  /** For example `orders, shard 3`. */
  readonly subject: string;
  readonly problem: string;
  readonly advice: string;
  /** Where to look, as an address of the console. */
  readonly address: string;
}

export interface Health {
  /** IDs issued by its objects since they started. */
  readonly issued: number;
  /** The largest lead of a shard, in ms; undefined for segments. */
  readonly leadMs: number | undefined;
  readonly level: ShardState["level"];
  readonly summary: string;
  readonly attention: readonly Attention[];
}

const YEAR_MS = 365.25 * 86_400_000;
/** How far beyond its bounds a mark may be before it needs attention, in ms: clocks differ by up to this. */
const MARK_SLACK_MS = 60_000;

/**
 * The health of a namespace, by its definition and a page of its shards. `before`: the page of an earlier look, which
 * tells the refusals since then.
 */
export function healthOf(definition: Json, page: Json, before?: Json): Health {
  const statuses = objectsOf(page.shards);
  const issued = statuses.reduce(
    (sum, { counters }) => sum + numberOf(objectIn(counters).issued),
    0,
  );
  const isSegment = definition.kind === "segment";
  const earlier = new Map(objectsOf(before?.shards).map((status) => [status.shard, status]));
  const attention = isSegment
    ? statuses.flatMap((status) => ofSegment(definition, status))
    : statuses.flatMap((status) => ofShard(definition, status, earlier.get(status.shard)));
  const [worst] = attention.toSorted(byLevel);
  const leads = statuses.map((status) => shardFacts(status).leadMs);
  return {
    issued,
    leadMs: isSegment ? undefined : Math.max(0, ...leads),
    level: worst?.level ?? (issued === 0 ? "idle" : "good"),
    summary: worst?.problem ?? (issued === 0 ? "idle" : "healthy"),
    attention,
  };
}

/** The worst first. */
export function byLevel(one: Attention, other: Attention): number {
  return Number(one.level === "warning") - Number(other.level === "warning");
}

function ofSegment(definition: Json, status: Json): Attention[] {
  const name = textOf(definition.name);
  return attentionOf(name, segmentState(segmentFacts(status)), addressOf("namespaces", [name]));
}

function ofShard(definition: Json, status: Json, before: Json | undefined): Attention[] {
  const name = textOf(definition.name);
  const bounds = boundsIn(definition);
  const facts = shardFacts(status);
  const recent = before ? recentOf(shardFacts(before).refusals, facts.refusals) : {};
  const subject = `${name}, shard ${facts.shard}`;
  const address = addressOf("shards", [name]);
  const found = attentionOf(subject, shardState(facts, recent, bounds), address);
  return found.length > 0 ? found : ofMark(subject, status, definition, bounds, address);
}

function attentionOf(subject: string, state: ShardState, address: string): Attention[] {
  const { level, words, advice } = state;
  return level === "good" || level === "idle"
    ? []
    : [{ level, subject, problem: words, advice, address }];
}

/** A mark far ahead of the clock: a restart would begin there. */
function ofMark(
  subject: string,
  { clock, lanes }: Json,
  definition: Json,
  { epochMs, tickMs, maxBorrowMs, maxStepBackMs, reserveMs }: Bounds,
  address: string,
): Attention[] {
  const { sequenceBits } = objectIn(definition.layout);
  const ticks = objectsOf(lanes).map(({ mark }) => numberOf(mark) / 2 ** numberOf(sequenceBits));
  const aheadMs = epochMs + Math.max(0, ...ticks) * tickMs - numberOf(clock);
  const usualMs = maxBorrowMs + maxStepBackMs + 2 * reserveMs + tickMs + MARK_SLACK_MS;
  if (typeof clock !== "number" || aheadMs <= usualMs) return [];
  const problem = `mark ahead by ${duration(aheadMs)}`;
  return [{ level: "warning", subject, problem, advice: MARK_ADVICE, address }];
}

const MARK_ADVICE =
  "If the shard restarts, it continues at its mark and rejects requests until the clock is near it. Check the clock of the machine.";

/** The end of a snowflake namespace's time, if it is within a year. */
export function endOf(definition: Json, nowMs: number): Attention[] {
  if (definition.kind === "segment") return [];
  const { endMs } = boundsIn(definition);
  if (endMs - nowMs > YEAR_MS) return [];
  const name = textOf(definition.name);
  return [
    {
      level: endMs <= nowMs ? "bad" : "warning",
      subject: name,
      problem: endMs <= nowMs ? "timestamps exhausted" : `ends ${relativeTime(endMs, nowMs)}`,
      advice:
        "Then every request is rejected. Move to a namespace with more timestamp bits or a later epoch.",
      address: addressOf("namespaces", [name]),
    },
  ];
}
