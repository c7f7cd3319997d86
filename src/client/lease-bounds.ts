/** The positions that a lease, and a mark in a store, let their holder stamp; and when to renew the lease. */
import { tickAt } from "../core/layout/layout.ts";
import { markFor } from "../core/line/line.ts";
import type { HeldLease } from "./lease-desk.ts";
import type { MintLine } from "./mint-line.ts";

/**
 * How far ahead of the clock a mark is stored, in ms: by the line's maximum lead, within these bounds, and by at least
 * two ticks, so that the next tick is open when it begins.
 */
const RESERVE_MIN_MS = 1000;
const RESERVE_MAX_MS = 10_000;
/** A renewal begins early by a random part of the ttl, up to this one, so that holders do not renew at once. */
const JITTER_PART = 0.1;

/** The first position that the lease may stamp. */
export function beginOf({ layout, notBeforeTick }: HeldLease): number {
  return notBeforeTick * layout.sequenceCount;
}

/** One past the last position that the lease may stamp. */
export function endOf({ layout, notAfterTick }: HeldLease): number {
  return notAfterTick * layout.sequenceCount;
}

/** The next mark of a store: computed like a shard's, within the lease. */
export function markOf(lease: HeldLease, line: MintLine, nowMs: number): number {
  return Math.min(endOf(lease), aheadOf(lease, line, nowMs, reserveMsOf(lease)));
}

/** Whether to move the mark: half of its reserve is used. */
export function isMarkLow(lease: HeldLease, line: MintLine, mark: number, nowMs: number): boolean {
  return mark < endOf(lease) && mark <= aheadOf(lease, line, nowMs, reserveMsOf(lease) / 2);
}

function aheadOf({ layout }: HeldLease, line: MintLine, nowMs: number, reserveMs: number): number {
  return markFor(layout, { reserveMs }, tickAt(layout, nowMs), line.unstamped);
}

function reserveMsOf({ policy, layout }: HeldLease): number {
  const leadMs = policy.maxStepBackMs + policy.maxBorrowMs;
  return Math.max(2 * layout.tickMs, Math.min(Math.max(leadMs, RESERVE_MIN_MS), RESERVE_MAX_MS));
}

/** When to renew a lease, in ms from the desk's response: by the desk's clock, and always within the ttl. */
export function renewInMs({ renewAfterMs, deskNowMs, ttlMs }: HeldLease): number {
  const inMs = Math.min(Math.max(0, renewAfterMs - deskNowMs), ttlMs);
  return inMs - Math.random() * JITTER_PART * ttlMs;
}
