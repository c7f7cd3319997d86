/** What shards did between looks at their status: rates out of counters. */
import type { ShardFacts } from "./shard-state.ts";

/** Looks that are remembered: two minutes of one every 2 s. */
export const LOOKS_KEPT = 60;

/** What a shard did up to the last look. */
export interface Seen {
  readonly facts: ShardFacts;
  /** Whether it answered yet: its counters are not known before. */
  readonly isKnown: boolean;
  /** IDs per second, the latest last. */
  readonly rates: readonly number[];
  /** Refusals since the look before, by code. */
  readonly recent: Readonly<Record<string, number>>;
}

/** The shards together, at one look. */
export interface Totals {
  readonly idsPerSecond: number;
  /** The furthest lead of any shard. */
  readonly leadMs: number;
  /** Undefined where nothing was issued. */
  readonly writesPerMillion: number | undefined;
  readonly refusalsPerSecond: number;
}

export interface History {
  /** When it was looked last, in ms; undefined before the first look. */
  readonly atMs?: number;
  readonly shards: readonly Seen[];
  /** The latest last; the first look gives none. */
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
    // Its first counters are where it is counted from, however late they come.
    const known = last?.isKnown ? last.facts : one;
    // One that does not answer says nothing of its counters.
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

/** An object that was started anew may count from before: no rate is negative. */
function grown(before: number, now: number): number {
  return Math.max(0, now - before);
}

function recentOf(
  before: Readonly<Record<string, number>>,
  now: Readonly<Record<string, number>>,
): Record<string, number> {
  const grownBy = Object.entries(now).map(([code, times]) => {
    // A code that was never refused before began at 0.
    return [code, grown((Object.hasOwn(before, code) && before[code]) || 0, times)] as const;
  });
  return Object.fromEntries(grownBy);
}
