import type { Block } from "../core/block.ts";
import { BlockBuffer, CLAIM_LAPSES_MS, type Lease } from "../core/block-buffer.ts";
import { DecimalRun } from "../core/decimal-run.ts";
import type { DecodedId } from "../core/decoded.ts";
import { FreshDemand } from "../core/fresh-demand.ts";
import { EdgeflakeError, fieldsOf } from "./errors.ts";
import { malformed } from "./http.ts";
import { checkCount, TAKE_MAX } from "./limits.ts";
import { type EdgeflakeOptions, transportOf } from "./options.ts";
import { type RetryOptions, withRetries } from "./retry.ts";
import { textsInto } from "./texts.ts";
import {
  type Asked,
  type DecodeOptions,
  type Placement,
  readBlocks,
  type Transport,
} from "./transport.ts";

export type { BlocksAnswer } from "../core/blocks-answer.ts";
export type { DecodedId } from "../core/decoded.ts";
export { EdgeflakeError } from "./errors.ts";
export type { EdgeflakeOptions } from "./options.ts";
export type { DecodeOptions, EdgeflakeBinding, Placement } from "./transport.ts";

export interface CallOptions extends Placement {
  /**
   * Of segments: the same key gets the same IDs again, for a day. Strict calls have one of their own, so that
   * none of their repetitions leaves a hole. At most 240 characters for more than 100,000 IDs, else 255.
   */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Calls of one turn that found nothing in memory, and what is fetched for them together. */
interface Gathered {
  count: number;
  ids: Promise<string[]>;
}

/** IDs asked for in one request: every preset's line opens so many at once. */
const REQUEST_MAX = 100_000;
/** How the service says what it takes. */
const COUNT_TAKES = /\bcount takes a whole number from 1 to (\d+)/;
/** One reading of the clock serves so many IDs at most. */
const READING_USES_MAX = 64;
/** How long misses count as repeated demand, in ms: the service's default of freshForMs. */
const DEMAND_MS = 250;

/**
 * A source of IDs. It leases blocks ahead of repeated demand, so most calls of `next` are answered from memory.
 * Safe to keep for the life of a process, or of a Worker's isolate.
 *
 * @example
 * const ids = new Edgeflake({ url: "https://ids.example.com", key, namespace: "orders" });
 * const id = await ids.next();
 */
export class Edgeflake {
  readonly #transport: Transport;
  readonly #options: RetryOptions;
  readonly #waitUntil: (work: Promise<unknown>) => void;
  readonly #buffer = new BlockBuffer(new FreshDemand(DEMAND_MS));
  /** The block in use, and its texts. */
  #run: { readonly block: Block; readonly texts: DecimalRun } | undefined;
  #readingUses = 0;
  /** IDs of one request at most: the namespace may take fewer than REQUEST_MAX. */
  #requestMax = REQUEST_MAX;
  /** Until then the service wants to be left alone. */
  #aheadAfterMs = 0;
  #gathered: Gathered | undefined;

  constructor(options: EdgeflakeOptions) {
    const { timeoutMs = 10_000, retries = 3, waitUntil } = options;
    this.#transport = transportOf({ ...options, timeoutMs, retries });
    this.#options = { timeoutMs, retries };
    this.#waitUntil = waitUntil ?? (() => undefined);
  }

  /**
   * One ID as a decimal text: at once from memory where there is a fresh one, else a promise; `await` takes both.
   * With a placement or a signal it is always asked for. Rejects with EdgeflakeError, or the signal's reason.
   */
  next(options?: CallOptions): string | Promise<string> {
    if (options) return this.take(1, options).then(([id = ""]) => id);
    if (this.#readingUses > 0 && this.#buffer.next()) {
      this.#readingUses -= 1;
      return this.#text();
    }
    return this.#nextByClock();
  }

  /** `count` IDs, 1 to 1,000,000, asked for now. Rejects with EdgeflakeError, or the signal's reason. */
  async take(
    count: number,
    { signal, idempotencyKey, ...placement }: CallOptions = {},
  ): Promise<string[]> {
    checkCount(count);
    const ids: string[] = [];
    const key = idempotencyKey ?? keyFor(placement);
    const untilMs = Date.now() + this.#options.timeoutMs;
    while (ids.length < count) {
      const part = Math.min(this.#requestMax, count - ids.length);
      const left = { ...this.#options, timeoutMs: Math.max(1, untilMs - Date.now()), signal };
      // Each request has a key of its own.
      const partKey = key && ids.length > 0 ? `${key}+${ids.length}` : key;
      const asked = { ...placement, idempotencyKey: partKey };
      const lease = await this.#lease(part, asked, left).catch((error: unknown) => {
        if (!this.#learnsMax(part, error)) throw error;
      });
      for (const block of lease?.blocks ?? []) textsInto(ids, block);
    }
    return ids;
  }

  /** What an ID says. Rejects with EdgeflakeError, or the signal's reason. */
  async decode(
    id: string,
    { signal, ...options }: DecodeOptions & { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<DecodedId> {
    const retry = { ...this.#options, signal };
    const answer = await withRetries(retry, (either) =>
      this.#transport.decode(id, options, either),
    );
    if (isDecoded(answer)) return answer;
    throw malformed("decode");
  }

  /**
   * The clock is read once for all IDs of one synchronous turn, READING_USES_MAX at most: reading it costs more
   * than the ID, and in a Worker it stands still anyway.
   */
  #nextByClock(): string | Promise<string> {
    const nowMs = Date.now();
    if (!this.#buffer.advance(nowMs)) return this.#miss(nowMs);
    if (this.#readingUses === 0) {
      queueMicrotask(() => {
        this.#readingUses = 0;
      });
    }
    this.#readingUses = READING_USES_MAX;
    this.#fetchAhead(nowMs);
    return this.#text();
  }

  #text(): string {
    const { block, offset } = this.#buffer;
    if (this.#run?.block !== block) {
      this.#run = { block, texts: new DecimalRun(block.first, block.step) };
    }
    return this.#run.texts.at(offset);
  }

  /** Misses of one synchronous turn, and so of one request in a Worker, are fetched together. */
  #miss(nowMs: number): Promise<string> {
    this.#buffer.missed(nowMs);
    this.#fetchAhead(nowMs);
    let gathered = this.#gathered;
    if (!gathered || gathered.count >= TAKE_MAX) gathered = this.#gather();
    const index = gathered.count;
    gathered.count += 1;
    return gathered.ids.then((ids) => ids[index] ?? "");
  }

  #gather(): Gathered {
    const gathered: Gathered = { count: 0, ids: Promise.resolve([]) };
    gathered.ids = gathered.ids.then(() => {
      if (this.#gathered === gathered) this.#gathered = undefined;
      return this.take(gathered.count);
    });
    this.#gathered = gathered;
    return gathered;
  }

  #fetchAhead(nowMs: number): void {
    if (nowMs < this.#aheadAfterMs) return;
    const fetch = this.#buffer.plan(nowMs, this.#requestMax);
    if (!fetch) return;
    const { ticket, count } = fetch;
    // Once, and no longer than its claim: whoever finds nothing in memory asks for itself.
    const once = { timeoutMs: CLAIM_LAPSES_MS, retries: 0 };
    const work = this.#lease(count, {}, once).then(
      (lease) => this.#buffer.fill(ticket, lease, Date.now()),
      (error: unknown) => {
        this.#learnsMax(count, error);
        const { retryAfterMs = 0 } = error instanceof EdgeflakeError ? error : {};
        this.#aheadAfterMs = nowMs + retryAfterMs;
      },
    );
    try {
      this.#waitUntil(work);
    } catch {
      // Outside of a request there is nothing to keep alive.
    }
  }

  /** Whether the service said that it takes fewer IDs in one request than `count`: so many are asked for from now on. */
  #learnsMax(count: number, error: unknown): boolean {
    if (!(error instanceof EdgeflakeError) || error.code !== "invalid_parameter") return false;
    const most = Number(COUNT_TAKES.exec(error.message)?.[1] ?? count);
    if (most >= count || most < 1) return false;
    this.#requestMax = most;
    return true;
  }

  async #lease(count: number, asked: Asked, retry: RetryOptions): Promise<Lease> {
    let askedAtMs = 0;
    const answer = await withRetries(retry, async (either) => {
      askedAtMs = Date.now();
      return readBlocks(await this.#transport.blocks(count, asked, either), count);
    });
    const blocks = answer.blocks.map((block) => ({ ...block, first: BigInt(block.first) }));
    return { blocks, shard: answer.shard, askedAtMs, freshForMs: answer.freshForMs };
  }
}

/** A key for a call whose IDs are to be without holes; undefined for others. */
function keyFor({ key, order }: Placement): string | undefined {
  return key || order === "strict" ? crypto.randomUUID() : undefined;
}

function isDecoded(answer: unknown): answer is DecodedId {
  const { id, kind } = fieldsOf(answer);
  return typeof id === "string" && typeof kind === "string";
}
