/**
 * A shard in memory for model tests: the real state machine, durable marks as a storage would keep
 * them, and a clock that anything may happen to. It keeps every grant and checks the line's
 * invariants (core/line/line) on each.
 */
import { type Block, blocksOf, type Grant } from "../../../src/core/blocks/block.ts";
import { decompose } from "../../../src/core/layout/id.ts";
import { type Layout, tickAt } from "../../../src/core/layout/layout.ts";
import type { Policy } from "../../../src/core/layout/policy.ts";
import { CLOCK_DISAGREEMENT_MAX_MS } from "../../../src/core/limits.ts";
import {
  type LineState,
  type Outcome,
  type Raise,
  startLine,
  step,
} from "../../../src/core/line/line.ts";

export interface SimulatedCall {
  readonly count: number;
  readonly strict: boolean;
  /** The caller's clock against the shard's, ms. */
  readonly callerSkewMs: number;
  /** The part of each wait that the clock moves on: 0 is a frozen clock. */
  readonly clockMoves: 0 | 1 | 3;
  readonly random: number;
  /** The process dies between the write of a mark and the answer. */
  readonly diesAfterWrite: boolean;
}

export class LineSimulator {
  readonly #layout: Layout;
  readonly #policy: Policy;
  readonly #workerId: number;
  readonly #grants: Grant[] = [];
  readonly #durableMarks: number[];
  /** Two instances of one shard may be alive on one storage. */
  readonly #instances: LineState[];
  /** Ticks that each instance has seen the clock go back, its lead at the start included: all it may forgive. */
  readonly #seenBackTicks = [0, 0];
  nowMs: number;

  constructor(layout: Layout, policy: Policy, workerId: number, nowMs: number) {
    this.#layout = layout;
    this.#policy = policy;
    this.#workerId = workerId;
    this.nowMs = nowMs;
    this.#durableMarks = Array.from({ length: layout.laneCount }, () => 0);
    this.#instances = [startLine(this.#durableMarks), startLine(this.#durableMarks)];
  }

  restart(instance: number): void {
    this.#instances[instance] = startLine(this.#durableMarks);
  }

  /** Runs a call to its end, as the object does; the outcome that ended it. */
  call(instance: number, call: SimulatedCall): "answered" | "died" | "refused" | "superseded" {
    let missing = call.count;
    let waitedMs = 0;
    for (let turns = 0; ; turns += 1) {
      // Between two waits of 1 ms or more, each lane grants once at most.
      const mostTurns = (this.#policy.maxWaitMs + 1) * (this.#layout.laneCount + 1);
      check(turns < mostTurns, "L7 the call ends");
      const waitLeftMs = this.#policy.maxWaitMs - waitedMs;
      const before = this.#stateOf(instance);
      this.#seeClock(instance, before);
      const outcome = step(this.#layout, this.#policy, before, {
        nowMs: this.nowMs,
        callerNowMs: this.nowMs + call.callerSkewMs,
        count: missing,
        waitLeftMs,
        lastLaneOnly: call.strict,
        random: call.random,
      });
      if (outcome.kind === "refused") {
        this.#instances[instance] = outcome.state;
        return "refused";
      }
      if (outcome.kind === "wait") {
        check(outcome.waitMs >= 1 && outcome.waitMs <= waitLeftMs, "L7 wait within the budget");
        this.#instances[instance] = outcome.state;
        waitedMs += outcome.waitMs;
        this.nowMs += outcome.waitMs * call.clockMoves;
        continue;
      }
      if (outcome.raise && !this.#raise(outcome.raise, call)) {
        this.restart(instance);
        return "superseded";
      }
      if (outcome.raise && call.diesAfterWrite) {
        this.restart(instance);
        return "died";
      }
      this.#take(instance, before, outcome, missing, call);
      this.#instances[instance] = outcome.state;
      missing -= outcome.grant.end - outcome.grant.start;
      if (missing === 0) return "answered";
    }
  }

  /** The ms at which the clock has reached the tick of every lane's next position. */
  caughtUpMs(): number {
    const nexts = this.#instances.flatMap(({ lanes }) => lanes.map(({ next }) => next));
    const tick = Math.floor(Math.max(...nexts, ...this.#durableMarks) / this.#layout.sequenceCount);
    return this.#layout.epochMs + tick * this.#layout.tickMs;
  }

  #raise(raise: Raise, call: SimulatedCall): boolean {
    check(-call.callerSkewMs <= CLOCK_DISAGREEMENT_MAX_MS, "L8 no wild clock in a mark");
    check(raise.to > raise.from, "L2 a mark never falls");
    if (this.#durableMarks[raise.lane] !== raise.from) return false;
    this.#durableMarks[raise.lane] = raise.to;
    return true;
  }

  /** Counts what the clock went back since this instance last looked, independently of the line's own reckoning. */
  #seeClock(instance: number, { lanes, lastTick }: LineState): void {
    const tick = tickAt(this.#layout, this.nowMs);
    if (tick < 0 || tick >= this.#layout.tickCount) return;
    const nextTick = Math.floor((lanes.at(-1)?.next ?? 0) / this.#layout.sequenceCount);
    const seen = this.#seenBackTicks[instance] ?? 0;
    this.#seenBackTicks[instance] =
      lastTick === undefined ? Math.max(0, nextTick - tick) : seen + Math.max(0, lastTick - tick);
  }

  #take(
    instance: number,
    before: LineState,
    outcome: Extract<Outcome, { kind: "granted" }>,
    count: number,
    call: SimulatedCall,
  ): void {
    const { grant } = outcome;
    const { lane, start, end } = grant;
    const { lineEnd, sequenceCount, tickMs, laneCount } = this.#layout;
    check(start >= (before.lanes[lane]?.next ?? Number.NaN), "L1 starts at next or later");
    check(outcome.state.lanes[lane]?.next === end, "L1 next becomes end");
    for (const other of this.#grants) {
      const apart = other.lane !== lane || other.end <= start || other.start >= end;
      check(apart, "L1 grants of a lane are disjoint");
    }
    check(end <= (this.#durableMarks[lane] ?? Number.NaN), "L2 below the durable mark");
    const leadTicks = Math.floor((end - 1) / sequenceCount) - tickAt(this.#layout, this.nowMs);
    const { maxBorrowMs, maxStepBackMs } = this.#policy;
    const isLast = lane === laneCount - 1;
    const seenBackTicks = this.#seenBackTicks[instance] ?? 0;
    const forgivenTicks = Math.min(Math.floor(maxStepBackMs / tickMs), seenBackTicks);
    const most = isLast ? Math.floor(maxBorrowMs / tickMs) + forgivenTicks : 0;
    check(leadTicks <= most, "L4 lead within the policy");
    check(start >= 0 && start < end && end <= lineEnd && end - start <= count, "L5 on the line");
    check(isLast || !call.strict, "strict order uses the last lane only");
    this.#grants.push(grant);
    for (const block of blocksOf(this.#layout, this.#workerId, [grant]))
      this.#checkIds(block, lane);
  }

  #checkIds({ first, count }: Block, lane: number): void {
    const low = decompose(this.#layout, first);
    const high = decompose(this.#layout, first + BigInt(count) - 1n);
    check(low?.shard === this.#workerId && high?.shard === this.#workerId, "the worker's bits");
    check(low?.lane === lane && high?.lane === lane, "the lane's bits");
    check(low?.tick === high?.tick, "one block per tick");
  }

  #stateOf(instance: number): LineState {
    const state = this.#instances[instance];
    if (!state) throw new RangeError(`there is no instance ${instance}`);
    return state;
  }
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(`broken: ${what}`);
}
