/**
 * Leases of worker IDs: the exclusive right of an outside process to mint with one worker ID, for IDs whose own tick
 * lies in [notBefore, notAfter). It replaces the ZooKeeper part of Meituan Leaf.
 *
 * The fence is in ID time, in whole ticks, so nobody's wall clock decides: a holder that was paused, skewed or cut
 * off cannot collide with its successor. Invariants, each proved by the tests with the same number:
 *  E1 Leases of one worker ID are disjoint in ID time: notBefore of the next ≥ notAfter of the last, whatever the
 *     clocks did.
 *  E2 notAfter of a lease never falls, but when it is released: then to the first tick that its holder says it has
 *     not stamped, and no lower than notBefore.
 *  E3 A lease belongs to its token. One that was released, or overtaken by the next, is lost for good.
 *  E4 Nothing is leased or renewed while the desk's clock is over CLOCK_DISAGREEMENT_MAX_MS ahead of its caller's: a
 *     notAfter far ahead would keep the worker ID from everybody.
 *  E5 Worker IDs on lease are those of the upper half: shards use the lower one.
 *  E6 One owner (an API key) keeps at most leasesPerKeyMax worker IDs from others, unless it is an administrator. A
 *     lease counts until its notAfter, released or not. To renew one past its notAfter counts as acquiring it.
 *  E7 A lease or renewal ends at most leaseTtlMaxMs from now, or where the lease ended before.
 *
 * Pure: clock, tokens and storage are handed in.
 */
import type { Refusal } from "./errors.ts";
import { type Layout, tickAt, tickStartMs } from "./layout.ts";
import { CLOCK_DISAGREEMENT_MAX_MS, CLOCK_DISAGREEMENT_RETRY_MS } from "./limits.ts";

/** The worker IDs that one owner keeps from others: those of its last leases whose notAfter is still to come. */
export interface Kept {
  readonly count: number;
  /** The first of their ends; 0 if there are none. */
  readonly firstEndTick: number;
}

/** The ticks that a lease may stamp: [notBeforeTick, notAfterTick). */
export interface Fence {
  readonly notBeforeTick: number;
  readonly notAfterTick: number;
}

/** A worker ID's last lease, held or not. */
export interface WorkerLease extends Fence {
  /** Datacenter and worker fields as one number. */
  readonly worker: number;
  /** Random; whoever has it has the lease. */
  readonly token: string;
  /** A label for people. */
  readonly holder: string;
  readonly ttlMs: number;
  /** Given back, or revoked: no renewal any more. */
  readonly released: boolean;
}

/** The desk's clock, and that of whoever called it. */
export interface DeskClocks {
  readonly nowMs: number;
  readonly callerNowMs: number;
}

export type Fenced =
  | { readonly ok: true; readonly fence: Fence }
  | { readonly ok: false; readonly refusal: Refusal };

/** `held`: may stamp now. `expired`: past notAfter, may be renewed until it is overtaken. `released`: given back. */
export type LeaseState = "held" | "expired" | "released";

/** The worker IDs that may be leased: [first, end), the upper half (E5). */
export function leasableWorkers({ workerCount }: Layout): {
  readonly first: number;
  readonly end: number;
} {
  return { first: Math.ceil(workerCount / 2), end: workerCount };
}

/** The fence of a new lease on a worker ID whose last lease, if any, ended at `restedFromTick` (E1). */
export function newFence(
  layout: Layout,
  clocks: DeskClocks,
  ttlMs: number,
  restedFromTick: number,
): Fenced {
  const refusal = refuseClocks(layout, clocks);
  if (refusal) return { ok: false, refusal };
  const notBeforeTick = Math.max(tickAt(layout, clocks.nowMs), restedFromTick);
  const notAfterTick = Math.max(notBeforeTick, endTick(layout, clocks.nowMs, ttlMs));
  return { ok: true, fence: { notBeforeTick, notAfterTick } };
}

/** The fence of a lease that is renewed: its end moves up, never down (E2). */
export function renewedFence(
  layout: Layout,
  clocks: DeskClocks,
  ttlMs: number,
  { notBeforeTick, notAfterTick }: Fence,
): Fenced {
  const refusal = refuseClocks(layout, clocks);
  if (refusal) return { ok: false, refusal };
  const end = Math.max(notAfterTick, endTick(layout, clocks.nowMs, ttlMs));
  return { ok: true, fence: { notBeforeTick, notAfterTick: end } };
}

/** The fence of a lease that is given back by one who has stamped nothing from `untilTick` on; absent: who knows (E2). */
export function releasedFence({ notBeforeTick, notAfterTick }: Fence, untilTick?: number): Fence {
  const end = untilTick === undefined ? notAfterTick : Math.max(notBeforeTick, untilTick);
  return { notBeforeTick, notAfterTick: Math.min(notAfterTick, end) };
}

export function stateOf(
  layout: Layout,
  { released, notAfterTick }: WorkerLease,
  nowMs: number,
): LeaseState {
  if (released) return "released";
  return tickAt(layout, nowMs) < notAfterTick ? "held" : "expired";
}

/** Why an owner that keeps these worker IDs gets no further one; undefined if it may (E6). */
export function refuseMore(
  layout: Layout,
  nowMs: number,
  { count, firstEndTick }: Kept,
  most: number,
): Refusal | undefined {
  if (count < most) return undefined;
  const retryAfterMs = msUntil(layout, nowMs, firstEndTick);
  const detail = `This API key has ${count} of at most ${most} worker IDs of this namespace; the first of these leases ends in ${retryAfterMs} ms. Release leases with until, or let an administrator raise policy.leasesPerKeyMax.`;
  return { code: "forbidden", detail, retryAfterMs };
}

/** The refusal where every worker ID is on lease until `earliestEndTick`, the first of all ends. */
export function noWorkerFree(layout: Layout, nowMs: number, earliestEndTick: number): Refusal {
  const retryAfterMs = msUntil(layout, nowMs, earliestEndTick);
  const detail = `Every worker ID of this namespace is on lease; the next one is free in ${retryAfterMs} ms.`;
  return { code: "no_worker_free", detail, retryAfterMs };
}

function msUntil(layout: Layout, nowMs: number, tick: number): number {
  return Math.max(1, tickStartMs(layout, tick) - nowMs);
}

/** One past the last tick that a lease of that length may stamp from now on, within the line. */
function endTick(layout: Layout, nowMs: number, ttlMs: number): number {
  return Math.min(layout.tickCount, tickAt(layout, nowMs + ttlMs));
}

/** Why nothing is leased by these clocks; undefined where they are in order (E4). */
export function refuseClocks(
  layout: Layout,
  { nowMs, callerNowMs }: DeskClocks,
): Refusal | undefined {
  const tick = tickAt(layout, nowMs);
  if (tick < 0) {
    const detail = `The clock (unix ms ${nowMs}) is before the layout's epoch (${layout.epochMs}).`;
    return { code: "clock_before_epoch", detail };
  }
  if (tick >= layout.tickCount) {
    const detail = `The layout's last tick is ${layout.tickCount - 1}: its time has run out.`;
    return { code: "timestamp_exhausted", detail };
  }
  const aheadMs = nowMs - callerNowMs;
  if (aheadMs <= CLOCK_DISAGREEMENT_MAX_MS) return undefined;
  return {
    code: "clock_disagreement",
    detail: `The lease desk's clock is ${aheadMs} ms ahead of its caller's: too far to get into a lease.`,
    retryAfterMs: CLOCK_DISAGREEMENT_RETRY_MS,
  };
}
