/**
 * A line inside a fence, for a process with a leased worker ID. It has the lanes and policy of a shard's line
 * (core/line/line), and an end that it must not reach: the end of its lease, or a mark in its store.
 *
 * Invariants, each proved by the tests with the same number:
 *  F1 Every run lies inside the fence: begin ≤ start < end ≤ the fence's end, on each lane.
 *  F2 Runs of a lane are disjoint and increase.
 *  F3 A run lies within one tick, so that its IDs are consecutive.
 *  F4 If no position is open now, the outcome has the time to wait. This code never waits or spins.
 *
 * Pure: clock and randomness are arguments.
 */
import type { Grant } from "../blocks/block.ts";
import { type Layout, tickAt, tickStartMs } from "../layout/layout.ts";
import type { Policy } from "../layout/policy.ts";
import { firstToOpen } from "./lanes.ts";
import { type LineState, observeClock, windowsInUse } from "./line.ts";

/** A run of positions, or the reason for its absence. */
export type Run =
  | { readonly kind: "run"; readonly state: LineState; readonly run: Grant }
  /** The line leads the clock by `waitMs` more than allowed. */
  | { readonly kind: "wait"; readonly state: LineState; readonly waitMs: number }
  /** The clock reached the fence's end, or all positions below it are used. */
  | { readonly kind: "fenced"; readonly state: LineState };

/** A line that starts at position `begin` on every lane. */
export function fencedLine(layout: Layout, begin: number): LineState {
  const lane = { next: begin, mark: layout.lineEnd };
  const lanes = Array.from({ length: layout.laneCount }, () => lane);
  return { lanes, lastTick: undefined, forgivenTicks: 0 };
}

/** The next open positions in one tick of one lane below `end`, at most `count`. */
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
