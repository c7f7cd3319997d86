/** Rates of shards, from the counters of successive looks at their status. */
import { setBounded } from "../../core/bounded-map.ts";
import type { ShardFacts } from "./shard-state.ts";

/** The time that a history covers, in ms: the longest span of a chart. */
export const HISTORY_MS = 3_600_000;
/** Most samples of a history: HISTORY_MS at one every 2 s, about 150 kB. */
export const SAMPLES_MAX = 1800;
/** Most histories: enough to compare namespaces, and about 1 MB of a tab's memory. */
const HISTORIES_MAX = 8;
/** A longer pause between looks, in ms, leaves a gap in the history: its average would hide what happened. */
export const GAP_MS = 30_000;

/** A shard up to the last look. */
export interface Seen {
  readonly facts: ShardFacts;
  /** Whether it ever responded: before that, its counters are unknown. */
  readonly isKnown: boolean;
  /** IDs per second since the previous look; undefined at the first. */
  readonly rate: number | undefined;
  /** Refusals since the previous look, by code. */
  readonly recent: Readonly<Record<string, number>>;
}

/** All shards of a page together, between two looks. Times are in ms, by performance.now(). */
export interface Sample {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly issued: number;
  readonly writes: number;
  readonly refused: number;
  /** The largest lead of any shard, in ms. */
  readonly leadMs: number;
}

export interface History {
  /** The time of the last look, in ms; undefined before the first. */
  readonly atMs?: number;
  readonly shards: readonly Seen[];
  /** Oldest first; the first look adds none. */
  readonly samples: readonly Sample[];
}

export const NO_HISTORY: History = { shards: [], samples: [] };

/** Histories by name. They outlive their section, so that its charts do not begin anew. */
const histories = new Map<string, History>();

export function keptHistory(name: string): History {
  return histories.get(name) ?? NO_HISTORY;
}

/** Adds a look to a kept history. */
export function keepLook(name: string, facts: readonly ShardFacts[], atMs: number): History {
  const history = nextHistory(keptHistory(name), facts, atMs);
  setBounded(histories, name, history, HISTORIES_MAX);
  return history;
}

/** The history after a look at `atMs`. */
export function nextHistory(before: History, facts: readonly ShardFacts[], atMs: number): History {
  const lastMs = before.atMs ?? Number.NEGATIVE_INFINITY;
  const isGap = atMs - lastMs > GAP_MS;
  const fromMs = isGap ? atMs : lastMs;
  const sums = { issued: 0, writes: 0, refused: 0, leadMs: 0 };
  const shards: Seen[] = [];
  for (const one of facts) {
    const last = isGap
      ? undefined
      : before.shards.find(({ facts: { shard } }) => shard === one.shard);
    // Counting starts at a shard's first counters, however late they come.
    const known = last?.isKnown ? last.facts : one;
    // A shard that does not respond keeps its last counters.
    const now = one.fault === "" ? one : { ...known, fault: one.fault };
    const isKnown = one.fault === "" || (last?.isKnown ?? false);
    const issued = grown(known.issued, now.issued);
    const recent = recentOf(known.refusals, now.refusals);
    sums.issued += issued;
    sums.writes += grown(known.writes, now.writes);
    sums.refused += Object.values(recent).reduce((sum, times) => sum + times, 0);
    sums.leadMs = Math.max(sums.leadMs, one.leadMs);
    const rate = atMs > fromMs ? (issued * 1000) / (atMs - fromMs) : undefined;
    shards.push({ facts: now, isKnown, rate, recent });
  }
  const sample = atMs > fromMs ? [{ fromMs, untilMs: atMs, ...sums }] : [];
  const samples = [...before.samples, ...sample].slice(-SAMPLES_MAX);
  return { atMs, shards, samples: samples.filter((one) => one.untilMs > atMs - HISTORY_MS) };
}

/** The growth of a counter; 0 if it fell, as after a restart. */
function grown(before: number, now: number): number {
  return Math.max(0, now - before);
}

/** Refusals since an earlier look, by code. */
export function recentOf(
  before: Readonly<Record<string, number>>,
  now: Readonly<Record<string, number>>,
): Record<string, number> {
  const grownBy = Object.entries(now).map(([code, times]) => {
    // A new code began at 0.
    return [code, grown((Object.hasOwn(before, code) && before[code]) || 0, times)] as const;
  });
  return Object.fromEntries(grownBy);
}

/** Most points of a line: more are narrower than a pixel on a phone. */
export const POINTS_MAX = 180;

/** The samples of the last `spanMs`; those of a long span are merged to at most about POINTS_MAX. */
export function samplesOf({ samples, atMs = 0 }: History, spanMs: number): readonly Sample[] {
  const bucketMs = spanMs / POINTS_MAX;
  const merged: Sample[] = [];
  for (const one of samples) {
    if (one.untilMs <= atMs - spanMs) continue;
    const last = merged.at(-1);
    const isSame = last && bucketOf(last, bucketMs) === bucketOf(one, bucketMs);
    if (isSame && last.untilMs === one.fromMs) merged.splice(-1, 1, both(last, one));
    else merged.push(one);
  }
  return merged;
}

/** Buckets begin at the same times whenever they are drawn, so that a line keeps its shape as time passes. */
function bucketOf({ untilMs }: Sample, bucketMs: number): number {
  return Math.floor(untilMs / bucketMs);
}

function both(one: Sample, next: Sample): Sample {
  return {
    fromMs: one.fromMs,
    untilMs: next.untilMs,
    issued: one.issued + next.issued,
    writes: one.writes + next.writes,
    refused: one.refused + next.refused,
    leadMs: Math.max(one.leadMs, next.leadMs),
  };
}
