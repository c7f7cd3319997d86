/** The line of a minter: issues the runs of a fenced line (core/line/fenced-line), one ID at a time. */
import { DecimalRun } from "../core/blocks/decimal-run.ts";
import { compose } from "../core/layout/id.ts";
import { type Layout, tickAt } from "../core/layout/layout.ts";
import type { Policy } from "../core/layout/policy.ts";
import { fencedLine, nextRun } from "../core/line/fenced-line.ts";
import { idleCapacity } from "../core/line/lanes.ts";
import type { LineState } from "../core/line/line.ts";

/** Why no ID can be stamped now. `fenced`: the line is at the end of the lease, or at the mark in its store. */
export type Closed =
  | { readonly kind: "wait"; readonly waitMs: number }
  | { readonly kind: "fenced" };

/** A run of IDs. */
export interface Stamped {
  readonly first: bigint;
  readonly count: number;
}

const NO_TEXTS = new DecimalRun(0n);

export class MintLine {
  readonly #layout: Layout;
  #policy: Policy;
  readonly #worker: number;
  #state: LineState;
  #end: number;
  /** The run in use: its IDs from #offset on are not issued yet. */
  #first = 0n;
  #texts = NO_TEXTS;
  #offset = 0;
  #count = 0;
  #tick = -1;

  /** Stamps positions from `begin` on, below `end`. */
  constructor(layout: Layout, policy: Policy, worker: number, begin: number, end: number) {
    this.#layout = layout;
    this.#policy = policy;
    this.#worker = worker;
    this.#state = fencedLine(layout, begin);
    this.#end = end;
  }

  /** The position after the last one stamped on any lane. */
  get unstamped(): number {
    return Math.max(...this.#state.lanes.map(({ next }) => next));
  }

  get end(): number {
    return this.#end;
  }

  /** Replaces the policy. */
  follow(policy: Policy): void {
    this.#policy = policy;
  }

  /** Moves the end up; never down. */
  raiseEnd(end: number): void {
    this.#end = Math.max(this.#end, end);
  }

  /** The next ID of the run in use, as decimal text; undefined if the run is used up. */
  nextText(): string | undefined {
    if (this.#offset >= this.#count) return undefined;
    const text = this.#texts.at(this.#offset);
    this.#offset += 1;
    return text;
  }

  /** The next ID of the run in use, as bigint; undefined if the run is used up. */
  nextId(): bigint | undefined {
    if (this.#offset >= this.#count) return undefined;
    this.#offset += 1;
    return this.#first + BigInt(this.#offset - 1);
  }

  /** Opens a run that fits the clock, or returns why it can't. The rest of a run of an older tick is skipped. */
  advance(nowMs: number): Closed | undefined {
    if (this.#isCurrent(nowMs)) return undefined;
    const found = this.#run(this.#state, nowMs, Number.POSITIVE_INFINITY);
    this.#state = found.state;
    if (found.kind !== "run") return found;
    this.#first = found.stamped.first;
    this.#texts = new DecimalRun(found.stamped.first);
    this.#offset = 0;
    this.#count = found.stamped.count;
    this.#tick = found.tick;
    return undefined;
  }

  /** The most IDs of one `take`: an idle line can always open that many without waiting. */
  get takeMax(): number {
    return idleCapacity(this.#layout, { ...this.#policy, maxWaitMs: 0 }, false);
  }

  /** Stamps `count` IDs, at most takeMax: all of them, or none and returns why. */
  take(nowMs: number, count: number): Closed | readonly Stamped[] {
    const used = this.#isCurrent(nowMs) ? Math.min(count, this.#count - this.#offset) : 0;
    const runs: Stamped[] = [];
    if (used > 0) runs.push({ first: this.#first + BigInt(this.#offset), count: used });
    let state = this.#state;
    for (let missing = count - used; missing > 0; ) {
      const found = this.#run(state, nowMs, missing);
      if (found.kind !== "run") return found;
      state = found.state;
      runs.push(found.stamped);
      missing -= found.stamped.count;
    }
    this.#state = state;
    // The rest of a run that the clock has passed would sort before these.
    this.#offset = used > 0 ? this.#offset + used : this.#count;
    return runs;
  }

  /** Whether the run in use has IDs left, and none older than the clock. */
  #isCurrent(nowMs: number): boolean {
    return this.#offset < this.#count && this.#tick >= tickAt(this.#layout, nowMs);
  }

  #run(before: LineState, nowMs: number, count: number) {
    const request = { nowMs, count, random: Math.random() };
    const outcome = nextRun(this.#layout, this.#policy, before, this.#end, request);
    if (outcome.kind !== "run") return outcome;
    const { lane, start, end } = outcome.run;
    const tick = Math.floor(start / this.#layout.sequenceCount);
    const sequence = start - tick * this.#layout.sequenceCount;
    const first = compose(this.#layout, { tick, shard: this.#worker, lane, sequence });
    return { ...outcome, tick, stamped: { first, count: end - start } };
  }
}
