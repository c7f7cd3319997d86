/**
 * Leases of worker IDs: the exclusive right of an outside process to create IDs with one worker ID, for ticks in
 * [notBefore, notAfter). They replace the ZooKeeper part of Meituan Leaf. core/lease/lease-desk decides on them.
 */
import { type Layout, tickAt } from "../layout/layout.ts";

/** The request header with the token of a lease. */
export const LEASE_TOKEN_HEADER = "edgeflake-lease-token";

/** The ticks that a lease allows: [notBeforeTick, notAfterTick). */
export interface Fence {
  readonly notBeforeTick: number;
  readonly notAfterTick: number;
}

/** A worker ID's last lease, held or not. */
export interface WorkerLease extends Fence {
  /** Datacenter and worker fields as one number. */
  readonly worker: number;
  /** A random secret: a request with it may renew or release the lease. */
  readonly token: string;
  /** A label for people. */
  readonly holder: string;
  readonly ttlMs: number;
  /** True if the lease was released or revoked. It can't be renewed then. */
  readonly released: boolean;
  /** The id of the API key that the lease counts for; null if an earlier version stored it. */
  readonly owner: string | null;
  /** The ttlMs of the acquire request; null if an earlier version stored it. */
  readonly askedTtlMs: number | null;
  /** The Idempotency-Key of the acquire request; null once another lease has it. */
  readonly idempotencyKey: string | null;
}

/**
 * `held`: valid now. `expired`: past notAfter; can be renewed until another holder acquires its worker ID. `released`:
 * released or revoked.
 */
export type LeaseState = "held" | "expired" | "released";

export function stateOf(
  layout: Layout,
  { released, notAfterTick }: Pick<WorkerLease, "released" | "notAfterTick">,
  nowMs: number,
): LeaseState {
  if (released) return "released";
  return tickAt(layout, nowMs) < notAfterTick ? "held" : "expired";
}

/** The worker IDs that may be leased: [first, end), the upper half. Shards use the lower half. */
export function leasableWorkers({ workerCount }: Layout): {
  readonly first: number;
  readonly end: number;
} {
  return { first: Math.ceil(workerCount / 2), end: workerCount };
}
