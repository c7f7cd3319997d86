/**
 * The segment object: the one place that gives out the numbers of a namespace of kind `segment`.
 *
 * Invariants, on top of the allocator's own (core/segment/segment):
 *  D1 Numbers leave only below a maxId that the storage call took before: write, then memory, then reply.
 *     The platform's output gate holds the reply until that write is on disk.
 *  D2 maxId moves by compare-and-set, so of two instances alive at once only one gives out anything; the other ends.
 *  D3 A start trusts the stored maxId only. Nothing is reserved ahead of it, so a restart skips no number.
 *  D4 Read, decide and write happen with no await between them.
 *  D5 start, delta and remainder for ever: a call with others is refused and given nothing.
 *  D6 A request with an Idempotency-Key gets the numbers that the key got before; those and maxId are written
 *     together or not at all.
 *  D7 A key is kept for IDEMPOTENCY_KEPT_MS, unless IDEMPOTENCY_KEYS_PER_OWNER_MAX newer ones of its owner push it
 *     out, or IDEMPOTENCY_KEYS_MAX newer ones of all, even if one clock of each call is wrong, the object's or its
 *     caller's: an answer is stamped with the later of both clocks, and forgotten by the earlier. So a wild clock
 *     forgets nothing, and neither does one that is old because its call was queued. No call is refused for its clocks.
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
  /** The lowest number not yet given out. */
  readonly maxId: string;
  /** Unix ms of the last allocation; absent before the first. */
  readonly updatedMs?: number;
  readonly tally: Tally;
  readonly refusals: Partial<Record<RefusalCode, number>>;
}

export type SegmentStatusReply =
  | { readonly ok: true; readonly status: SegmentStatus }
  | { readonly ok: false; readonly refusal: Refusal };

/** The allocator as this instance knows it: one value, replaced as a whole. */
interface OpenSegment {
  readonly spec: string;
  readonly numbers: SegmentNumbers;
  readonly fingerprint: string;
  readonly maxId: bigint;
  /** Whether maxId is stored: it is from the first allocation on. */
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
   * The next `width` numbers, to be used in any order and perhaps not all: a segment reply as text.
   * `spec`: the namespace's numbers as JSON, see segment-spec.
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
   * Just the next `count` IDs; `key`, unless empty: an Idempotency-Key with its owner. `callerNowMs`: the caller's
   * clock. A segment reply as text.
   */
  nextNumbers(
    spec: string,
    count: number,
    key: string,
    callerNowMs: number,
  ): string | Promise<string> {
    if (key === "") return this.#nextNumbers(spec, count, undefined, callerNowMs);
    // Nothing was read before the hash is there, and nothing is awaited after (D4).
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

  /** What an operator needs to see. Writes nothing. */
  status(spec: string): SegmentStatusReply {
    const opened = this.#openFor(spec);
    if (!opened.ok) return opened;
    const { maxId, updatedMs, tally } = opened.open;
    const refusals = this.#refusals;
    const status = { maxId: `${maxId}`, tally, refusals };
    return { ok: true, status: updatedMs === undefined ? status : { ...status, updatedMs } };
  }

  /** Writes the segment's end as the new maxId; the allocator from then on (D1, D2). */
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
