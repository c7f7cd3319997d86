import { isWhole } from "../core/allowed.ts";
import type { DecodeOptions } from "../core/binding.ts";
import type { Block } from "../core/blocks/block.ts";
import { BlockBuffer, CLAIM_LAPSES_MS, isWithin, type Stock } from "../core/blocks/block-buffer.ts";
import { DecimalRun } from "../core/blocks/decimal-run.ts";
import { FreshDemand } from "../core/blocks/fresh-demand.ts";
import type { DecodedId } from "../core/layout/decoded.ts";
import { EdgeflakeError } from "./errors.ts";
import { checkCount, TAKE_MAX, TIMEOUT_DEFAULT_MS } from "./limits.ts";
import { type CallOptions, type EdgeflakeOptions, transportOf } from "./options.ts";
import { type RetryOptions, withRetries } from "./retry.ts";
import type { Transport } from "./transport.ts";
import { type Asked, keyFor, partKeyOf, readBlocks, readDecoded } from "./transport.ts";

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
export type { CallOptions, EdgeflakeOptions } from "./options.ts";

/** Calls of one synchronous turn that found no ID in memory, and the one request that serves them. */
interface Gathered {
  count: number;
  ids: Promise<string[]>;
}

/** IDs of one request at most: every preset can grant that many at once. */
const REQUEST_MAX = 100_000;
/** The longest pause of prefetching after a failure, in ms: the service may recover before its Retry-After. */
const REST_MAX_MS = 60_000;
/** The namespace's default freshForMs, until a response tells the namespace's own. */
const FRESH_FOR_MS = 250;

/**
 * Gets IDs from an Edgeflake service, over HTTPS or a service binding. It prefetches for repeated demand, so most calls
 * of `next` are answered from memory. Keep one for the life of a process, or of a Worker's isolate.
 *
 * An ID from memory was requested at most `freshForMs` ago. That is a policy of the namespace; a change of it applies
 * from the client's next request on.
 *
 * @example
 * ```ts
 * import { Edgeflake } from "edgeflake/client";
 *
 * const key = process.env.EDGEFLAKE_KEY;
 * const ids = new Edgeflake({ url: "https://ids.example.com", key, namespace: "orders" });
 * const id = await ids.next();
 * ```
 */
export class Edgeflake {
  readonly #transport: Transport;
  readonly #options: RetryOptions;
  readonly #waitUntil: EdgeflakeOptions["waitUntil"];
  readonly #buffer = new BlockBuffer(new FreshDemand(), FRESH_FOR_MS);
  /** The block in use, and the decimal texts of its IDs. */
  #run: { readonly block: Block; readonly texts: DecimalRun } | undefined;
  /** IDs of one request at most: the namespace may allow fewer than REQUEST_MAX. */
  #requestMax = REQUEST_MAX;
  /** When the client last checked whether to prefetch, unix ms. */
  #lookedAtMs = 0;
  /** When prefetching failed last (unix ms), and how long to pause since then (ms). */
  #failedAtMs = 0;
  #restMs = 0;
  #gathered: Gathered | undefined;

  /**
   * Makes a client. No request is sent before the first call.
   *
   * @param options The namespace, with a URL and an API key or with a service binding.
   * @throws {TypeError} If an option is missing or out of bounds.
   */
  constructor(options: EdgeflakeOptions) {
    const { timeoutMs = TIMEOUT_DEFAULT_MS, retries } = options;
    this.#transport = transportOf(options, { timeoutMs, retries });
    this.#options = { url: this.#transport.url, timeoutMs, retries };
    this.#waitUntil = options.waitUntil;
  }

  /**
   * Gets one ID, as a decimal text: from memory if a fresh one is there, else from the service.
   *
   * @param options If given, the ID comes from the service. See {@linkcode CallOptions}.
   * @throws {EdgeflakeError} If no ID could be got; or the signal's reason, if it aborts.
   */
  next(options?: CallOptions): Promise<string> {
    if (options) return this.take(1, options).then(([id = ""]) => id);
    const nowMs = Date.now();
    const id = this.#nextAt(nowMs);
    return id === undefined ? this.#miss() : Promise.resolve(id);
  }

  /**
   * Gets one ID from memory, as a decimal text, without waiting. Repeated calls start prefetching.
   *
   * @returns `undefined` if no fresh ID is in memory.
   * @example
   * ```ts
   * const id = ids.nextNow() ?? (await ids.next());
   * ```
   */
  nextNow(): string | undefined {
    return this.#nextAt(Date.now());
  }

  /**
   * Gets `count` IDs from the service, as decimal texts. A large count may take several requests.
   *
   * @param count An integer from 1 to 1,000,000.
   * @throws {RangeError} If `count` is out of bounds.
   * @throws {EdgeflakeError} If not all IDs could be got; or the signal's reason, if it aborts.
   */
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

  /**
   * Reads an ID with the layout of the namespace: its time, shard and sequence. The API key needs the scope `read`.
   *
   * @param id The ID as a text, decimal unless `encoding` names another encoding.
   * @throws {EdgeflakeError} If the text is no ID of the namespace, or the request failed; or the signal's reason.
   */
  async decode(
    id: string,
    { signal, ...options }: DecodeOptions & { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<DecodedId> {
    const retry = { ...this.#options, signal };
    return await withRetries(retry, async (either) =>
      readDecoded(await this.#transport.decode(id, options, either)),
    );
  }

  #nextAt(nowMs: number): string | undefined {
    const found = this.#buffer.advance(nowMs);
    if (!found) this.#buffer.missed();
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

  /** Misses of one synchronous turn, and so of one request in a Worker, share a request. */
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
    // No retry, and no longer than its claim: a call that finds no ID in memory sends its own request.
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
      // Outside of a request, waitUntil throws: no response ends the work.
    }
  }

  /** Undefined if the namespace allows fewer IDs at once: the caller then asks for fewer, in the time left. */
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

/** Adds the IDs of a block to a list, as decimal texts. */
function textsInto(ids: string[], { first, count, stride }: Block): void {
  const texts = new DecimalRun(first, stride);
  for (let offset = 0; offset < count; offset += 1) ids.push(texts.at(offset));
}
