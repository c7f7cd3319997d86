/**
 * The number line: the one state machine that every ID comes from.
 *
 * A lane is a line of positions: tick × 2^S + sequence, with S bits of sequence (2^S is `sequenceCount`). An ID is made
 * from its shard, lane and position, one ID from each. tick(time) counts ticks since the epoch (`tickAt`), and
 * tick(position) = floor(position / 2^S). Positions are whole numbers ≤ 2^53, so a number holds them exactly. Policy
 * values are ≥ 0. A grant is an interval [start, end) of a lane. No later grant of the lane starts below its `next`:
 *
 *   lead     = max(0, tick(next) − tick(now)), of the last lane
 *   stepBack = max(0, tick(lastNow) − tick(now)); at the first step after a start: lead
 *   forgiven = min(forgiven before + stepBack, lead); 0 at a start
 *   open     = (tick(now) + maxBorrowTicks + min(forgiven, maxStepBackTicks) + 1) × 2^S, at most the line's end
 *   start    = tick(now) × 2^S + a random offset if that tick is fresh (tick(now) × 2^S ≥ next); otherwise next
 *   end      = min(start + count, open)
 *
 *   If end > start, grant [start, end) and set next = end.
 *   Otherwise the lane is closed until the clock has moved `open` past `start`.
 *
 * Sequence exhaustion and a clock that went back both put the line ahead of the clock, so one rule handles both. Only
 * the last lane may grant ahead of the clock: on the others maxBorrowTicks and forgiven are 0.
 *
 * No ID is granted twice, because every grant lies below a mark that was on disk before the grant left the shard, and a
 * restarted line starts at its mark. Labels in the code name the lines that keep an invariant:
 *  L1 Grants of a lane are disjoint and increase: start ≥ next, and next becomes end.
 *  L2 A grant's end is at most its lane's mark, and the mark is on disk before the grant leaves. A mark never falls.
 *  L3 A restarted line starts at its marks: above every earlier grant, by L2. Its first grant on a lane needs a raise, by
 *     compare-and-set: if two lines start at the same mark, only one gets past it.
 *  L4 A granted position leads the clock by at most maxBorrowTicks + maxStepBackTicks on the last lane, by 0 on others.
 *  L5 Grants stay on the line: 0 ≤ start < end ≤ lineEnd = 2^(timestampBits + S), and end − start ≤ count.
 *  L6 If the clock has reached the tick of `next` on every lane, before the line's end, one more ID is granted at once.
 *  L7 A wait is at most waitLeftMs, and ends in a later tick: a call ends even if the clock is frozen.
 *  L8 No mark is raised while this clock is over CLOCK_DISAGREEMENT_MAX_MS ahead of the client's.
 *
 * The shard (objects/shard) has these duties:
 *  - Step from the state of the step before. Step and store in one synchronous turn, and keep the state of a grant
 *    before the next step, with or without a raise.
 *  - If an outcome has a `raise`, store it by compare-and-set on `raise.from` before the state is kept. If the write
 *    fails, keep the old state; if the stored mark is another one, end this instance.
 *  - Release no grant before every earlier raise is on disk.
 *  - Subtract each wait from waitLeftMs. Assert `breachOf` before each reply.
 *  - After a start, call `startLine` with the stored marks.
 *
 * Pure: clock, randomness and storage are arguments or duties.
 */
import type { Grant } from "../blocks/block.ts";
import { type Layout, tickAt, tickStartMs } from "../layout/layout.ts";
import type { Policy } from "../layout/policy.ts";
import { CLOCK_DISAGREEMENT_MAX_MS, RESERVE_PAST_END_DIVISOR } from "../limits.ts";
import type { Refusal } from "../refusal.ts";
import { firstToOpen, type LaneWindow, lanesInUse } from "./lanes.ts";
import { beforeEpoch, clockDisagreement, lineExhausted, shortage } from "./line-refusal.ts";

/** One lane: no later grant starts below `next`, and none ends above `mark`. */
export interface Lane {
  readonly next: number;
  readonly mark: number;
}

export interface LineState {
  readonly lanes: readonly Lane[];
  /** The clock's tick at the last step; undefined before the first step since the start. */
  readonly lastTick: number | undefined;
  /** Ticks of the last lane's lead that the line excuses as steps back of the clock. */
  readonly forgivenTicks: number;
}

/** The part of a request that decides the lane and the first position. */
export interface LaneChoice {
  /** True for strict order: from lane to lane, IDs do not increase. */
  readonly lastLaneOnly: boolean;
  /** In [0, 1): a fresh tick begins at the sequence floor(random × randomStart). */
  readonly random: number;
}

export interface StepRequest extends LaneChoice {
  /** This shard's clock, read for this step. */
  readonly nowMs: number;
  /** The client's clock, read just before its call. */
  readonly callerNowMs: number;
  /** Number of IDs still to grant, ≥ 1. */
  readonly count: number;
  /** The rest of maxWaitMs for this call. */
  readonly waitLeftMs: number;
}

/** The lane's mark must be on disk at `to`, replacing `from`, before the grant may leave. */
export interface Raise {
  readonly lane: number;
  readonly from: number;
  readonly to: number;
}

export interface Granted {
  readonly kind: "granted";
  readonly state: LineState;
  readonly grant: Grant;
  /** Ticks from the clock to the grant's last position, ≥ 0. */
  readonly leadTicks: number;
  readonly raise?: Raise;
}

export type Outcome =
  | Granted
  | { readonly kind: "wait"; readonly state: LineState; readonly waitMs: number }
  | { readonly kind: "refused"; readonly state: LineState; readonly refusal: Refusal };

/**
 * One step: grants the open positions of one lane, up to count, or tells how long to wait, or refuses.
 * A grant may be smaller than count: step again for the rest, from the new state. If the outcome has a `raise`,
 * keep its state only after the raise is stored.
 */
export function step(
  layout: Layout,
  policy: Policy,
  before: LineState,
  request: StepRequest,
): Outcome {
  const tick = tickAt(layout, request.nowMs);
  const refuse = (refusal: Refusal, state = before): Outcome => ({
    kind: "refused",
    state,
    refusal,
  });
  if (tick < 0) return refuse(beforeEpoch(layout, request.nowMs));
  if (tick >= layout.tickCount) return refuse(lineExhausted(layout));
  const state = observeClock(layout, before, tick);
  const windows = windowsInUse(layout, policy, state, tick, request);
  // A count that can't open within waitLeftMs is refused.
  const short = shortage(layout, policy, windows, tick, request);
  if (short) return refuse(short, state); // L7
  const window = windows.find(({ open, start }) => open > start);
  if (!window) {
    const waitMs = tickStartMs(layout, firstToOpen(windows).opensTick) - request.nowMs;
    return { kind: "wait", state, waitMs };
  }
  const { lane, start, open, mark } = window;
  const end = Math.min(start + request.count, open); // L4 L5
  const to = end > mark ? markFor(layout, policy, tick, end) : mark; // L2
  const aheadMs = request.nowMs - request.callerNowMs;
  if (to > mark && aheadMs > CLOCK_DISAGREEMENT_MAX_MS) {
    return refuse(clockDisagreement(aheadMs), state); // L8
  }
  return {
    kind: "granted",
    state: { ...state, lanes: state.lanes.with(lane, { next: end, mark: to }) }, // L1
    grant: { lane, start, end },
    leadTicks: Math.max(0, Math.floor((end - 1) / layout.sequenceCount) - tick),
    ...(to > mark && { raise: { lane, from: mark, to } }), // L2
  };
}

/** Updates the state for the clock: a step back adds to `forgivenTicks`, catching up reduces it. */
export function observeClock(layout: Layout, state: LineState, tick: number): LineState {
  const next = state.lanes.at(-1)?.next ?? 0;
  const leadTicks = Math.max(0, Math.floor(next / layout.sequenceCount) - tick);
  const stepBackTicks =
    state.lastTick === undefined ? leadTicks : Math.max(0, state.lastTick - tick);
  const forgivenTicks = Math.min(state.forgivenTicks + stepBackTicks, leadTicks);
  return { lanes: state.lanes, lastTick: tick, forgivenTicks };
}

/** The windows that a step at `tick` may grant from, in order of preference. */
export function windowsInUse(
  layout: Layout,
  policy: Policy,
  state: LineState,
  tick: number,
  { lastLaneOnly, random }: LaneChoice,
): readonly LaneWindow[] {
  const { sequenceCount, tickMs, lineEnd } = layout;
  const maxStepBackTicks = Math.floor(policy.maxStepBackMs / tickMs);
  const freshStart = tick * sequenceCount;
  const windows = state.lanes.map(({ next, mark }, lane): LaneWindow => {
    const isLast = lane === state.lanes.length - 1;
    const borrowTicks = isLast ? Math.floor(policy.maxBorrowMs / tickMs) : 0; // L4
    const forgivenTicks = isLast ? Math.min(state.forgivenTicks, maxStepBackTicks) : 0; // L4
    const offset = Math.floor(random * policy.randomStart);
    const start = freshStart >= next ? freshStart + offset : next; // L1
    const open = Math.min((tick + borrowTicks + forgivenTicks + 1) * sequenceCount, lineEnd); // L4 L5
    const startTick = Math.floor(start / sequenceCount);
    const opensTick =
      start >= lineEnd ? Number.POSITIVE_INFINITY : startTick - borrowTicks - forgivenTicks;
    return { lane, mark, start, open, opensTick, borrowTicks, forgivenTicks };
  });
  // lanesInUse selects some and changes none. Any selection is safe: each window keeps L1, L4 and L5.
  return lanesInUse(layout, windows, lastLaneOnly);
}

/**
 * The lane's new mark, for a grant that passes the old one. The reserve is reserveMs, at least a tick: with less, a long
 * tick would cost many writes. The mark is the clock's tick + the reserve, or `end` + a part of the reserve if that is
 * further. If it counted from `end` alone, each restart would move the line further ahead.
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
  const pastEnd = end + Math.ceil(reserve / RESERVE_PAST_END_DIVISOR); // L2: no less than end
  return Math.min(layout.lineEnd, Math.max(pastClock, pastEnd)); // L2: end ≤ lineEnd, by L5
}

/** The state of a line that starts from these stored marks, one per lane; 0 for a lane without a mark. */
export function startLine(marks: readonly number[]): LineState {
  const lanes = marks.map((mark) => ({ next: mark, mark })); // L3
  return { lanes, lastTick: undefined, forgivenTicks: 0 };
}

/** The part of L1 or L2 that an outcome breaks; undefined if none. */
export function breachOf(before: LineState, { state, grant, raise }: Granted): string | undefined {
  const { lane, start, end } = grant;
  const [old, now] = [before.lanes[lane], state.lanes[lane]];
  if (!old || !now) return `lane ${lane} is not on this line`;
  const isWhole = Number.isInteger(start) && Number.isInteger(end);
  if (!isWhole || start < old.next || end <= start)
    return `L1 [${start}, ${end}) after ${old.next}`;
  if (now.next !== end) return `L1 ${now.next} is next after [${start}, ${end})`;
  if (end > now.mark) return `L2 [${start}, ${end}) above the mark ${now.mark}`;
  const isRaised = raise?.lane === lane && raise.from === old.mark && raise.to === now.mark;
  if (raise ? !isRaised || raise.to <= raise.from : now.mark !== old.mark) {
    return `L2 the mark ${old.mark} became ${now.mark}`;
  }
  return undefined;
}
