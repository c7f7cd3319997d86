/** Refusals of the lease desk. */

import { type Layout, tickAt, tickStartMs } from "../layout/layout.ts";
import { CLOCK_DISAGREEMENT_MAX_MS, CLOCK_DISAGREEMENT_RETRY_MS } from "../limits.ts";
import type { Refusal } from "../refusal.ts";

/** The clocks of the desk and of its caller, unix ms. */
export interface DeskClocks {
  readonly nowMs: number;
  readonly callerNowMs: number;
}

/** The refusal if these clocks allow no lease; undefined if they do (E4). */
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
    const detail = `The layout's last tick is ${layout.tickCount - 1}: its time range is used up.`;
    return { code: "timestamp_exhausted", detail };
  }
  const aheadMs = nowMs - callerNowMs;
  if (aheadMs <= CLOCK_DISAGREEMENT_MAX_MS) return undefined;
  return {
    code: "clock_disagreement",
    detail: `The lease desk's clock is ${aheadMs} ms ahead of its caller's: refusing to grant a lease.`,
    retryAfterMs: CLOCK_DISAGREEMENT_RETRY_MS,
  };
}

/** The refusal at an owner's limit of worker IDs. `firstEndTick`: the first end of its leases. */
export function tooManyLeases(
  layout: Layout,
  nowMs: number,
  firstEndTick: number,
  count: number,
  leasesMax: number,
): Refusal {
  const retryAfterMs = msUntil(layout, nowMs, firstEndTick);
  const detail = `This API key holds ${count} of at most ${leasesMax} worker IDs of this namespace; its first lease ends in ${retryAfterMs} ms. Release leases with until, or ask an administrator to raise policy.leasesPerKeyMax.`;
  return { code: "forbidden", detail, retryAfterMs };
}

/**
 * The refusal if all worker IDs are leased. `firstEndTick`: the first end of all leases; undefined if the layout has no
 * worker ID to lease.
 */
export function noWorkerFree(
  layout: Layout,
  nowMs: number,
  firstEndTick: number | undefined,
): Refusal {
  const code = "no_worker_free";
  if (firstEndTick === undefined) {
    const detail = "This layout has no worker IDs to lease: it needs at least one worker bit.";
    return { code, detail };
  }
  const retryAfterMs = msUntil(layout, nowMs, firstEndTick);
  const detail = `All worker IDs of this namespace are leased; the next one is free in ${retryAfterMs} ms.`;
  return { code, detail, retryAfterMs };
}

export function leaseLost(worker: number): Refusal {
  const detail = `The lease of worker ID ${worker} does not belong to this token: it was released, or another holder acquired it.`;
  return { code: "lease_lost", detail };
}

/** The refusal of an Idempotency-Key that acquired a lease with a different request (E8). */
export function anotherRequest(): Refusal {
  const detail =
    "This Idempotency-Key acquired a lease with another holder or ttlMs; repeat the original request, or send another key.";
  return { code: "idempotency_conflict", detail };
}

function msUntil(layout: Layout, nowMs: number, tick: number): number {
  return Math.max(1, tickStartMs(layout, tick) - nowMs);
}
