/** Refusals of a line, with the time to retry. */

import { type Layout, tickAt, tickStartMs } from "../layout/layout.ts";
import type { Policy } from "../layout/policy.ts";
import { CLOCK_DISAGREEMENT_RETRY_MS } from "../limits.ts";
import type { Refusal } from "../refusal.ts";
import { capacityOf, firstToOpen, type LaneWindow } from "./lanes.ts";

/** The refusal if `count` positions can't open within waitLeftMs; undefined if they can. */
export function shortage(
  layout: Layout,
  policy: Policy,
  windows: readonly LaneWindow[],
  tick: number,
  request: { readonly count: number; readonly nowMs: number; readonly waitLeftMs: number },
): Refusal | undefined {
  const { count, nowMs, waitLeftMs } = request;
  const lastTick = layout.tickCount - 1;
  const waitTick = Math.min(lastTick, tickAt(layout, nowMs + waitLeftMs));
  if (capacityOf(layout, windows, tick, waitTick) >= count) return undefined;
  if (capacityOf(layout, windows, tick, lastTick) < count) return lineExhausted(layout);
  const closed = windows.every(({ start, open }) => start >= open);
  const opensTick = closed ? firstToOpen(windows).opensTick : tick;
  const retryTick = retryTickFor(layout, policy, windows, opensTick, count);
  const retryAfterMs = Math.max(1, tickStartMs(layout, retryTick) - nowMs);
  // Demand alone closes a line for at most one tick. If it is closed for longer, the clock went back.
  return opensTick > tick + 1
    ? {
        code: "clock_behind",
        detail: `The clock is behind the IDs already issued; retry in ${retryAfterMs} ms.`,
        retryAfterMs,
      }
    : {
        code: "shard_saturated",
        detail: `The shard can't issue ${count} more IDs within maxWaitMs; retry in ${retryAfterMs} ms.`,
        retryAfterMs,
      };
}

/**
 * The first tick from `opensTick` on in which a call for `count` succeeds within maxWaitMs, found by bisection.
 * `opensTick` itself if not even an idle line has that many.
 */
function retryTickFor(
  layout: Layout,
  policy: Policy,
  windows: readonly LaneWindow[],
  opensTick: number,
  count: number,
): number {
  const lastTick = layout.tickCount - 1;
  const waitTicks = Math.floor(policy.maxWaitMs / layout.tickMs);
  const serves = (from: number): boolean =>
    capacityOf(layout, windows, from, Math.min(lastTick, from + waitTicks)) >= count;
  const idleTick =
    Math.max(...windows.map(({ start }) => Math.floor(start / layout.sequenceCount))) + 1;
  if (serves(opensTick) || !serves(idleTick)) return opensTick;
  let low = opensTick;
  let high = idleTick;
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if (serves(middle)) high = middle;
    else low = middle;
  }
  return high;
}

export function beforeEpoch(layout: Layout, nowMs: number): Refusal {
  const detail = `The clock (unix ms ${nowMs}) is before the layout's epoch (${layout.epochMs}).`;
  return { code: "clock_before_epoch", detail };
}

export function lineExhausted(layout: Layout): Refusal {
  const detail = `The layout's last tick is ${layout.tickCount - 1}: too few IDs are left.`;
  return { code: "timestamp_exhausted", detail };
}

export function clockDisagreement(aheadMs: number): Refusal {
  const detail = `The shard's clock is ${aheadMs} ms ahead of its caller's: refusing to advance the high-water mark.`;
  return { code: "clock_disagreement", detail, retryAfterMs: CLOCK_DISAGREEMENT_RETRY_MS };
}
