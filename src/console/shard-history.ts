/** Rates of shards, from the counters of successive looks at their status. */
import type { ShardFacts } from "./shard-state.ts";

/** Looks to keep: two minutes, at one every 2 s. */
export const LOOKS_KEPT = 60;

/** A shard up to the last look. */
export interface Seen {
  readonly facts: ShardFacts;
  /** Whether it ever responded: before that, its counters are unknown. */
  readonly isKnown: boolean;
  /** IDs per second, newest last. */
  readonly rates: readonly number[];
  /** Refusals since the previous look, by code. */
  readonly recent: Readonly<Record<string, number>>;
}

/** All shards together, at one look. */
export interface Totals {
  readonly idsPerSecond: number;
  /** The largest lead of any shard, in ms. */
  readonly leadMs: number;
  /** Undefined if no ID was issued. */
  readonly writesPerMillion: number | undefined;
  readonly refusalsPerSecond: number;
}

export interface History {
  /** The time of the last look, in ms; undefined before the first. */
  readonly atMs?: number;
  readonly shards: readonly Seen[];
  /** Newest last; the first look adds none. */
  readonly totals: readonly Totals[];
}

export const NO_HISTORY: History = { shards: [], totals: [] };

/** The history after a look at `atMs`. */
export function nextHistory(before: History, facts: readonly ShardFacts[], atMs: number): History {
  const seconds = before.atMs === undefined ? 0 : (atMs - before.atMs) / 1000;
  const shards: Seen[] = [];
  let [issued, writes, refused] = [0, 0, 0];
  for (const one of facts) {
    const last = before.shards.find(({ facts: { shard } }) => shard === one.shard);
    // Counting starts at a shard's first counters, however late they come.
    const known = last?.isKnown ? last.facts : one;
    // A shard that does not respond keeps its last counters.
    const now = one.fault === "" ? one : { ...known, fault: one.fault };
    const isKnown = one.fault === "" || (last?.isKnown ?? false);
    const issuedHere = grown(known.issued, now.issued);
    const recent = recentOf(known.refusals, now.refusals);
    issued += issuedHere;
    writes += grown(known.writes, now.writes);
    refused += Object.values(recent).reduce((sum, times) => sum + times, 0);
    const rates = seconds > 0 ? [...(last?.rates ?? []), issuedHere / seconds] : [];
    shards.push({ facts: now, isKnown, rates: rates.slice(-LOOKS_KEPT), recent });
  }
  if (seconds <= 0) return { atMs, shards, totals: before.totals };
  const total: Totals = {
    idsPerSecond: issued / seconds,
    leadMs: facts.reduce((most, { leadMs }) => Math.max(most, leadMs), 0),
    writesPerMillion: issued > 0 ? (writes * 1e6) / issued : undefined,
    refusalsPerSecond: refused / seconds,
  };
  return { atMs, shards, totals: [...before.totals, total].slice(-LOOKS_KEPT) };
}

/** The growth of a counter; 0 if it fell, as after a restart. */
function grown(before: number, now: number): number {
  return Math.max(0, now - before);
}

function recentOf(
  before: Readonly<Record<string, number>>,
  now: Readonly<Record<string, number>>,
): Record<string, number> {
  const grownBy = Object.entries(now).map(([code, times]) => {
    // A new code began at 0.
    return [code, grown((Object.hasOwn(before, code) && before[code]) || 0, times)] as const;
  });
  return Object.fromEntries(grownBy);
}
