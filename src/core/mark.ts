import type { Layout } from "./layout.ts";
import { RESERVE_PAST_END_DIVISOR } from "./limits.ts";
import type { Policy } from "./policy.ts";

/**
 * Where a mark is moved before a grant that ends at `end` may leave: reserveMs past the clock, or
 * a twentieth of reserveMs past `end` where that is further, never past the line's end.
 * Counted from `end` alone, each restart would push the line ahead.
 */
export function markFor(layout: Layout, policy: Policy, tick: number, end: number): number {
  const reserve = Math.ceil((policy.reserveMs / layout.tickMs) * layout.sequenceCount);
  const pastClock = tick * layout.sequenceCount + reserve;
  const pastEnd = end + Math.ceil(reserve / RESERVE_PAST_END_DIVISOR);
  return Math.min(layout.lineEnd, Math.max(pastClock, pastEnd));
}
