/**
 * The segment object: the single Durable Object that issues the numbers of a segment namespace.
 *
 * Invariants, on top of the allocator's own (core/segment/segment):
 *  D1 Numbers leave only below a maxId that was stored before: write, then memory, then reply. The platform's output
 *     gate holds the reply until that write is on disk.
 *  D2 maxId moves by compare-and-set, so only one of two concurrent instances issues numbers; the other ends.
 *  D3 A start trusts only the stored maxId. No number is reserved ahead, so a restart skips none.
 *  D4 Read, decision and write happen without an await in between.
 *  D5 start, delta and remainder never change: a call with other values is refused.
 *  D6 A request with a known Idempotency-Key gets the same numbers again. The key's answer and maxId are written in one
 *     transaction.
 *  D7 A key is kept for IDEMPOTENCY_KEPT_MS, unless IDEMPOTENCY_KEYS_PER_OWNER_MAX newer keys of its owner, or
 *     IDEMPOTENCY_KEYS_MAX newer keys of all owners, evict it. This holds even if one clock of each call is wrong, the
 *     object's or the caller's: an answer gets the later of both times, and expires by the earlier. So neither a wild
 *     clock nor the old clock of a queued call deletes an answer early. No call is refused for its clocks.
 */
import { DurableObject } from "cloudflare:workers";
import type { Refusal, RefusalCode } from "../core/refusal.ts";
import {
  allocateCount,
  allocateWidth,
  blockOf,
  exactSegment,
  type Segment,
  type SegmentNumbers,
} from "../core/segment/segment.ts";
import { writeSegmentReply } from "../core/segment/segment-reply.ts";
import { Instance } from "./instance.ts";
import { type AnswerKey, answerKeyOf, type CallClocks } from "./kept-answers.ts";
import { fingerprintOf, parseSegmentSpec } from "./segment-spec.ts";
import { SegmentStorage } from "./segment-storage.ts";
import { type Tally, tallyOf, withFetch } from "./segment-tally.ts";

export interface SegmentStatus {
  /** The lowest number not yet issued. */
  readonly maxId: string;
  /** Time of the last allocation in unix ms; absent before the first. */
  readonly updatedMs?: number;
  readonly tally: Tally;
  readonly refusals: Partial<Record<RefusalCode, number>>;
}

export type SegmentStatusReply =
  | { readonly ok: true; readonly status: SegmentStatus }
  | { readonly ok: false; readonly refusal: Refusal };

/** The allocator's state in memory: an immutable value, replaced as a whole. */
interface OpenSegment {
  readonly spec: string;
  readonly numbers: SegmentNumbers;
  readonly fingerprint: string;
  readonly maxId: bigint;
  /** Whether maxId is stored; false before the first allocation. */
  readonly stored: boolean;
  readonly updatedMs: number | undefined;
  readonly tally: Tally;
}

type Opened =
  | { readonly ok: true; readonly open: OpenSegment }
  | { readonly ok: false; readonly refusal: Refusal };

export class Segments extends DurableObject<Env> {
  readonly #instance: Instance;
  readonly #storage: SegmentStorage;
  #open: OpenSegment | undefined;
  #refusals: Partial<Record<RefusalCode, number>> = {};

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#instance = new Instance(ctx);
    this.#storage = new SegmentStorage(ctx.storage);
  }

  /**
   * Allocates the next `width` numbers. The caller may use them in any order, and may leave some unused. Returns a
   * segment reply as text. `spec`: the namespace's numbers as JSON, see segment-spec.
   */
  nextSegment(spec: string, width: number): string {
    const opened = this.#openFor(spec);
    if (!opened.ok) return this.#refuse(opened.refusal);
    const { open } = opened;
    const allocation = allocateWidth(open.numbers, open.maxId, width);
    if (!allocation.ok) return this.#refuse(allocation.refusal);
    const { segment } = allocation;
    const issued = blockOf(open.numbers, segment)?.count ?? 0;
    const nowMs = Date.now();
    this.#open = this.#move(open, segment, withFetch(open.tally, issued, segment, nowMs), nowMs);
    return writeSegmentReply(allocation);
  }

  /**
   * Allocates exactly the next `count` IDs. `key`: an Idempotency-Key with its owner, or empty. `callerNowMs`: the
   * caller's clock in unix ms. Returns a segment reply as text.
   */
  nextNumbers(
    spec: string,
    count: number,
    key: string,
    callerNowMs: number,
  ): string | Promise<string> {
    if (key === "") return this.#nextNumbers(spec, count, undefined, callerNowMs);
    // All reads come after this await (D4).
    return answerKeyOf(key).then((known) => this.#nextNumbers(spec, count, known, callerNowMs));
  }

  #nextNumbers(
    spec: string,
    count: number,
    key: AnswerKey | undefined,
    callerNowMs: number,
  ): string {
    const opened = this.#openFor(spec);
    if (!opened.ok) return this.#refuse(opened.refusal);
    const { open } = opened;
    const nowMs = Date.now();
    const clocks = clocksOf(nowMs, callerNowMs);
    const kept = key && this.#storage.answers.find(key, clocks);
    if (kept && kept.count !== count) return this.#refuse(otherRequest(kept.count));
    if (kept) return this.#repeat(open, exactSegment(open.numbers, kept.from, count));
    const allocation = allocateCount(open.numbers, open.maxId, count);
    if (!allocation.ok) return this.#refuse(allocation.refusal);
    const { segment } = allocation;
    const { issued, exact } = open.tally;
    const tally = { ...open.tally, issued: issued + count, exact: exact + 1 };
    let moved = open;
    if (!key) moved = this.#move(open, segment, tally, nowMs);
    else {
      this.#storage.atOnce(() => {
        moved = this.#move(open, segment, tally, nowMs);
        this.#storage.answers.keep(key, { from: segment.from, count }, clocks);
      });
    }
    this.#open = moved;
    return writeSegmentReply(allocation);
  }

  /** The state of the object, for operators. Writes nothing. */
  status(spec: string): SegmentStatusReply {
    const opened = this.#openFor(spec);
    if (!opened.ok) return opened;
    const { maxId, updatedMs, tally } = opened.open;
    const refusals = this.#refusals;
    const status = { maxId: `${maxId}`, tally, refusals };
    return { ok: true, status: updatedMs === undefined ? status : { ...status, updatedMs } };
  }

  /** Writes the segment's end as the new maxId, and returns the new state (D1, D2). */
  #move(open: OpenSegment, segment: Segment, tally: Tally, nowMs: number): OpenSegment {
    const from = open.stored ? open.maxId : undefined;
    const to = { maxId: segment.until, updatedMs: nowMs };
    const row = { ...to, fingerprint: open.fingerprint, tally: JSON.stringify(tally) };
    if (!this.#storage.move(from, row)) this.#superseded();
    return { ...open, ...to, tally, stored: true };
  }

  #repeat(open: OpenSegment, segment: Segment): string {
    this.#open = { ...open, tally: { ...open.tally, repeats: open.tally.repeats + 1 } };
    return writeSegmentReply({ ok: true, segment });
  }

  #openFor(spec: string): Opened {
    if (this.#open?.spec === spec) return { ok: true, open: this.#open };
    const numbers = parseSegmentSpec(spec);
    const fingerprint = fingerprintOf(numbers);
    const row = this.#storage.row();
    if (row && row.fingerprint !== fingerprint) {
      const detail = `This namespace's numbers are "${row.fingerprint}"; the call has "${fingerprint}". They can't be changed.`;
      return { ok: false, refusal: { code: "layout_conflict", detail } };
    }
    this.#open = {
      spec,
      numbers,
      fingerprint,
      maxId: row?.maxId ?? numbers.start,
      stored: row !== undefined,
      updatedMs: row?.updatedMs,
      tally: tallyOf(row?.tally),
    };
    return { ok: true, open: this.#open };
  }

  #refuse(refusal: Refusal): string {
    this.#refusals[refusal.code] = (this.#refusals[refusal.code] ?? 0) + 1;
    return writeSegmentReply({ ok: false, refusal });
  }

  #superseded(): never {
    this.#instance.end("another instance of this segment object has moved its maxId");
  }
}

/** The clocks of a call (D7). */
function clocksOf(nowMs: number, callerNowMs: number): CallClocks {
  return { earlierMs: Math.min(nowMs, callerNowMs), laterMs: Math.max(nowMs, callerNowMs) };
}

function otherRequest(count: number): Refusal {
  const detail = `This Idempotency-Key was used for ${count} IDs; a repeated request must ask for the same count.`;
  return { code: "idempotency_conflict", detail };
}
