/** How far a lease, and a mark in a store, let its holder stamp: in positions. When it is to be renewed. */
import { tickAt } from "../core/layout.ts";
import type { HeldLease } from "./lease-desk.ts";
import type { MintLine } from "./mint-line.ts";

/** A mark in a store is written so far ahead, in ms: as far as the line may lead, within these. */
const RESERVE_MIN_MS = 1000;
const RESERVE_MAX_MS = 10_000;
/** A renewal begins early by a random part of the lease's ttl up to this, so that holders do not ask in step. */
const JITTER_PART = 0.1;

/** The first position that the lease may stamp. */
export function beginOf({ layout, notBeforeTick }: HeldLease): number {
  return notBeforeTick * layout.sequenceCount;
}

/** One past the last position that the lease may stamp. */
export function endOf({ layout, notAfterTick }: HeldLease): number {
  return notAfterTick * layout.sequenceCount;
}

/** The position `ms` ahead of the clock, or of what was stamped where that is further. */
export function aheadOf({ layout }: HeldLease, line: MintLine, nowMs: number, ms: number): number {
  const ahead = Math.ceil(ms / layout.tickMs) * layout.sequenceCount;
  return Math.max(tickAt(layout, nowMs) * layout.sequenceCount, line.unstamped) + ahead;
}

/** How far ahead a mark is written, in ms. */
export function reserveMsOf({ policy, layout }: HeldLease): number {
  const leadMs = policy.maxStepBackMs + policy.maxBorrowMs;
  return Math.max(layout.tickMs, Math.min(Math.max(leadMs, RESERVE_MIN_MS), RESERVE_MAX_MS));
}

/** When to renew a lease, in ms from the desk's answer: by the desk's own clocks, and within its ttl whatever they say. */
export function renewInMs({ renewAfterMs, deskNowMs, ttlMs }: HeldLease): number {
  const inMs = Math.min(Math.max(0, renewAfterMs - deskNowMs), ttlMs);
  return inMs - Math.random() * JITTER_PART * ttlMs;
}
