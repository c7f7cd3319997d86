/**
 * Keeps the lease of a minter: acquires it or resumes it from a store, renews it before its end, releases it.
 *
 * Invariants:
 *  T1 The line ends at the lease's notAfter or, with a store, at its durable mark if that is lower. The end moves up
 *     only after the desk renewed the lease or the store wrote the mark.
 *  T2 A restart begins at the mark in the store. Of two processes on one store, compare-and-put lets one continue: the
 *     other stops below the mark at which the first began.
 *  T3 A lease is dropped at once if it is lost, or if another process took its store. The next one has its own line.
 *  T4 One background task (client/background-task) asks the desk and one writes the store, so that neither waits for
 *     the other. Neither rejects: a run that failed or never ended is repeated, no sooner than the service asks for,
 *     within the lease's ttl. A run that returns late changes nothing, and its response is not lost: the same
 *     Idempotency-Key gets the same lease, and at most one run holds it, since holding it ends the key; a renewal only
 *     moves notAfter up; a text may be stored or not (client/store-writer).
 *  T5 Timers use the monotonic clock; the other clocks decide only the time in an ID.
 */
import { tickAt, tickStartMs } from "../core/layout/layout.ts";
import { BackgroundTask } from "./background-task.ts";
import { EdgeflakeError } from "./errors.ts";
import { beginOf, endOf, isMarkLow, markOf, renewInMs } from "./lease-bounds.ts";
import type { HeldLease, LeaseDesk } from "./lease-desk.ts";
import { MintLine } from "./mint-line.ts";
import type { MinterSettings } from "./minter-options.ts";
import { type MinterStore, readRecord } from "./minter-store.ts";
import { withRetries } from "./retry.ts";
import { STORE_TIMEOUT_MS, StoreWriter } from "./store-writer.ts";
import type { Check } from "./turns.ts";

/** Smaller differences of two clocks are ignored, in ms: a request takes as long. */
const SKEW_MIN_MS = 1000;
/** The deadline of a release, in ms. */
const RELEASE_TIMEOUT_MS = 2000;
/** The longest pause that the service may ask for, in ms, unless a lease is shorter: the default ttl. */
const REST_MAX_MS = 60_000;
/** How far past its deadline a run may end, in ms: timers of a busy process are late. */
const LATE_MS = 1000;

interface Holding {
  lease: HeldLease;
  readonly line: MintLine;
  /** Durable in the store; Infinity without a store. */
  mark: number;
  /** By performance.now(). */
  renewAtMs: number;
}

export class LeaseKeeper {
  readonly #settings: MinterSettings;
  readonly #desk: LeaseDesk;
  readonly #deskTask: BackgroundTask;
  readonly #storeTask: BackgroundTask;
  readonly #store: StoreWriter | undefined;
  #holding: Holding | undefined;
  /** Of the next lease: a lost response is requested again with it. */
  #idempotencyKey = crypto.randomUUID();
  /** The lease acquired with that key, not held yet. */
  #acquired: HeldLease | undefined;
  /** The desk's clock minus this one, in ms. */
  #skewMs = 0;

  constructor(settings: MinterSettings, desk: LeaseDesk, store: MinterStore | undefined) {
    const { timeoutMs, ttlMs: restMaxMs = REST_MAX_MS, waitUntil } = settings;
    this.#settings = settings;
    this.#desk = desk;
    this.#store = store && new StoreWriter(store, settings);
    this.#storeTask = new BackgroundTask(STORE_TIMEOUT_MS + LATE_MS, restMaxMs, waitUntil);
    // An acquisition reads the store, asks the desk and writes the store.
    const storeMs = store ? 2 * STORE_TIMEOUT_MS : 0;
    this.#deskTask = new BackgroundTask(timeoutMs + storeMs + LATE_MS, restMaxMs, waitUntil);
  }

  /** Resumes the lease in the store, or acquires one. Rejects with EdgeflakeError, or with the error of the store. */
  async begin(): Promise<void> {
    if (!(await this.#resume())) await this.#acquire(() => undefined);
  }

  get lease(): HeldLease | undefined {
    return this.#holding?.lease;
  }

  get line(): MintLine | undefined {
    return this.#holding?.line;
  }

  /** True once another process took over the store, and the lease in it. */
  get storeLost(): boolean {
    return this.#store?.isLost ?? false;
  }

  /** Why the last run failed; undefined if it did not. */
  get failure(): unknown {
    return this.#storeTask.failure ?? this.#deskTask.failure;
  }

  /** An estimate of the desk's clock, in unix ms. */
  now(): number {
    return Date.now() + this.#skewMs;
  }

  /** True while the line ends at the mark in the store, not at the end of the lease. */
  get endsAtMark(): boolean {
    const holding = this.#holding;
    return holding !== undefined && holding.mark < endOf(holding.lease);
  }

  /** Starts the tasks whose time has come, in the background. */
  upkeep(nowMs: number): void {
    const holding = this.#holding;
    if (!holding) {
      this.#deskTask.begin((check) => this.#acquire(check));
      return;
    }
    const { lease, line, mark, renewAtMs } = holding;
    if (isMarkLow(lease, line, mark, nowMs)) {
      this.#storeTask.begin(() => this.#writeAhead(holding, nowMs));
    }
    const ended = tickAt(lease.layout, nowMs) >= lease.notAfterTick;
    if (ended || performance.now() >= renewAtMs) {
      this.#deskTask.begin((check) => this.#renew(holding, check));
    }
  }

  /** Releases the lease. Never rejects: a lease that could not be released expires. */
  async end(): Promise<void> {
    this.#deskTask.drop();
    this.#storeTask.drop();
    const holding = this.#holding;
    this.#holding = undefined;
    await this.#abandon();
    if (!holding) return;
    const { lease, line, mark } = holding;
    // The store first: no process may resume a released lease. Another process with the store has the lease too.
    const hasStore = mark !== Number.POSITIVE_INFINITY;
    const isLeft = !hasStore || (await this.#store?.put().catch(() => false));
    if (isLeft) await this.#release(lease, Math.ceil(line.unstamped / lease.layout.sequenceCount));
  }

  /** `untilTick`: the first tick that was not stamped, if known. */
  async #release(lease: HeldLease, untilTick?: number): Promise<void> {
    const { layout } = lease;
    const until = untilTick === undefined ? undefined : tickStartMs(layout, untilTick);
    const limits = { ...this.#settings, timeoutMs: RELEASE_TIMEOUT_MS };
    const releasing = withRetries(limits, (signal) => this.#desk.release(lease, until, signal));
    await releasing.catch(() => undefined);
  }

  async #acquire(check: Check): Promise<void> {
    // A write under way for the last lease is in doubt from now on.
    this.#storeTask.drop();
    // If the store fails, it must fail before a worker ID is taken.
    await this.#stored?.read();
    check();
    const { holder, ttlMs } = this.#settings;
    for (let held = false; !held; check()) {
      // Another process took the store and may have read the lease there: the next lease is held without the store.
      if (this.storeLost) await this.#abandon();
      this.#acquired ??= await this.#asked(check, (signal) =>
        this.#desk.acquire({ holder, ttlMs }, this.#idempotencyKey, signal),
      );
      held = await this.#hold(this.#acquired, beginOf(this.#acquired), check);
    }
  }

  /** Releases a lease that another process may have read from the store, and may stamp to its end. */
  async #abandon(lease = this.#acquired): Promise<void> {
    this.#takeNext();
    if (lease) await this.#release(lease);
  }

  /** Later requests are for another lease. */
  #takeNext(): void {
    this.#acquired = undefined;
    this.#idempotencyKey = crypto.randomUUID();
  }

  /** Resumes the lease in the store. False if the store has no lease, or it ended, or another process has it. */
  async #resume(): Promise<boolean> {
    const found = readRecord(await this.#store?.read(), this.#settings);
    if (!found || tickAt(found.lease.layout, Date.now()) >= found.lease.notAfterTick) return false;
    const held = await this.#hold(found.lease, found.mark, () => undefined);
    // A renewal shows the desk's time, and whether the lease was lost.
    if (this.#holding) this.#holding.renewAtMs = 0;
    return held;
  }

  /** Begins a line at the mark, once the store has its end. False if another process took over the store. */
  async #hold(lease: HeldLease, mark: number, check: Check): Promise<boolean> {
    check();
    const { layout, policy, worker } = lease;
    const line = new MintLine(layout, policy, worker, mark, mark);
    const renewAtMs = performance.now() + renewInMs(lease);
    const holding: Holding = { lease, line, mark, renewAtMs };
    if (this.#stored) {
      const isWritten = await this.#writeAhead(holding, this.now());
      check();
      if (!isWritten) return false;
    } else {
      line.raiseEnd(endOf(lease));
      holding.mark = Number.POSITIVE_INFINITY;
    }
    this.#holding = holding;
    this.#takeNext();
    return true;
  }

  /** Moves the mark up and, once that is durable, the line's end. False if another process took store and lease. */
  async #writeAhead(holding: Holding, nowMs: number): Promise<boolean> {
    const { lease, line } = holding;
    const mark = markOf(lease, line, nowMs);
    if (!(await this.#stored?.put({ lease, mark }))) {
      if (this.#holding === holding) this.#holding = undefined;
      return false;
    }
    line.raiseEnd(mark);
    holding.mark = mark;
    return true;
  }

  async #renew(holding: Holding, check: Check): Promise<void> {
    try {
      const lease = await this.#asked(check, (signal) => this.#desk.renew(holding.lease, signal));
      holding.lease = lease;
      // The namespace's policy may have changed.
      holding.line.follow(lease.policy);
      holding.renewAtMs = performance.now() + renewInMs(lease);
      if (holding.mark === Number.POSITIVE_INFINITY) holding.line.raiseEnd(endOf(lease));
    } catch (error) {
      check();
      if (!(error instanceof EdgeflakeError) || error.code !== "lease_lost") throw error;
      if (this.#holding === holding) this.#holding = undefined;
    }
  }

  async #asked(check: Check, ask: (signal: AbortSignal) => Promise<HeldLease>): Promise<HeldLease> {
    let askedAtMs = 0;
    const lease = await withRetries(this.#settings, (signal) => {
      askedAtMs = Date.now();
      return ask(signal);
    });
    check();
    const skewMs = lease.deskNowMs - (askedAtMs + Date.now()) / 2;
    this.#skewMs = Math.abs(skewMs) < SKEW_MIN_MS ? 0 : Math.round(skewMs);
    return lease;
  }

  /** The store, unless another process took it over. */
  get #stored(): StoreWriter | undefined {
    return this.storeLost ? undefined : this.#store;
  }
}
