/**
 * The lease desk decides which process may use which worker ID, and for which ticks.
 *
 * The fence of a lease is in ID time, in whole ticks, so nobody's wall clock decides: a holder that was paused, skewed
 * or cut off cannot collide with its successor. Invariants, each proved by the tests with the same number:
 *  E1 Leases of one worker ID are disjoint in ID time: notBefore of the next ≥ notAfter of the last, whatever the
 *     clocks did.
 *  E2 notAfter of a lease never falls, except when it is released: then to the first tick that its holder says it has
 *     not used, and no lower than notBefore.
 *  E3 A lease belongs to its token. A lease that was released, or overtaken by the next, is lost for good.
 *  E4 No lease is granted or renewed while the desk's clock is over CLOCK_DISAGREEMENT_MAX_MS ahead of its caller's: a
 *     notAfter far ahead would block the worker ID for everybody.
 *  E5 Leases use the upper half of the worker IDs: shards use the lower half.
 *  E6 One owner (an API key) has at most leasesPerKeyMax worker IDs, unless it is an administrator. A lease counts
 *     until its notAfter, released or not. A renewal after notAfter counts as acquiring.
 *  E7 A lease or renewal ends at most leaseTtlMaxMs from now, or at the lease's earlier notAfter if that is later.
 *  E8 The same Idempotency-Key with the same request gets the same lease again while it is held. With another request
 *     it is refused. Any other acquire gets another worker ID.
 *
 * Pure: rows, clocks and tokens are arguments. The outcome holds the rows to write before its answer leaves.
 */

import { type Layout, tickAt } from "../layout/layout.ts";
import type { Refusal } from "../refusal.ts";
import {
  anotherRequest,
  type DeskClocks,
  leaseLost,
  noWorkerFree,
  refuseClocks,
  tooManyLeases,
} from "./lease-refusals.ts";
import { type Fence, leasableWorkers, stateOf, type WorkerLease } from "./worker-lease.ts";

/** The stored leases, read by index: a decision needs a few rows, and a layout may have 2^21 worker IDs to lease. */
export interface LeaseRows {
  /** The last lease of a worker ID. */
  ofWorker(worker: number): WorkerLease | undefined;
  /** The lease with that Idempotency-Key. */
  ofKey(idempotencyKey: string): WorkerLease | undefined;
  /** The lease with the lowest notAfterTick; of several, the one with the lowest worker ID. */
  firstToEnd(): WorkerLease | undefined;
  /** The highest worker ID that ever had a lease. */
  highestWorker(): number | undefined;
  /** The owner's leases with a notAfterTick above `tick`. */
  keptBy(owner: string, tick: number): Kept;
}

/** The number of worker IDs that one owner's leases block. */
export interface Kept {
  readonly count: number;
  /** The tick of their first end; 0 without leases. */
  readonly firstEndTick: number;
}

/** A row to write, by compare-and-set on `before`, which is undefined if the worker ID had no lease. */
export interface LeaseWrite {
  readonly lease: WorkerLease;
  readonly before: WorkerLease | undefined;
}

export type LeaseResult =
  | { readonly ok: true; readonly lease: WorkerLease }
  | { readonly ok: false; readonly refusal: Refusal };

/** An answer, which may leave once all of `writes` are stored. */
export type LeaseOutcome = LeaseResult & { readonly writes: readonly LeaseWrite[] };

/** The inputs of a decision about the end of a lease. */
export interface Desk extends DeskClocks {
  readonly layout: Layout;
  readonly rows: LeaseRows;
}

/** A caller, and the bounds of its leases. */
export interface LeaseTerms {
  /** The id of its API key. */
  readonly owner: string;
  /** Maximum number of worker IDs that the owner's leases may block; null: no limit. */
  readonly leasesMax: number | null;
  /** Longest lease, in ms. */
  readonly ttlMaxMs: number;
}

export interface AcquireInput {
  readonly holder: string;
  /** As requested, in ms; the terms may shorten it. */
  readonly ttlMs: number;
  /** The Idempotency-Key, prefixed by its owner. */
  readonly idempotencyKey: string;
  readonly terms: LeaseTerms;
}

export interface RenewInput {
  readonly worker: number;
  readonly token: string;
  /** In ms; undefined: as acquired or last renewed. The terms may shorten it. */
  readonly ttlMs: number | undefined;
  readonly terms: LeaseTerms;
}

export interface ReleaseInput {
  readonly worker: number;
  /** Null: an administrator revokes the lease. */
  readonly token: string | null;
  /** The first tick that the holder has not used; undefined: unknown. */
  readonly untilTick: number | undefined;
}

interface Rested {
  readonly worker: number;
  readonly before: WorkerLease | undefined;
}

/** Compares two tokens in constant time. */
export type IsSameToken = (given: string, token: string) => boolean;

/** Leases the worker ID that rested longest, under a new random `token`. A worker ID without a lease comes first. */
export function acquire(desk: Desk, input: AcquireInput, token: string): LeaseOutcome {
  const { layout, nowMs } = desk;
  const { holder, idempotencyKey, terms } = input;
  const known = desk.rows.ofKey(idempotencyKey);
  if (known && stateOf(layout, known, nowMs) === "held") {
    return isSameRequest(input, known) ? answer(known) : refuse(anotherRequest()); // E8
  }
  const refusal = refuseClocks(layout, desk) ?? refuseMore(desk, terms); // E4, E6
  if (refusal) return refuse(refusal);
  const free = longestRested(desk);
  if ("code" in free) return refuse(free);
  const { worker, before } = free;
  const ttlMs = Math.min(input.ttlMs, terms.ttlMaxMs);
  const fence = newFence(layout, nowMs, ttlMs, before?.notAfterTick ?? 0);
  const asked = { owner: terms.owner, askedTtlMs: input.ttlMs, idempotencyKey };
  const lease = { worker, token, holder, ttlMs, ...fence, released: false, ...asked };
  const write = { lease, before };
  if (!known || known.worker === worker) return answer(lease, write);
  // The ended lease loses its key, but its row stays: it records up to which tick its worker ID may be used.
  return answer(lease, { lease: { ...known, idempotencyKey: null }, before: known }, write);
}

/** Extends a lease. */
export function renew(desk: Desk, input: RenewInput, isSameToken: IsSameToken): LeaseOutcome {
  const { layout, nowMs } = desk;
  const { worker, token, terms } = input;
  const before = ownLease(desk.rows, worker, token, isSameToken);
  if (!before || before.released) return refuse(leaseLost(worker));
  const isHeld = stateOf(layout, before, nowMs) === "held";
  // Otherwise an owner could renew many ended leases and exceed the bound.
  const refusal = refuseClocks(layout, desk) ?? (isHeld ? undefined : refuseMore(desk, terms));
  if (refusal) return refuse(refusal);
  const ttlMs = Math.min(input.ttlMs ?? before.ttlMs, terms.ttlMaxMs);
  const fence = renewedFence(layout, nowMs, ttlMs, before);
  const owner = (isHeld ? before.owner : null) ?? terms.owner;
  const lease = { ...before, ...fence, ttlMs, owner };
  return answer(lease, { lease, before });
}

/** Ends a lease. Idempotent. */
export function release(
  rows: LeaseRows,
  { worker, token, untilTick }: ReleaseInput,
  isSameToken: IsSameToken,
): LeaseOutcome {
  const before = ownLease(rows, worker, token, isSameToken);
  if (!before) return refuse(leaseLost(worker));
  if (before.released) return answer(before);
  const fence = releasedFence(before, token === null ? undefined : untilTick);
  const lease = { ...before, ...fence, released: true };
  return answer(lease, { lease, before });
}

/** The fence of a new lease, on a worker ID whose last lease ended at `restedFromTick` (E1, E7). */
export function newFence(
  layout: Layout,
  nowMs: number,
  ttlMs: number,
  restedFromTick: number,
): Fence {
  const notBeforeTick = Math.max(tickAt(layout, nowMs), restedFromTick);
  return { notBeforeTick, notAfterTick: Math.max(notBeforeTick, endTick(layout, nowMs, ttlMs)) };
}

/** The fence of a renewed lease: its end moves up, never down (E2, E7). */
export function renewedFence(
  layout: Layout,
  nowMs: number,
  ttlMs: number,
  { notBeforeTick, notAfterTick }: Fence,
): Fence {
  return { notBeforeTick, notAfterTick: Math.max(notAfterTick, endTick(layout, nowMs, ttlMs)) };
}

/** The fence of a released lease: all ticks up to its end count as used, unless the holder gives `untilTick` (E2). */
export function releasedFence({ notBeforeTick, notAfterTick }: Fence, untilTick?: number): Fence {
  const end = Math.max(notBeforeTick, untilTick ?? notAfterTick);
  return { notBeforeTick, notAfterTick: Math.min(notAfterTick, end) };
}

/** The end of a lease of `ttlMs` from now, as a tick on the line (exclusive). */
function endTick(layout: Layout, nowMs: number, ttlMs: number): number {
  return Math.min(layout.tickCount, tickAt(layout, nowMs + ttlMs));
}

/** The last lease of a worker ID if it is this token's (E3), or if it is revoked: `token` null. */
function ownLease(
  rows: LeaseRows,
  worker: number,
  token: string | null,
  isSameToken: IsSameToken,
): WorkerLease | undefined {
  const lease = rows.ofWorker(worker);
  return lease && (token === null || isSameToken(token, lease.token)) ? lease : undefined;
}

/** The refusal if the owner may not lease another worker ID; undefined if it may (E6). */
function refuseMore(
  { layout, rows, nowMs }: Desk,
  { owner, leasesMax }: LeaseTerms,
): Refusal | undefined {
  if (leasesMax === null) return undefined;
  const { count, firstEndTick } = rows.keptBy(owner, tickAt(layout, nowMs));
  if (count < leasesMax) return undefined;
  return tooManyLeases(layout, nowMs, firstEndTick, count, leasesMax);
}

/** The free worker ID that rested longest, with its last lease (E5); a refusal if none is free. */
function longestRested({ layout, rows, nowMs }: Desk): Rested | Refusal {
  const { first, end } = leasableWorkers(layout);
  const fresh = (rows.highestWorker() ?? first - 1) + 1;
  if (fresh < end) return { worker: fresh, before: undefined };
  const before = rows.firstToEnd();
  // A released worker ID also stays blocked until its end: its ticks may have been used.
  if (before && tickAt(layout, nowMs) >= before.notAfterTick) {
    return { worker: before.worker, before };
  }
  return noWorkerFree(layout, nowMs, before?.notAfterTick);
}

/** Whether a lease was acquired by a request like this one (E8). */
function isSameRequest({ holder, ttlMs }: AcquireInput, lease: WorkerLease): boolean {
  return holder === lease.holder && ttlMs === (lease.askedTtlMs ?? ttlMs);
}

function answer(lease: WorkerLease, ...writes: readonly LeaseWrite[]): LeaseOutcome {
  return { ok: true, lease, writes };
}

function refuse(refusal: Refusal): LeaseOutcome {
  return { ok: false, refusal, writes: [] };
}
