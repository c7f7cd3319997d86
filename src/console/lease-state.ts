/** The state of a lease in words, with advice. */
import type { Layout } from "../core/layout/layout.ts";
import { leasableWorkers } from "../core/lease/worker-lease.ts";
import { DATE_MS_MAX, LEASE_TTL_DEFAULT_MS } from "../core/limits.ts";
import { isListOf, isNumber, type Json, numberOf, objectsOf, textOf } from "./api.ts";
import { figure } from "./figure.ts";
import { duration, type ShardState } from "./shards/shard-state.ts";

/** A held lease ends soon from here on, in ms: a holder with the usual length renews it at half of that. */
export const ENDING_SOON_MS = LEASE_TTL_DEFAULT_MS / 4;

export interface LeaseFacts {
  readonly worker: number;
  readonly holder: string;
  /** The id of the API key that it counts for; only administrators get it, else empty. */
  readonly owner: string;
  readonly isHeld: boolean;
  readonly isReleased: boolean;
  /** Unix ms. */
  readonly notAfterMs: number;
  /** Until its end; 0 after it. */
  readonly leftMs: number;
  /** Since its end; 0 before it. */
  readonly restedMs: number;
}

export function isLeasePage({ leases }: Json): boolean {
  return isListOf(leases, ({ worker, state, notAfter }) => {
    const isTime = isNumber(notAfter) && Math.abs(notAfter) <= DATE_MS_MAX;
    return isNumber(worker) && textOf(state) !== "" && isTime;
  });
}

/** Reads a page of leases. */
export function leasesIn(page: Json): LeaseFacts[] {
  return objectsOf(page.leases).map((lease) => ({
    worker: numberOf(lease.worker),
    holder: textOf(lease.holder),
    owner: textOf(lease.owner),
    isHeld: lease.state === "held",
    isReleased: lease.state === "released",
    notAfterMs: numberOf(lease.notAfter),
    leftMs: Math.max(0, numberOf(lease.leftMs)),
    restedMs: Math.max(0, numberOf(lease.restedMs)),
  }));
}

export function leaseState({ isHeld, isReleased, leftMs }: LeaseFacts): ShardState {
  if (isHeld && leftMs < ENDING_SOON_MS) {
    const advice =
      "If the holder runs, it renews the lease by itself. If it ended, the ID is free after the end.";
    return { level: "warning", words: "ending soon", advice };
  }
  if (isHeld) return { level: "good", words: "held", advice: "" };
  if (isReleased && leftMs > 0) {
    const advice =
      "Released or revoked. Its ID is free after the end: the holder may have made IDs until then.";
    return { level: "idle", words: "resting", advice };
  }
  if (isReleased) return { level: "idle", words: "released", advice: "Its ID is free." };
  const advice = "Its ID is free. Until another process takes it, the holder can still renew.";
  return { level: "idle", words: "expired", advice };
}

/** The time left of a lease, or since its end. */
export function timeLeft({ leftMs, restedMs }: LeaseFacts): string {
  return leftMs > 0 ? `${duration(leftMs)} left` : `ended ${duration(restedMs)} ago`;
}

/** How many worker IDs are free, in words. `isWhole`: whether these are all leases of the namespace. */
export function freeWorkers(
  leases: readonly LeaseFacts[],
  isWhole: boolean,
  layout: Layout,
): string {
  const { first, end } = leasableWorkers(layout);
  const all = end - first;
  if (all === 0) return "This layout has no worker IDs to lease.";
  if (all === 0) return "This layout has no worker IDs to lease.";
  const range = `worker IDs (${first} to ${end - 1})`;
  const taken = leases.filter(({ leftMs }) => leftMs > 0).length;
  return isWhole
    ? `${figure(all - taken)} of ${figure(all)} ${range} are free.`
    : `${figure(all)} ${range} can be leased; on this page, ${figure(taken)} are taken.`;
}
