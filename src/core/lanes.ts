import type { Layout } from "./layout.ts";
import type { Policy } from "./policy.ts";

/** One lane: the lowest position not yet granted, and the mark that no grant has passed. */
export interface Lane {
  readonly next: number;
  readonly mark: number;
}

export interface LineState {
  readonly lanes: readonly Lane[];
  /** The clock's tick at the last step; undefined before the first one since the start. */
  readonly lastTick: number | undefined;
  /** How many ticks of the last lane's lead come from a clock that went back. */
  readonly forgivenTicks: number;
}

/** What of a request bears on the choice of lane and first position. */
export interface LaneChoice {
  /** Strict order: crossing lanes would fall back in order, so only the last one is used. */
  readonly lastLaneOnly: boolean;
  /** In [0, 1); places the first sequence of a fresh tick where randomStart is on. */
  readonly random: number;
}

/** The state of a line that starts from these durable marks, one per lane (L3). */
export function startLine(marks: readonly number[]): LineState {
  return {
    lanes: marks.map((mark) => ({ next: mark, mark })),
    lastTick: undefined,
    forgivenTicks: 0,
  };
}

/** What of a lane is open at one tick: [start, open) where open > start, closed otherwise. */
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
 * The lanes that a step at `tick` may grant from, in the order to try them.
 * Only the last lane may lead the clock. `always`: all lanes. `back`: the first lane that the clock
 * has not fallen behind of (used up, it waits); where it fell behind all, the one that opens first.
 */
export function windowsInUse(
  layout: Layout,
  policy: Policy,
  state: LineState,
  tick: number,
  choice: LaneChoice,
): LaneWindow[] {
  const last = layout.laneCount - 1;
  const first = choice.lastLaneOnly ? last : 0;
  const windows: LaneWindow[] = [];
  for (let lane = first; lane <= last; lane += 1) {
    const window = windowOf(layout, policy, state, tick, lane, choice.random);
    // A last lane that was led to the line's end waits for nothing more: another one may.
    const isOver = lane === last && window.start >= layout.lineEnd;
    if (layout.laneUse === "back" && window.start <= window.open && !isOver) return [window];
    windows.push(window);
  }
  if (layout.laneUse === "always") return windows;
  return [windows.reduce((best, window) => (window.opensTick < best.opensTick ? window : best))];
}

/**
 * How many positions of these lanes open to a call that begins in tick `from`, nothing being granted until
 * then, and waits until the end of tick `until`. What is forgiven falls while the clock catches up with an
 * idle line, but not while a call keeps the line ahead. Never falls as both ticks grow alike.
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
 * The largest count that an idle line is sure to open within maxBorrow + maxWait.
 * A random start may cost each tick its first randomStart − 1 positions; a start drawn from a large
 * part of the tick costs half of it on average, which is what is reckoned with there.
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

function windowOf(
  layout: Layout,
  policy: Policy,
  state: LineState,
  tick: number,
  lane: number,
  random: number,
): LaneWindow {
  const { next, mark } = state.lanes[lane] ?? { next: 0, mark: 0 };
  const { sequenceCount, tickMs, lineEnd } = layout;
  const leads = lane === layout.laneCount - 1;
  const borrowTicks = leads ? Math.floor(policy.maxBorrowMs / tickMs) : 0;
  const maxStepBackTicks = Math.floor(policy.maxStepBackMs / tickMs);
  const forgivenTicks = leads ? Math.min(state.forgivenTicks, maxStepBackTicks) : 0;
  const freshStart = tick * sequenceCount;
  const start = freshStart >= next ? freshStart + Math.floor(random * policy.randomStart) : next;
  const open = Math.min((tick + borrowTicks + forgivenTicks + 1) * sequenceCount, lineEnd);
  const startTick = Math.floor(start / sequenceCount);
  const opensTick =
    start >= lineEnd ? Number.POSITIVE_INFINITY : startTick - borrowTicks - forgivenTicks;
  return { lane, mark, start, open, opensTick, borrowTicks, forgivenTicks };
}
