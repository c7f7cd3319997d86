/**
 * A line inside a fence: what a process stamps with a worker ID on lease. The same lanes and policy as a shard's
 * line (core/line/line), but bounded by positions that it must not reach: the end of its lease, or a mark in its store.
 *
 * Invariants, each proved by the tests with the same number:
 *  F1 Every run lies inside the fence: begin ≤ start < end ≤ the fence's end, on each lane.
 *  F2 Runs of a lane are disjoint and increase.
 *  F3 A run lies within one tick, so that its IDs are consecutive.
 *  F4 If nothing is open now, the outcome says how long to wait: nothing here waits or spins.
 *
 * Pure: clock and randomness are handed in.
 */
import type { Grant } from "../blocks/block.ts";
import { type Layout, tickAt, tickStartMs } from "../layout/layout.ts";
import type { Policy } from "../layout/policy.ts";
import { firstToOpen } from "./lanes.ts";
import { type LineState, observeClock, windowsInUse } from "./line.ts";

/** A run of positions, or why there is none now. */
export type Run =
  | { readonly kind: "run"; readonly state: LineState; readonly run: Grant }
  /** The line is ahead of the clock by that much more than it may be. */
  | { readonly kind: "wait"; readonly state: LineState; readonly waitMs: number }
  /** The clock is at the fence's end, or all below it is used up. */
  | { readonly kind: "fenced"; readonly state: LineState };

/** A line that begins at that position, on every lane. */
export function fencedLine(layout: Layout, begin: number): LineState {
  const lane = { next: begin, mark: layout.lineEnd };
  const lanes = Array.from({ length: layout.laneCount }, () => lane);
  return { lanes, lastTick: undefined, forgivenTicks: 0 };
}

/** All that is open in one tick of one lane below `end`, up to `count`. */
export function nextRun(
  layout: Layout,
  policy: Policy,
  before: LineState,
  end: number,
  request: { readonly nowMs: number; readonly count: number; readonly random: number },
): Run {
  const { sequenceCount } = layout;
  const tick = tickAt(layout, request.nowMs);
  const state = observeClock(layout, before, tick);
  const fenced = { ...layout, lineEnd: Math.min(end, layout.lineEnd) };
  const choice = { lastLaneOnly: false, random: request.random };
  const windows = windowsInUse(fenced, policy, state, tick, choice);
  const window = windows.find(({ start, open }) => open > start);
  if (window) {
    const { lane, start, open, mark } = window;
    const tickEnd = (Math.floor(start / sequenceCount) + 1) * sequenceCount;
    const runEnd = Math.min(start + request.count, open, tickEnd);
    const lanes = state.lanes.with(lane, { next: runEnd, mark });
    return { kind: "run", state: { ...state, lanes }, run: { lane, start, end: runEnd } };
  }
  const { opensTick } = firstToOpen(windows);
  if (opensTick * sequenceCount >= fenced.lineEnd) return { kind: "fenced", state };
  return { kind: "wait", state, waitMs: tickStartMs(layout, opensTick) - request.nowMs };
}
