/**
 * The shard: the Durable Object that owns one worker ID of one namespace.
 *
 * It keeps the line (core/line) durable. Invariants, on top of the line's own:
 *  S1 A grant leaves only below a mark that the storage call took before it: write, then memory, then reply.
 *     The platform's output gate holds the reply until that write is on disk.
 *  S2 Marks are written by compare-and-set, so of two instances alive at once only one gets past its mark;
 *     the other aborts. Each grant reads its mark back, so that the other does so at once.
 *  S3 A start trusts the stored marks only.
 *  S4 Read, step and write happen with no await between them.
 *  S5 One layout for ever: a call with another one is refused and granted nothing.
 *  S6 A call waits at most maxWaitMs, counted in waits asked for, so it ends though the clock stands still.
 *  S7 An instance whose clock is found to stand still (core/standstill) ends; the next reads the true clock.
 *     While it only may, nobody is made to wait: a wait is reckoned from that clock and would take too long.
 */
import { DurableObject } from "cloudflare:workers";
import type { Grant } from "../core/block.ts";
import type { Refusal, RefusalCode } from "../core/errors.ts";
import { type LineState, startLine } from "../core/lanes.ts";
import { type Layout, tickAt } from "../core/layout.ts";
import { type Outcome, type Raise, step } from "../core/line.ts";
import type { Policy } from "../core/policy.ts";
import { type ClockPair, isAhead, observePair, standsStill } from "../core/standstill.ts";
import { type Counters, countersOf } from "./counters.ts";
import { parseLineSpec } from "./line-spec.ts";
import { workerIdOf } from "./shard-name.ts";
import { ShardStorage } from "./shard-storage.ts";

/** On a refusal, `granted`: IDs that this call was granted before, now a gap; `waitedMs`: waits asked for. */
export type GrantReply =
  | { readonly ok: true; readonly shard: number; readonly grants: readonly Grant[] }
  | {
      readonly ok: false;
      readonly shard: number;
      readonly refusal: Refusal;
      readonly granted: number;
      readonly waitedMs: number;
    };

export interface GrantCall {
  /** The namespace's layout and policy as JSON, see line-spec. */
  readonly lineSpec: string;
  /** IDs wanted, ≥ 1. */
  readonly count: number;
  /** Use the last lane only, so that the answers of one shard strictly increase. */
  readonly strict: boolean;
  /** Wait no longer than this, nor than maxWaitMs, in ms. */
  readonly waitLeftMs: number;
  /** The caller's Date.now(), read just before the call. */
  readonly callerNowMs: number;
}

export interface ShardStatus {
  readonly shard: number;
  /** The shard's clock, unix ms. */
  readonly nowMs: number;
  readonly lanes: readonly {
    readonly lane: number;
    readonly next: number;
    readonly mark: number;
    readonly leadTicks: number;
  }[];
  readonly counters: Counters & { readonly refusals: Partial<Record<RefusalCode, number>> };
}

export type StatusReply =
  | { readonly ok: true; readonly status: ShardStatus }
  | { readonly ok: false; readonly refusal: Refusal };

/** The line as this instance knows it: one value, replaced as a whole. */
interface OpenLine {
  readonly lineSpec: string;
  readonly layout: Layout;
  readonly policy: Policy;
  readonly state: LineState;
}

type Opened =
  | { readonly ok: true; readonly line: OpenLine }
  | { readonly ok: false; readonly refusal: Refusal };

export class Shard extends DurableObject<Env> {
  readonly #workerId: number;
  readonly #storage: ShardStorage;
  #line: OpenLine | undefined;
  #clocks: ClockPair | undefined;
  #counters: Counters = countersOf([]);
  #refusals: Partial<Record<RefusalCode, number>> = {};

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#workerId = workerIdOf(ctx.id.name);
    this.#storage = new ShardStorage(ctx.storage.sql);
  }

  /** Grants `count` positions, in one or more intervals; waits or refuses as the policy says. */
  async grant(asked: GrantCall): Promise<GrantReply> {
    const arrival: ClockPair = { ownMs: Date.now(), callerMs: asked.callerNowMs };
    this.#endIfStandingStill(arrival);
    const call = isAhead(arrival) ? { ...asked, waitLeftMs: 0 } : asked;
    const grants: Grant[] = [];
    let missing = call.count;
    let waitedMs = 0;
    for (;;) {
      // Opened anew after each wait: another call may have replaced the line meanwhile.
      const opened = this.#open(call.lineSpec);
      if (!opened.ok) return this.#refuse(opened.refusal, call.count - missing, waitedMs);
      const outcome = this.#step(opened.line, call, missing, waitedMs);
      if (outcome.kind === "refused") {
        return this.#refuse(outcome.refusal, call.count - missing, waitedMs);
      }
      if (outcome.kind === "wait") {
        waitedMs += outcome.waitMs;
        this.#counters.waits += 1;
        await scheduler.wait(outcome.waitMs);
        continue;
      }
      grants.push(outcome.grant);
      missing -= outcome.grant.end - outcome.grant.start;
      if (missing === 0) return { ok: true, shard: this.#workerId, grants };
    }
  }

  /** What an operator needs to see of this shard. Writes nothing. */
  status(lineSpec: string): StatusReply {
    const opened = this.#open(lineSpec);
    if (!opened.ok) return opened;
    const { layout, state } = opened.line;
    const nowMs = Date.now();
    const nowTick = tickAt(layout, nowMs);
    const lanes = state.lanes.map(({ next, mark }, lane) => {
      const leadTicks = Math.max(0, Math.floor(next / layout.sequenceCount) - nowTick);
      return { lane, next, mark, leadTicks };
    });
    const counters = { ...this.#counters, refusals: this.#refusals };
    return { ok: true, status: { shard: this.#workerId, nowMs, lanes, counters } };
  }

  /** One clock reading, one step, one write at most, and only then memory (S1, S4). */
  #step(line: OpenLine, call: GrantCall, count: number, waitedMs: number): Outcome {
    const outcome = step(line.layout, line.policy, line.state, {
      nowMs: Date.now(),
      callerNowMs: call.callerNowMs,
      count,
      waitLeftMs: Math.max(0, Math.min(line.policy.maxWaitMs, call.waitLeftMs) - waitedMs),
      lastLaneOnly: call.strict,
      random: Math.random(),
    });
    const wentBack = (line.state.lastTick ?? 0) > (outcome.state.lastTick ?? 0);
    const counters = { ...this.#counters };
    if (wentBack) counters.rollbacks += 1;
    if (outcome.kind === "granted") {
      counters.grants += 1;
      counters.issued += outcome.grant.end - outcome.grant.start;
      counters.maxLeadTicks = Math.max(counters.maxLeadTicks, outcome.leadTicks);
      if (outcome.raise) {
        counters.writes += 1;
        this.#raise(line.layout, outcome.raise, counters);
      }
      this.#confirm(outcome.grant.lane, outcome.state);
    }
    this.#line = { ...line, state: outcome.state };
    this.#counters = counters;
    return outcome;
  }

  #raise(layout: Layout, raise: Raise, counters: Counters): void {
    const claimed = raise.from > 0 || this.#storage.claim(layout.fingerprint);
    if (!claimed || !this.#storage.raise(raise, JSON.stringify(counters))) this.#superseded();
  }

  /** An instance that another has superseded fails before it answers: its IDs would fall behind the other's. */
  #confirm(lane: number, state: LineState): void {
    if (this.#storage.mark(lane) !== state.lanes[lane]?.mark) this.#superseded();
  }

  #superseded(): never {
    this.#end("another instance of this shard has moved its mark");
  }

  #endIfStandingStill(now: ClockPair): void {
    this.#clocks = observePair(this.#clocks, now);
    if (standsStill(this.#clocks, now)) this.#end("this instance's clock stands still");
  }

  /** Ends this instance: nothing more leaves it, and the next call makes a new one. */
  #end(reason: string): never {
    this.ctx.abort(reason);
    throw new Error(reason);
  }

  #open(lineSpec: string): Opened {
    const current = this.#line;
    if (current?.lineSpec === lineSpec) return { ok: true, line: current };
    const { layout, policy } = parseLineSpec(lineSpec);
    if (this.#workerId >= layout.workerCount) {
      throw new RangeError(`worker ID ${this.#workerId} is not in 0..${layout.workerCount - 1}`);
    }
    const stored = this.#storage.fingerprint() ?? layout.fingerprint;
    if (stored !== layout.fingerprint) {
      const detail = `This shard's layout is "${stored}"; the call has "${layout.fingerprint}". A layout never changes.`;
      return { ok: false, refusal: { code: "layout_conflict", detail } };
    }
    // A change of policy keeps the line where it is; anything else starts at the marks (S3).
    const samePlace = current?.layout.fingerprint === layout.fingerprint;
    const state = samePlace ? current.state : this.#load(layout);
    const line = { lineSpec, layout, policy, state };
    this.#line = line;
    return { ok: true, line };
  }

  #load(layout: Layout): LineState {
    const rows = this.#storage.lanes();
    this.#counters = countersOf(rows.map(({ counters }) => counters));
    const marks = Array.from({ length: layout.laneCount }, () => 0);
    for (const { lane, mark } of rows) {
      if (lane >= layout.laneCount || mark > layout.lineEnd) {
        throw new RangeError(`stored mark ${mark} of lane ${lane} is not on this layout's line`);
      }
      marks[lane] = mark;
    }
    return startLine(marks);
  }

  #refuse(refusal: Refusal, granted: number, waitedMs: number): GrantReply {
    this.#refusals[refusal.code] = (this.#refusals[refusal.code] ?? 0) + 1;
    return { ok: false, shard: this.#workerId, refusal, granted, waitedMs };
  }
}
