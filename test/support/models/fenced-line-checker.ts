/**
 * A fenced line in a test: asks it for runs, and holds each answer against the invariants of core/line/fenced-line, by a
 * reckoning of its own that knows only the granted positions, the clock and the policy.
 */

import type { Layout } from "../../../src/core/layout/layout.ts";
import type { Policy } from "../../../src/core/layout/policy.ts";
import { fencedLine, nextRun } from "../../../src/core/line/fenced-line.ts";
import type { LineState } from "../../../src/core/line/line.ts";

export class FencedLineChecker {
  readonly #layout: Layout;
  readonly #policy: Policy;
  readonly #begin: number;
  /** The position after the last granted one, of each lane. */
  readonly #used: number[];
  #end: number;
  #state: LineState;
  #nowMs: number;
  /** Ticks that the clock was seen to go back, the lead at the start included: all that may be forgiven. */
  #seenBackTicks: number | undefined;
  #lastTick = 0;

  constructor(
    layout: Layout,
    policy: Policy,
    nowMs: number,
    fence: { readonly aheadTicks: number; readonly lastsTicks: number; readonly part: number },
  ) {
    this.#layout = layout;
    this.#policy = policy;
    this.#nowMs = nowMs;
    const { sequenceCount } = layout;
    const first = Math.floor(fence.part * sequenceCount);
    this.#begin = (this.#tick() + fence.aheadTicks) * sequenceCount + first;
    this.#end = this.#begin + fence.lastsTicks * sequenceCount;
    this.#state = fencedLine(layout, this.#begin);
    this.#used = Array.from({ length: layout.laneCount }, () => this.#begin);
  }

  moveClock(ms: number): void {
    const { epochMs, tickCount, tickMs } = this.#layout;
    const endMs = epochMs + tickCount * tickMs;
    this.#nowMs = Math.max(epochMs - 5, Math.min(endMs + 5, this.#nowMs + ms));
  }

  /** Moves the fence's end up. */
  raise(ticks: number): void {
    this.#end += ticks * this.#layout.sequenceCount;
  }

  /** Asks once; how many positions came. */
  ask(count: number, random: number): number {
    this.#seeClock();
    const request = { nowMs: this.#nowMs, count, random };
    const before = this.#state;
    const outcome = nextRun(this.#layout, this.#policy, before, this.#end, request);
    this.#state = outcome.state;
    if (outcome.kind === "run") {
      this.#take(outcome.run, count);
      return outcome.run.end - outcome.run.start;
    }
    check(!this.#isSurelyOpen(), `F4 ${outcome.kind} although a fresh tick is open`);
    if (outcome.kind === "fenced") {
      check(this.#isUsedUp(random), "F4 fenced although something is left below the fence");
      return 0;
    }
    const { waitMs } = outcome;
    check(Number.isInteger(waitMs) && waitMs >= 1, "F4 a wait of whole ms");
    this.#checkWait(outcome.state, waitMs);
    return 0;
  }

  /**
   * Not before the wait is over does the line open, and then it does; of lanes that are for a clock that went back,
   * another one may be the clock's by then, and be used up: at most once a lane.
   */
  #checkWait(state: LineState, waitMs: number): void {
    const after = (ms: number) => {
      const request = { nowMs: this.#nowMs + ms, count: 1, random: 0 };
      return nextRun(this.#layout, this.#policy, state, this.#end, request);
    };
    check(after(waitMs - 1).kind === "wait", "F4 it does not open sooner");
    const { laneUse, laneCount } = this.#layout;
    let waitsLeft = laneUse === "back" ? laneCount : 1;
    let waitedMs = waitMs;
    for (let next = after(waitedMs); next.kind === "wait"; next = after(waitedMs)) {
      waitsLeft -= 1;
      check(waitsLeft > 0, "F4 after the wait it opens");
      waitedMs += next.waitMs;
    }
  }

  #take(
    { lane, start, end }: { readonly lane: number; readonly start: number; readonly end: number },
    count: number,
  ): void {
    const { sequenceCount, lineEnd, laneCount, tickMs } = this.#layout;
    const isLane = Number.isInteger(lane) && lane >= 0 && lane < laneCount;
    check(isLane && Number.isInteger(start) && Number.isInteger(end), "whole positions of a lane");
    check(this.#begin <= start && start < end && end <= this.#end, "F1 inside the fence");
    check(end <= lineEnd, "F1 on the line");
    check(start >= (this.#used[lane] ?? Number.NaN), "F2 above all before it, on its lane");
    const tick = Math.floor(start / sequenceCount);
    check(tick === Math.floor((end - 1) / sequenceCount), "F3 within one tick");
    check(end - start <= count, "no more than asked for");
    const isLast = lane === laneCount - 1;
    const forgivenMs = Math.min(this.#policy.maxStepBackMs, (this.#seenBackTicks ?? 0) * tickMs);
    const leadMs = (tick - this.#tick()) * tickMs;
    const mostMs = isLast ? this.#policy.maxBorrowMs + forgivenMs : 0;
    check(leadMs <= mostMs, "leads the clock by no more than it may");
    this.#used[lane] = end;
  }

  /** Whether the clock's tick is unused on every lane, and lies below the fence wherever it may start. */
  #isSurelyOpen(): boolean {
    const { sequenceCount, lineEnd } = this.#layout;
    const start = this.#tick() * sequenceCount;
    const highest = start + Math.max(0, this.#policy.randomStart - 1);
    return this.#used.every((used) => used <= start) && highest < Math.min(this.#end, lineEnd);
  }

  /** Whether no lane in use has a position left that the clock, or a later one, may start at. */
  #isUsedUp(random: number): boolean {
    const { sequenceCount, lineEnd, laneUse } = this.#layout;
    const end = Math.min(this.#end, lineEnd);
    const tickStart = this.#tick() * sequenceCount;
    const fresh = tickStart + Math.floor(random * this.#policy.randomStart);
    const left = this.#used.filter((used) => (tickStart >= used ? fresh : used) < end);
    // With lanes for a clock that went back, the first lane that does not lead the clock decides alone.
    return left.length === 0 || (laneUse === "back" && left.length < this.#used.length);
  }

  #seeClock(): void {
    const tick = this.#tick();
    const last = this.#layout.laneCount - 1;
    const leadTicks = Math.floor((this.#used[last] ?? 0) / this.#layout.sequenceCount) - tick;
    this.#seenBackTicks =
      this.#seenBackTicks === undefined
        ? Math.max(0, leadTicks)
        : this.#seenBackTicks + Math.max(0, this.#lastTick - tick);
    this.#lastTick = tick;
  }

  #tick(): number {
    const { epochMs, tickMs } = this.#layout;
    return Math.floor((this.#nowMs - epochMs) / tickMs);
  }
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(`broken: ${what}`);
}
