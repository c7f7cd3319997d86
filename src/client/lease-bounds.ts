/** How far a lease, and a mark in a store, let its holder stamp: in positions. */
import { tickAt } from "../core/layout.ts";
import type { HeldLease } from "./lease-desk.ts";
import type { MintLine } from "./mint-line.ts";

/** A mark in a store is written so far ahead, in ms: as far as the line may lead, within these. */
const RESERVE_MIN_MS = 1000;
const RESERVE_MAX_MS = 10_000;

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
