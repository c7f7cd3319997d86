/** Selects the lanes of a step, and counts their open positions. core/line/line decides which positions are granted. */
import type { Layout } from "../layout/layout.ts";
import type { Policy } from "../layout/policy.ts";

/** The open part of a lane at one tick: [start, open) if open > start; otherwise the lane is closed. */
export interface LaneWindow {
  readonly lane: number;
  readonly mark: number;
  /** The next position that would be granted. */
  readonly start: number;
  /** One past the last open position. */
  readonly open: number;
  /** The tick that opens `start`; Infinity at the line's end. */
  readonly opensTick: number;
  /** How far the lane may lead, in ticks: borrowed, and forgiven while the line still leads. */
  readonly borrowTicks: number;
  readonly forgivenTicks: number;
}

/**
 * The windows to try, in order. `always`: each lane's. `back`: that of the first lane that the clock has not fallen
 * behind (if that lane is used up, the step waits for it); if the clock fell behind all, that which opens first.
 */
export function lanesInUse(
  layout: Layout,
  all: readonly LaneWindow[],
  lastLaneOnly: boolean,
): readonly LaneWindow[] {
  const windows = lastLaneOnly ? all.slice(-1) : all;
  if (layout.laneUse === "always") return windows;
  const inStep = windows.find(({ lane, start, open }) => {
    // A last lane that was led to the line's end never opens again: another lane may.
    const isOver = lane === layout.laneCount - 1 && start >= layout.lineEnd;
    return start <= open && !isOver;
  });
  return [inStep ?? firstToOpen(windows)];
}

/** The window that opens first. `windows` must not be empty. */
export function firstToOpen(windows: readonly LaneWindow[]): LaneWindow {
  return windows.reduce((best, window) => (window.opensTick < best.opensTick ? window : best));
}

/**
 * The number of positions that these lanes offer to a call that starts in tick `from` and waits until the end of tick
 * `until`, if nothing is granted before. Forgiven lead falls while the clock catches up with an idle line,
 * but not while a call keeps the line ahead. Monotonic when both ticks shift together.
 */
export function capacityOf(
  layout: Layout,
  windows: readonly LaneWindow[],
  from: number,
  until: number,
): number {
  const { sequenceCount, lineEnd } = layout;
  let capacity = 0;
  for (const { start, borrowTicks, forgivenTicks } of windows) {
    const leadTicks = Math.max(0, Math.floor(start / sequenceCount) - from);
    const openTicks = until + borrowTicks + Math.min(forgivenTicks, leadTicks) + 1;
    const open = Math.min(openTicks * sequenceCount, lineEnd);
    capacity += Math.max(0, open - Math.max(start, from * sequenceCount));
  }
  return capacity;
}

/**
 * The largest count that an idle line can always grant within maxBorrow + maxWait.
 * A random start may cost each tick its first randomStart − 1 positions. If that is over half of the tick, only half
 * is subtracted: the cost on average.
 */
export function idleCapacity(layout: Layout, policy: Policy, lastLaneOnly: boolean): number {
  const { tickMs, sequenceCount, laneCount, laneUse } = layout;
  const skipped = Math.min(Math.max(0, policy.randomStart - 1), Math.floor(sequenceCount / 2));
  const perTick = sequenceCount - skipped;
  const openTicks = 1 + Math.floor(policy.maxWaitMs / tickMs);
  const leadingTicks = openTicks + Math.floor(policy.maxBorrowMs / tickMs);
  if (laneCount === 1 || lastLaneOnly) return leadingTicks * perTick;
  if (laneUse === "back") return openTicks * perTick;
  return ((laneCount - 1) * openTicks + leadingTicks) * perTick;
}
