import { compose } from "./id.ts";
import type { Layout } from "./layout.ts";

/** The smallest and the largest ID of a time range, both inclusive. */
export interface IdRange {
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * The smallest and largest ID whose time is in [fromMs, untilMs) and on the layout's line. Undefined if no tick of the
 * layout starts in this range. An ID may lead the clock, so the time of an ID is not the time of its issue.
 */
export function rangeOf(layout: Layout, fromMs: number, untilMs: number): IdRange | undefined {
  const firstTick = Math.max(0, tickAtOrAfter(layout, fromMs));
  const lastTick = Math.min(layout.tickCount, tickAtOrAfter(layout, untilMs)) - 1;
  if (lastTick < firstTick) return undefined;
  return {
    first: compose(layout, { tick: firstTick, shard: 0, lane: 0, sequence: 0 }),
    last: compose(layout, {
      tick: lastTick,
      shard: layout.workerCount - 1,
      lane: layout.laneCount - 1,
      sequence: layout.sequenceCount - 1,
    }),
  };
}

function tickAtOrAfter(layout: Layout, unixMs: number): number {
  return Math.ceil((unixMs - layout.epochMs) / layout.tickMs);
}
