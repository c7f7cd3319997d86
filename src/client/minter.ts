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

/** IDs that one reading of the clock serves at most. */
const READING_USES_MAX = 64;
/** How often the minter looks for work that is due, in ms: several times within the shortest ttl and reserve. */
const UPKEEP_MS = 250;
/** The longest sleep of `ready` before it looks again, in ms: a renewal may bring another time. */
const READY_LOOK_MS = 100;
/** How long to wait for a pending answer of the desk or store, in ms. */
const BUSY_WAIT_MS = 20;

/**
 * A process's own source of IDs: it leases a worker ID and stamps with it, synchronously, with no request an ID.
 * Renews its lease in the background; loses it safely: nothing is ever stamped outside of a lease.
 *
 * @example
 * const ids = await Minter.open({ url: "https://ids.example.com", key, namespace: "orders", holder: "pod-7" });
 * const id = ids.next();
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
   * Leases a worker ID, or resumes the lease in the store, and waits until `next` has an ID. Rejects with
   * EdgeflakeError, or with the error of the store.
   */
  static async open(options: MinterOptions): Promise<Minter> {
    const settings = settingsOf(options);
    const desk = new LeaseDesk(httpAsk(options.url, options.key), settings.namespace);
    const keeper = new LeaseKeeper(settings, desk, options.store);
    const minter = new Minter(settings.timeoutMs, keeper);
    try {
      await keeper.begin();
      minter.#keepUp();
      // A line that begins ahead of this clock, at its lease or at a mark, opens in a moment.
      await minter.ready();
    } catch (error) {
      await minter.close();
      throw error;
    }
    return minter;
  }

  /** The worker ID on lease; undefined while there is none. */
  get worker(): number | undefined {
    return this.#keeper.lease?.worker;
  }

  /**
   * True once another process took over the store. This one then leased a worker ID of its own and keeps it in no store,
   * so a restart leases yet another. Give each process a store of its own.
   */
  get storeLost(): boolean {
    return this.#keeper.storeLost;
  }

  /** One ID, decimal. Throws EdgeflakeError: `shard_saturated` (ahead of the clock), `lease_lost`, `closed`. */
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

  /** `next`, as a bigint. */
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

  /** `count` IDs, 1 to 1,000,000, decimal: all of them, or it throws as `next` does and stamps none. */
  take(count: number): string[] {
    checkCount(count);
    const line = this.#held();
    const { takeMax } = line;
    if (count > takeMax) {
      throw new RangeError(`cannot take ${count} IDs: this namespace opens ${takeMax} at once`);
    }
    this.#uses = 0;
    const taken = line.take(this.#keeper.now(), count);
    if ("kind" in taken) throw this.#errorOf(taken);
    // As long as it will be: an array that grows costs as much again.
    const ids = new Array<string>(count);
    let place = 0;
    for (const run of taken) place = flatTextsInto(ids, place, run);
    return ids;
  }

  /** Waits until `next` has an ID. Rejects with the error that it would throw, or the signal's reason. */
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

  /** Stops stamping and gives the lease back, within some seconds. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#uses = 0;
    if (this.#timer !== undefined) clearInterval(this.#timer);
    await this.#keeper.end();
  }

  /** The line of the lease that is held. Starts the tasks that are due. */
  #held(): MintLine {
    if (!this.#closed) this.#keeper.upkeep(this.#keeper.now());
    const { line } = this.#keeper;
    if (!line) throw this.#errorOf(FENCED);
    return line;
  }

  /** A line with an ID to hand out. For the rest of this synchronous turn the clock is not read again. */
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
      const message = `The line is ahead of its clock or store; try again in ${retryAfterMs} ms.`;
      return stopped("shard_saturated", message, { retryAfterMs, cause });
    }
    return stopped("lease_lost", "There is no lease at this moment.", { cause });
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
