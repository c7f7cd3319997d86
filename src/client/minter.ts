import { EdgeflakeError } from "./errors.ts";
import { flatTextsInto } from "./flat-texts.ts";
import { httpAsk } from "./http.ts";
import { LeaseDesk } from "./lease-desk.ts";
import { LeaseKeeper } from "./lease-keeper.ts";
import { checkCount } from "./limits.ts";
import type { Closed, MintLine } from "./mint-line.ts";
import { type MinterOptions, settingsOf } from "./minter-options.ts";
import { pause } from "./retry.ts";

export { EdgeflakeError } from "./errors.ts";
export type { MinterOptions } from "./minter-options.ts";
export type { MinterStore } from "./minter-store.ts";

/** The most IDs that one reading of the clock serves. */
const READING_USES_MAX = 64;
/** How often the minter checks for upkeep, in ms: several times within the shortest ttl and reserve. */
const UPKEEP_MS = 250;
/** The longest sleep of `ready` before it checks again, in ms: a renewal may change the clock. */
const READY_LOOK_MS = 100;
/** How long to wait for a pending response of the desk or store, in ms. */
const BUSY_WAIT_MS = 20;

/**
 * Mints IDs in this process: it leases a worker ID from the service and makes IDs with it, without a request per ID. It
 * renews the lease in the background, and never makes an ID outside of a lease.
 *
 * @example
 * ```ts
 * import { Minter } from "edgeflake/minter";
 *
 * const key = process.env.EDGEFLAKE_KEY;
 * const ids = await Minter.open({ url: "https://ids.example.com", key, namespace: "orders", holder: "pod-7" });
 * const id = ids.next();
 * await ids.close();
 * ```
 */
export class Minter {
  readonly #timeoutMs: number;
  readonly #keeper: LeaseKeeper;
  #line: MintLine | undefined;
  #uses = 0;
  #closed = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  private constructor(timeoutMs: number, keeper: LeaseKeeper) {
    this.#timeoutMs = timeoutMs;
    this.#keeper = keeper;
  }

  /**
   * Leases a worker ID, or resumes the lease in the store, and waits until `next` has an ID.
   *
   * @throws {TypeError} If an option is missing or out of bounds.
   * @throws {EdgeflakeError} If no lease could be got; or the store's error, if the store failed.
   */
  static async open(options: MinterOptions): Promise<Minter> {
    const settings = settingsOf(options);
    const desk = new LeaseDesk(httpAsk(options.url, options.key), settings.namespace);
    const keeper = new LeaseKeeper(settings, desk, options.store);
    const minter = new Minter(settings.timeoutMs, keeper);
    try {
      await keeper.begin();
      minter.#keepUp();
      // A line that begins ahead of this clock opens in a moment.
      await minter.ready();
    } catch (error) {
      await minter.close();
      throw error;
    }
    return minter;
  }

  /** The leased worker ID; `undefined` while no lease is held. */
  get worker(): number | undefined {
    return this.#keeper.lease?.worker;
  }

  /**
   * `true` once another process took over the store. This minter then leases another worker ID and uses no store any
   * more, so each restart leases a new one. Give each process its own store.
   */
  get storeLost(): boolean {
    return this.#keeper.storeLost;
  }

  /**
   * Makes one ID, as a decimal text, synchronously.
   *
   * @throws {EdgeflakeError} With the code `shard_saturated` (the IDs are ahead of the clock: retry after
   * `retryAfterMs`), `lease_lost` (no lease is held; the minter is getting one) or `closed`.
   */
  next(): string {
    if (this.#uses > 0 && this.#line === this.#keeper.line) {
      this.#uses -= 1;
      const text = this.#line?.nextText();
      if (text !== undefined) return text;
    }
    const text = this.#opened().nextText();
    if (text === undefined) throw new Error("a run that was just opened has no ID");
    return text;
  }

  /**
   * Makes one ID, as a bigint, synchronously.
   *
   * @throws {EdgeflakeError} With the code `shard_saturated`, `lease_lost` or `closed`, as `next` does.
   */
  nextBigInt(): bigint {
    if (this.#uses > 0 && this.#line === this.#keeper.line) {
      this.#uses -= 1;
      const id = this.#line?.nextId();
      if (id !== undefined) return id;
    }
    const id = this.#opened().nextId();
    if (id === undefined) throw new Error("a run that was just opened has no ID");
    return id;
  }

  /**
   * Makes `count` IDs, as decimal texts, synchronously: all of them, or none if it throws.
   *
   * @param count An integer from 1 to 1,000,000, or less if the namespace can't give that many at once.
   * @throws {RangeError} If `count` is out of bounds.
   * @throws {EdgeflakeError} With the code `shard_saturated`, `lease_lost` or `closed`, as `next` does.
   */
  take(count: number): string[] {
    checkCount(count);
    const line = this.#held();
    const { takeMax } = line;
    if (count > takeMax) {
      throw new RangeError(`count must be at most ${takeMax} in this namespace`);
    }
    this.#uses = 0;
    const taken = line.take(this.#keeper.now(), count);
    if ("kind" in taken) throw this.#errorOf(taken);
    // With its final length: growing the array would double the cost.
    const ids = new Array<string>(count);
    let place = 0;
    for (const run of taken) place = flatTextsInto(ids, place, run);
    return ids;
  }

  /**
   * Waits until `next` has an ID, for at most `timeoutMs`.
   *
   * @throws {EdgeflakeError} The error that `next` would throw at the end; or the signal's reason, if it aborts.
   * @example
   * ```ts
   * await ids.ready();
   * const id = ids.next();
   * ```
   */
  async ready({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    const untilMs = performance.now() + this.#timeoutMs;
    for (;;) {
      signal?.throwIfAborted();
      try {
        this.#opened();
        return;
      } catch (error) {
        const leftMs = untilMs - performance.now();
        if (!(error instanceof EdgeflakeError) || this.#closed || leftMs <= 0) throw error;
        const { retryAfterMs = BUSY_WAIT_MS } = error;
        await pause(Math.max(1, Math.min(retryAfterMs, leftMs, READY_LOOK_MS)), signal);
      }
    }
  }

  /** Stops making IDs and releases the lease, within a few seconds. Never rejects. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#uses = 0;
    if (this.#timer !== undefined) clearInterval(this.#timer);
    await this.#keeper.end();
  }

  /** The line of the held lease. Starts its upkeep. */
  #held(): MintLine {
    if (!this.#closed) this.#keeper.upkeep(this.#keeper.now());
    const { line } = this.#keeper;
    if (!line) throw this.#errorOf(FENCED);
    return line;
  }

  /** A line with an ID to issue. The clock is not read again in this synchronous turn. */
  #opened(): MintLine {
    const line = this.#held();
    const closed = line.advance(this.#keeper.now());
    if (closed) throw this.#errorOf(closed);
    if (this.#uses === 0) {
      queueMicrotask(() => {
        this.#uses = 0;
      });
    }
    this.#uses = READING_USES_MAX;
    this.#line = line;
    return line;
  }

  #errorOf(closed: Closed): EdgeflakeError {
    if (this.#closed) return stopped("closed", "The minter is closed.");
    const cause = this.#keeper.failure;
    if (closed.kind === "wait" || this.#keeper.endsAtMark) {
      const retryAfterMs = closed.kind === "wait" ? closed.waitMs : BUSY_WAIT_MS;
      const message = `IDs are ahead of the clock or store; retry in ${retryAfterMs} ms.`;
      return stopped("shard_saturated", message, { retryAfterMs, cause });
    }
    return stopped("lease_lost", "No lease is held.", { cause });
  }

  #keepUp(): void {
    this.#timer = setInterval(() => this.#keeper.upkeep(this.#keeper.now()), UPKEEP_MS);
    // In Node a timer is an object, and must not keep the process alive.
    const timer: unknown = this.#timer;
    if (timer instanceof Object && "unref" in timer && timer.unref instanceof Function) {
      timer.unref();
    }
  }
}

const FENCED: Closed = { kind: "fenced" };

function stopped(
  code: string,
  message: string,
  facts: { readonly retryAfterMs?: number; readonly cause?: unknown } = {},
): EdgeflakeError {
  return new EdgeflakeError(message, { code, definite: true, ...facts });
}
