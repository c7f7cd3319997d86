/**
 * The number line: the one state machine that every ID comes from.
 *
 * A lane is a line of positions, tick × 2^sequenceBits + sequence. `step` hands out disjoint
 * intervals of it. Sequence exhaustion and a clock that went back are one event: the line is
 * ahead of the clock. Two bounds, because two things make it lead: demand may borrow up to
 * maxBorrow; a step back of the clock up to maxStepBack is forgiven.
 *
 * Invariants, each proved by the tests with the same number:
 *  L1 Grants of a lane are disjoint and increase: start ≥ next, and next becomes end.
 *  L2 Every grant lies below the lane's mark: end ≤ mark, once `raise` is durable. A mark never falls.
 *  L3 A restarted line starts at its marks, so nothing granted before it is granted again.
 *  L4 A granted position leads the clock by at most maxBorrow + maxStepBack on the last lane, by 0 on others.
 *  L5 Grants stay on the line: 0 ≤ start < end ≤ 2^(timestampBits + sequenceBits), end − start ≤ count.
 *  L6 Once the clock has reached the tick of `next` on every lane, one more ID is granted at once.
 *  L7 A wait is at least 1 ms and at most waitLeftMs, so a call ends although the clock stands still.
 *  L8 No mark is raised while this clock is over CLOCK_DISAGREEMENT_MAX_MS ahead of the caller's.
 *
 * Pure and synchronous: clock and randomness are handed in, storage is the caller's.
 */
import type { Grant } from "./block.ts";
import type { Refusal } from "./errors.ts";
import {
  capacityOf,
  type LaneChoice,
  type LaneWindow,
  type LineState,
  windowsInUse,
} from "./lanes.ts";
import { type Layout, tickAt, tickStartMs } from "./layout.ts";
import { CLOCK_DISAGREEMENT_MAX_MS, CLOCK_DISAGREEMENT_RETRY_MS } from "./limits.ts";
import { markFor } from "./mark.ts";
import type { Policy } from "./policy.ts";

export interface StepRequest extends LaneChoice {
  /** This shard's clock, read for this step. */
  readonly nowMs: number;
  /** The caller's clock, read just before its call. */
  readonly callerNowMs: number;
  /** IDs still wanted, ≥ 1. */
  readonly count: number;
  /** What is left of maxWaitMs for this call. */
  readonly waitLeftMs: number;
}

/** The lane's mark must be durable at `to`, replacing `from`, before the grant may leave. */
export interface Raise {
  readonly lane: number;
  readonly from: number;
  readonly to: number;
}

export type Outcome =
  | {
      readonly kind: "granted";
      readonly state: LineState;
      readonly grant: Grant;
      readonly leadTicks: number;
      readonly raise?: Raise;
    }
  | { readonly kind: "wait"; readonly state: LineState; readonly waitMs: number }
  | { readonly kind: "refused"; readonly state: LineState; readonly refusal: Refusal };

/**
 * One step: grants what is open (up to count) on one lane, or says how long to wait, or refuses.
 * A grant may be smaller than count; step again for the rest. Where a `raise` comes along,
 * the state holds only once that raise is durable.
 */
export function step(
  layout: Layout,
  policy: Policy,
  before: LineState,
  request: StepRequest,
): Outcome {
  const tick = tickAt(layout, request.nowMs);
  if (tick < 0) return beforeEpoch(layout, before, request.nowMs);
  if (tick >= layout.tickCount) return exhausted(layout, before);
  const state = observeClock(layout, before, tick);
  const windows = windowsInUse(layout, policy, state, tick, request);
  const short = refuseShort(layout, policy, state, windows, tick, request);
  if (short) return short;
  const window = windows.find(({ open, start }) => open > start);
  if (window) return grantFrom(layout, policy, state, window, tick, request);
  const waitMs = tickStartMs(layout, nearestTick(windows)) - request.nowMs;
  return { kind: "wait", state, waitMs };
}

/** What of L1 and L2 a granted outcome breaks; undefined if nothing. It asserts what `step` promises. */
export function breachOf(
  before: LineState,
  { state, grant, raise }: Extract<Outcome, { kind: "granted" }>,
): string | undefined {
  const { lane, start, end } = grant;
  const [old, now] = [before.lanes[lane], state.lanes[lane]];
  if (!old || !now) return `lane ${lane} is not on this line`;
  if (start < old.next || end <= start) return `L1 [${start}, ${end}) after ${old.next}`;
  if (now.next !== end) return `L1 ${now.next} is next after [${start}, ${end})`;
  if (end > now.mark) return `L2 [${start}, ${end}) above the mark ${now.mark}`;
  const isRaised = raise?.lane === lane && raise.from === old.mark && raise.to === now.mark;
  if (raise ? !isRaised || raise.to <= raise.from : now.mark !== old.mark) {
    return `L2 the mark ${old.mark} became ${now.mark}`;
  }
  return undefined;
}

/** Takes notice of the clock: a step back adds to what is forgiven, catching up takes it away. */
export function observeClock(layout: Layout, state: LineState, tick: number): LineState {
  const next = state.lanes.at(-1)?.next ?? 0;
  const leadTicks = Math.max(0, Math.floor(next / layout.sequenceCount) - tick);
  const stepBackTicks =
    state.lastTick === undefined ? leadTicks : Math.max(0, state.lastTick - tick);
  const forgivenTicks = Math.min(state.forgivenTicks + stepBackTicks, leadTicks);
  return { lanes: state.lanes, lastTick: tick, forgivenTicks };
}

function grantFrom(
  layout: Layout,
  policy: Policy,
  state: LineState,
  window: LaneWindow,
  tick: number,
  request: StepRequest,
): Outcome {
  const { lane, start, open } = window;
  const end = Math.min(start + request.count, open);
  const from = window.mark;
  const to = end > from ? markFor(layout, policy, tick, end) : from;
  if (to > from && request.nowMs - request.callerNowMs > CLOCK_DISAGREEMENT_MAX_MS) {
    return disagreement(state, request);
  }
  const lanes = state.lanes.with(lane, { next: end, mark: to });
  return {
    kind: "granted",
    state: { ...state, lanes },
    grant: { lane, start, end },
    leadTicks: Math.max(0, Math.floor((end - 1) / layout.sequenceCount) - tick),
    ...(to > from && { raise: { lane, from, to } }),
  };
}

/** Refuses a count that cannot open within the wait that is left, before anything more is granted. */
function refuseShort(
  layout: Layout,
  policy: Policy,
  state: LineState,
  windows: readonly LaneWindow[],
  tick: number,
  request: StepRequest,
): Outcome | undefined {
  const { count, nowMs, waitLeftMs } = request;
  const lastTick = layout.tickCount - 1;
  const waitTick = Math.min(lastTick, tickAt(layout, nowMs + waitLeftMs));
  if (capacityOf(layout, windows, tick, waitTick) >= count) return undefined;
  if (capacityOf(layout, windows, tick, lastTick) < count) return exhausted(layout, state);
  const closed = windows.every(({ start, open }) => start >= open);
  const opensTick = closed ? nearestTick(windows) : tick;
  const retryTick = retryTickFor(layout, policy, windows, opensTick, count);
  const retryAfterMs = Math.max(1, tickStartMs(layout, retryTick) - nowMs);
  // Demand alone closes a line by no more than one tick; longer, and the clock is to blame.
  const refusal: Refusal =
    opensTick > tick + 1
      ? {
          code: "clock_behind",
          detail: `The clock is behind the IDs already issued; the line opens again in ${retryAfterMs} ms.`,
          retryAfterMs,
        }
      : {
          code: "shard_saturated",
          detail: `The shard has no room for ${count} more IDs within its wait; try again in ${retryAfterMs} ms.`,
          retryAfterMs,
        };
  return { kind: "refused", state, refusal };
}

/**
 * The first tick from `opensTick` on in which a call for count, waiting as long as it may, is served: bisected.
 * `opensTick` itself for a count that not even an idle line would serve.
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

function nearestTick(windows: readonly LaneWindow[]): number {
  return Math.min(...windows.map(({ opensTick }) => opensTick));
}

function beforeEpoch(layout: Layout, state: LineState, nowMs: number): Outcome {
  const detail = `The clock (unix ms ${nowMs}) is before the layout's epoch (${layout.epochMs}).`;
  return { kind: "refused", state, refusal: { code: "clock_before_epoch", detail } };
}

function exhausted(layout: Layout, state: LineState): Outcome {
  const detail = `The layout's last tick is ${layout.tickCount - 1}: too few positions are left on its line.`;
  return { kind: "refused", state, refusal: { code: "timestamp_exhausted", detail } };
}

function disagreement(state: LineState, { nowMs, callerNowMs }: StepRequest): Outcome {
  const aheadMs = nowMs - callerNowMs;
  return {
    kind: "refused",
    state,
    refusal: {
      code: "clock_disagreement",
      detail: `The shard's clock is ${aheadMs} ms ahead of its caller's: too far to get into a mark.`,
      retryAfterMs: CLOCK_DISAGREEMENT_RETRY_MS,
    },
  };
}
