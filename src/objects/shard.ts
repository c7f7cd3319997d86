/**
 * The shard: the Durable Object that owns one worker ID of one namespace.
 *
 * It keeps the line (core/line/line) durable. Invariants, on top of the line's own:
 *  S1 A grant leaves only below a mark that was stored before: write, then memory, then reply. The platform's output
 *     gate holds the reply until that write is on disk.
 *  S2 Marks are written by compare-and-set, so only one of two concurrent instances gets past its mark; the other
 *     aborts. Strict order needs more: a superseded instance must not answer after its successor has. A successor
 *     raises the mark before its first grant, so each grant on the last lane (the lane of strict order) reads the mark
 *     back first. One reading serves the grants of a few ms (core/line/mark-reading). An instance holds its first
 *     answers back until SETTLE_MS after its first raise there: by then no older reading is trusted any more.
 *  S3 A start trusts only the stored marks.
 *  S4 Read, step and write happen without an await in between.
 *  S5 The layout never changes: a call with another layout is refused.
 *  S6 A call waits at most maxWaitMs, counted as the sum of its timers, so it ends even if the clock is frozen.
 *  S7 An instance with a provably frozen clock (core/line/object-clock) ends; the next one reads the true clock.
 *     Otherwise a caller's clock affects only L8 and the age of a cached mark, because calls may be queued for any
 *     time.
 *  S8 Before each reply the instance asserts L1 and L2 for its grants; a breach ends the instance.
 */
import { DurableObject } from "cloudflare:workers";
import type { Grant } from "../core/blocks/block.ts";
import type { Layout } from "../core/layout/layout.ts";
import type { Policy } from "../core/layout/policy.ts";
import { type GrantResult, writeGrantReply } from "../core/line/grant-reply.ts";
import {
  breachOf,
  type Granted,
  type LineState,
  type Outcome,
  type Raise,
  startLine,
  step,
} from "../core/line/line.ts";
import type { ClockPair } from "../core/line/mark-reading.ts";
import type { Refusal, RefusalCode } from "../core/refusal.ts";
import { type Counters, countersOf } from "./counters.ts";
import { Instance } from "./instance.ts";
import { parseLineSpec } from "./line-spec.ts";
import { MarkWatch } from "./mark-watch.ts";
import { workerIdOf } from "./shard-name.ts";
import { laneStatuses, type StatusReply } from "./shard-status.ts";
import { ShardStorage } from "./shard-storage.ts";

/** The arguments of `grant`. */
interface GrantCall {
  /** The namespace's layout and policy as JSON, see line-spec. */
  readonly lineSpec: string;
  /** Number of IDs, ≥ 1. */
  readonly count: number;
  /** Uses only the last lane, so that IDs of one shard strictly increase. */
  readonly strict: boolean;
  /** Maximum wait in ms, in addition to the bound maxWaitMs. */
  readonly waitLeftMs: number;
  /** The caller's Date.now(), read just before the call. */
  readonly callerNowMs: number;
}

/** The line's state in memory: an immutable value, replaced as a whole. */
interface OpenLine {
  readonly lineSpec: string;
  readonly layout: Layout;
  readonly policy: Policy;
  readonly state: LineState;
}

type Opened =
  | { readonly ok: true; readonly line: OpenLine }
  | { readonly ok: false; readonly refusal: Refusal };

/** The progress of one call. */
interface Progress {
  readonly grants: Grant[];
  missing: number;
  waitedMs: number;
}

type Proceeding =
  | { readonly kind: "reply"; readonly result: GrantResult }
  | { readonly kind: "wait"; readonly waitMs: number };

export class Shard extends DurableObject<Env> {
  readonly #workerId: number;
  readonly #storage: ShardStorage;
  #line: OpenLine | undefined;
  readonly #instance: Instance;
  readonly #watch = new MarkWatch();
  #counters: Counters = countersOf([]);
  #refusals: Partial<Record<RefusalCode, number>> = {};

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#instance = new Instance(ctx);
    this.#workerId = workerIdOf(ctx.id.name);
    this.#storage = new ShardStorage(ctx.storage.sql);
  }

  /**
   * Grants `count` positions in one or more intervals, and waits or refuses as the policy says. Returns a GrantReply as
   * text. The fields of a GrantCall are separate arguments, and a reply without a wait is no promise: an object and a
   * promise each cost workerd a tenth of the call.
   */
  grant(
    lineSpec: string,
    count: number,
    strict: boolean,
    maxWaitMs: number,
    callerNowMs: number,
    instance: number,
    leastMs: number,
  ): string | Promise<string> {
    const clock = this.#instance.checkedClock({ instance, leastMs });
    const call: GrantCall = { lineSpec, count, strict, waitLeftMs: maxWaitMs, callerNowMs };
    const progress: Progress = { grants: [], missing: call.count, waitedMs: 0 };
    const reply = this.#proceed(call, progress);
    if (reply.kind === "reply" && !this.#watch.settling) {
      return writeGrantReply(reply.result, clock);
    }
    return this.#grantLater(call, progress, reply);
  }

  async #grantLater(call: GrantCall, progress: Progress, first: Proceeding): Promise<string> {
    let now = first;
    while (now.kind === "wait") {
      progress.waitedMs += now.waitMs;
      this.#counters.waits += 1;
      await scheduler.wait(now.waitMs);
      now = this.#proceed(call, progress);
    }
    await this.#watch.settling;
    return writeGrantReply(now.result, this.#instance.clock());
  }

  /** Steps until the call has a reply or must wait. */
  #proceed(call: GrantCall, progress: Progress): Proceeding {
    // Read again after each wait: another call may have replaced the line.
    const opened = this.#open(call.lineSpec);
    if (!opened.ok) return this.#refuse(opened.refusal, call, progress);
    for (let line = opened.line; ; line = this.#line ?? line) {
      const outcome = this.#step(line, call, progress);
      if (outcome.kind === "refused") return this.#refuse(outcome.refusal, call, progress);
      if (outcome.kind === "wait") return { kind: "wait", waitMs: outcome.waitMs };
      progress.grants.push(outcome.grant);
      progress.missing -= outcome.grant.end - outcome.grant.start;
      if (progress.missing === 0) {
        return { kind: "reply", result: { ok: true, grants: progress.grants } };
      }
    }
  }

  /** The state of this shard, for operators. Writes nothing. */
  status(lineSpec: string): StatusReply {
    const opened = this.#open(lineSpec);
    if (!opened.ok) return opened;
    const { layout, state } = opened.line;
    const nowMs = Date.now();
    const counters = { ...this.#counters, refusals: this.#refusals };
    const lanes = laneStatuses(layout, state, nowMs);
    return { ok: true, status: { shard: this.#workerId, nowMs, lanes, counters } };
  }

  /** Reads the clock, steps, writes at most once, and only then changes memory (S1, S4). */
  #step(line: OpenLine, call: GrantCall, { missing, waitedMs, grants }: Progress): Outcome {
    const nowMs = Date.now();
    // A random start in a later tick could push an accepted call past its limit, so later ticks start at 0.
    const hasBegun = waitedMs > 0 || grants.length > 0;
    const outcome = step(line.layout, line.policy, line.state, {
      nowMs,
      callerNowMs: call.callerNowMs,
      count: missing,
      waitLeftMs: Math.max(0, Math.min(line.policy.maxWaitMs, call.waitLeftMs) - waitedMs),
      lastLaneOnly: call.strict,
      random: hasBegun ? 0 : Math.random(),
    });
    const wentBack = (line.state.lastTick ?? 0) > (outcome.state.lastTick ?? 0);
    // A failed raise changes nothing. No other step here can fail without ending the instance.
    const raise = outcome.kind === "granted" ? outcome.raise : undefined;
    const counters = raise ? { ...this.#counters } : this.#counters;
    if (wentBack) counters.rollbacks += 1;
    if (outcome.kind === "granted") {
      const { grant, leadTicks } = outcome;
      const breach = breachOf(line.state, outcome);
      if (breach !== undefined) this.#instance.end(`broken: ${breach}`);
      counters.grants += 1;
      counters.issued += grant.end - grant.start;
      counters.maxLeadTicks = Math.max(counters.maxLeadTicks, leadTicks);
      if (raise) {
        counters.writes += 1;
        this.#raise(line.layout, raise, counters);
      }
      if (grant.lane === line.layout.laneCount - 1) {
        this.#confirm(outcome, { ownMs: nowMs, callerMs: call.callerNowMs });
      }
    }
    this.#line = { ...line, state: outcome.state };
    this.#counters = counters;
    return outcome;
  }

  #raise(layout: Layout, raise: Raise, counters: Counters): void {
    const claimed = raise.from > 0 || this.#storage.claim(layout.fingerprint);
    if (!claimed || !this.#storage.raise(raise, JSON.stringify(counters))) this.#superseded();
  }

  /** Ends a superseded instance before it replies: its IDs would be lower than its successor's. */
  #confirm({ grant: { lane }, state, raise }: Granted, at: ClockPair): void {
    if (raise) {
      this.#watch.raised(at);
    } else if (!this.#watch.covers(at)) {
      if (!this.#storage.holds(lane, state.lanes[lane]?.mark ?? 0)) this.#superseded();
      this.#watch.read(at);
    }
  }

  #superseded(): never {
    this.#instance.end("another instance of this shard has moved its mark");
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
      const detail = `This shard's layout is "${stored}"; the call has "${layout.fingerprint}". A layout can't be changed.`;
      return { ok: false, refusal: { code: "layout_conflict", detail } };
    }
    // A change of policy keeps the line's place; any other line starts at the marks (S3).
    const samePlace = current?.layout.fingerprint === layout.fingerprint;
    const state = samePlace ? current.state : this.#load(layout);
    const line = { lineSpec, layout, policy, state };
    this.#line = line;
    return { ok: true, line };
  }

  #load(layout: Layout): LineState {
    const { marks, counters } = this.#storage.line(layout);
    this.#counters = countersOf(counters);
    return startLine(marks);
  }

  #refuse(refusal: Refusal, { count }: GrantCall, { missing, waitedMs }: Progress): Proceeding {
    this.#refusals[refusal.code] = (this.#refusals[refusal.code] ?? 0) + 1;
    return { kind: "reply", result: { ok: false, refusal, granted: count - missing, waitedMs } };
  }
}
