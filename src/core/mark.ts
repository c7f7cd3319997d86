import type { Layout } from "./layout.ts";
import { RESERVE_PAST_END_DIVISOR } from "./limits.ts";
import type { Policy } from "./policy.ts";

/**
 * Where a mark is moved before a grant that ends at `end` may leave: reserveMs past the clock, at least a tick, or
 * a twentieth of reserveMs past `end` if that is further, never past the line's end.
 * Counted from `end` alone, each restart would push the line ahead; by less than a tick, a long tick would be written
 * many times.
 */
export function markFor(
  layout: Layout,
  policy: Pick<Policy, "reserveMs">,
  tick: number,
  end: number,
): number {
  const reserveMs = Math.max(policy.reserveMs, layout.tickMs);
  const reserve = Math.ceil((reserveMs / layout.tickMs) * layout.sequenceCount);
  const pastClock = tick * layout.sequenceCount + reserve;
  const pastEnd = end + Math.ceil(reserve / RESERVE_PAST_END_DIVISOR);
  return Math.min(layout.lineEnd, Math.max(pastClock, pastEnd));
}
