import type { DecodeOptions, Placement } from "../core/binding.ts";
import type { Block } from "../core/blocks/block.ts";
import { BlockBuffer, CLAIM_LAPSES_MS, isWithin, type Stock } from "../core/blocks/block-buffer.ts";
import { DecimalRun } from "../core/blocks/decimal-run.ts";
import { FreshDemand } from "../core/blocks/fresh-demand.ts";
import { fieldsOf } from "../core/json.ts";
import type { DecodedId } from "../core/layout/decoded.ts";
import { isWhole } from "../core/takes.ts";
import { EdgeflakeError } from "./errors.ts";
import { malformed } from "./http.ts";
import { checkCount, TAKE_MAX } from "./limits.ts";
import { type EdgeflakeOptions, transportOf } from "./options.ts";
import { type RetryOptions, withRetries } from "./retry.ts";
import { textsInto } from "./texts.ts";
import { type Asked, readBlocks, type Transport } from "./transport.ts";

export type {
  Answer,
  BlocksOptions,
  CallerPlace,
  DecodeOptions,
  IdOptions,
  ParameterError,
  Placement,
  RpcProblem,
} from "../core/binding.ts";
export type { BlocksAnswer } from "../core/blocks/blocks-answer.ts";
export type { DecodedId } from "../core/layout/decoded.ts";
export type { EdgeflakeBinding } from "./binding.ts";
export { EdgeflakeError } from "./errors.ts";
export type { EdgeflakeOptions } from "./options.ts";

export interface CallOptions extends Placement {
  /**
   * Of segments: the same key gets the same IDs again, for a day. 1 to 255 visible ASCII characters. Strict calls
   * without one get a random key, so that no retry leaves a hole.
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
/** How long fetching ahead rests at most, in ms, whatever the service says: it may be well again before. */
const REST_MAX_MS = 60_000;
/** How long misses count as repeated demand, in ms: the service's default of freshForMs. */
const DEMAND_MS = 250;

/**
 * A source of IDs. It prefetches for repeated demand, so most calls of `next` are answered from memory.
 * Safe to keep for the life of a process, or of a Worker's isolate.
 *
 * An ID from memory was asked for at most `freshForMs` ago, a policy of the namespace: as the service last told it.
 *
 * @example
 * const ids = new Edgeflake({ url: "https://ids.example.com", key, namespace: "orders" });
 * const id = await ids.next();
 */
export class Edgeflake {
  readonly #transport: Transport;
  readonly #options: RetryOptions;
  readonly #waitUntil: EdgeflakeOptions["waitUntil"];
  readonly #buffer = new BlockBuffer(new FreshDemand(DEMAND_MS), 0);
  /** The block in use, and its texts. */
  #run: { readonly block: Block; readonly texts: DecimalRun } | undefined;
  /** IDs of one request at most: the namespace may take fewer than REQUEST_MAX. */
  #requestMax = REQUEST_MAX;
  /** When it was last looked whether to fetch ahead. */
  #lookedAtMs = 0;
  /** When fetching ahead failed last, and for how long the service wants to be left alone, in ms. */
  #failedAtMs = 0;
  #restMs = 0;
  #gathered: Gathered | undefined;

  constructor(options: EdgeflakeOptions) {
    const { timeoutMs = 10_000, retries } = options;
    this.#transport = transportOf(options, { timeoutMs, retries });
    this.#options = { url: this.#transport.url, timeoutMs, retries };
    this.#waitUntil = options.waitUntil;
  }

  /**
   * One ID as a decimal text: from memory if a fresh one is there, unless a placement or a signal is given.
   * Rejects with EdgeflakeError, or the signal's reason.
   */
  next(options?: CallOptions): Promise<string> {
    if (options) return this.take(1, options).then(([id = ""]) => id);
    const nowMs = Date.now();
    const id = this.#nextAt(nowMs);
    return id === undefined ? this.#miss() : Promise.resolve(id);
  }

  /** One ID from memory, at once; undefined if no fresh one is there. Repeated calls have some fetched ahead. */
  nextNow(): string | undefined {
    return this.#nextAt(Date.now());
  }

  /** `count` IDs, 1 to 1,000,000, asked for now. Rejects with EdgeflakeError, or the signal's reason. */
  async take(
    count: number,
    { signal, idempotencyKey, ...placement }: CallOptions = {},
  ): Promise<string[]> {
    checkCount(count);
    const ids: string[] = [];
    const key = idempotencyKey ?? keyFor(placement);
    const untilMs = performance.now() + this.#options.timeoutMs;
    while (ids.length < count) {
      const part = Math.min(this.#requestMax, count - ids.length);
      const leftMs = untilMs - performance.now();
      const left = { ...this.#options, timeoutMs: Math.max(1, leftMs), signal };
      const partKey = key && part < count ? await partKeyOf(`${key} ${count} ${ids.length}`) : key;
      const asked = { ...placement, idempotencyKey: partKey };
      const stock = await this.#ask(part, asked, left).catch((error: unknown) => {
        if (ids.length > 0 && error instanceof EdgeflakeError) {
          Object.assign(error, { definite: false });
        }
        throw error;
      });
      for (const block of stock?.blocks ?? []) textsInto(ids, block);
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

  #nextAt(nowMs: number): string | undefined {
    const found = this.#buffer.advance(nowMs);
    if (!found) this.#buffer.missed(nowMs);
    // Once per ms: it costs more than the ID.
    if (!found || nowMs !== this.#lookedAtMs) this.#fetchAhead(nowMs);
    return found ? this.#text() : undefined;
  }

  #text(): string {
    const { block, offset } = this.#buffer;
    if (this.#run?.block !== block) {
      this.#run = { block, texts: new DecimalRun(block.first, block.stride) };
    }
    return this.#run.texts.at(offset);
  }

  /** Misses of one synchronous turn, and so of one request in a Worker, are fetched together. */
  #miss(): Promise<string> {
    this.#gathered ??= this.#gather();
    const { ids, count: index } = this.#gathered;
    this.#gathered.count += 1;
    if (this.#gathered.count === TAKE_MAX) this.#gathered = undefined;
    return ids.then((all) => all[index] ?? "");
  }

  #gather(): Gathered {
    const ids = Promise.resolve().then((): Promise<string[]> => {
      if (this.#gathered === gathered) this.#gathered = undefined;
      return this.take(gathered.count);
    });
    const gathered = { count: 0, ids };
    return gathered;
  }

  #fetchAhead(nowMs: number): void {
    this.#lookedAtMs = nowMs;
    if (isWithin(nowMs - this.#failedAtMs, this.#restMs)) return;
    const fetch = this.#buffer.plan(nowMs, this.#requestMax);
    if (!fetch) return;
    const { count } = fetch;
    // Once, and no longer than its claim: whoever finds nothing in memory asks for itself.
    const once = { ...this.#options, timeoutMs: CLAIM_LAPSES_MS, retries: 0 };
    const work = this.#ask(count, {}, once).then(
      (stock) => stock && this.#buffer.fill(fetch, stock, Date.now()),
      (error: EdgeflakeError) => {
        this.#failedAtMs = nowMs;
        this.#restMs = Math.min(error.retryAfterMs ?? 0, REST_MAX_MS);
      },
    );
    try {
      this.#waitUntil?.(work);
    } catch {
      // Outside of a request there is nothing to keep alive.
    }
  }

  /** Undefined: fewer IDs are to be asked for, in the time that is left. */
  async #ask(count: number, asked: Asked, retry: RetryOptions): Promise<Stock | undefined> {
    let askedAtMs = 0;
    try {
      const answer = await withRetries(retry, async (either) => {
        askedAtMs = Date.now();
        return readBlocks(await this.#transport.blocks(count, asked, either), count);
      });
      this.#buffer.freshForMs = answer.freshForMs;
      const blocks = answer.blocks.map(({ first, count, step = 1 }) => {
        return { first: BigInt(first), count, stride: step };
      });
      return { blocks, shard: answer.shard, askedAtMs };
    } catch (error) {
      const { errors = [] } = error instanceof EdgeflakeError ? error : {};
      const { max = count } = errors.find(({ parameter }) => parameter === "count") ?? {};
      if (!isWhole(max, 1, count - 1) || retry.timeoutMs <= 1) throw error;
      this.#requestMax = max;
      return undefined;
    }
  }
}

/** A key for a call whose IDs are to be without holes; undefined for others. */
function keyFor({ key, order }: Placement): string | undefined {
  return key || order === "strict" ? crypto.randomUUID() : undefined;
}

/** The key of one of several requests of a call, the same for each repetition of the call: no other call has its hash. */
async function partKeyOf(part: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(part));
  return new Uint8Array(digest).join(".");
}

function isDecoded(answer: unknown): answer is DecodedId {
  const { id, kind } = fieldsOf(answer);
  return typeof id === "string" && typeof kind === "string";
}
