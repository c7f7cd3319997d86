/**
 * The lease of a minter through time: acquired or taken up from a store, renewed before its end, given back.
 *
 * Invariants:
 *  T1 The line's end is the lease's notAfter or, with a store, its durable mark where that is less; it moves up only
 *     once the desk renewed or the store wrote.
 *  T2 A restart begins at the mark in the store. Of two processes on one store, the compare-and-put lets one go on:
 *     the other stops, below the mark at which the one began.
 *  T3 A lease that was lost, or whose store is another's, is dropped at once; the next one has a line of its own.
 *  T4 One job at a time for the desk and one for the store (client/job), so that neither waits for the other. None
 *     fails: what went wrong, or never ended, is tried again, no sooner than the service says, within the lease's ttl.
 *     A piece that comes back late changes nothing. Its answer is no loss: the same Idempotency-Key gets the same
 *     lease, which one piece at most holds, since that ends the key; a renewal only moves notAfter up; a text may
 *     be stored or not (client/store-writer).
 *  T5 Timers use the monotonic clock; the other clocks decide only what an ID says.
 */
import { tickAt, tickStartMs } from "../core/layout.ts";
import { EdgeflakeError } from "./errors.ts";
import { Job } from "./job.ts";
import { beginOf, endOf, isMarkLow, markOf, renewInMs } from "./lease-bounds.ts";
import type { HeldLease, LeaseDesk } from "./lease-desk.ts";
import { MintLine } from "./mint-line.ts";
import type { MinterSettings } from "./minter-options.ts";
import { type MinterStore, readRecord } from "./minter-store.ts";
import { withRetries } from "./retry.ts";
import { STORE_TIMEOUT_MS, StoreWriter } from "./store-writer.ts";
import type { Check } from "./turns.ts";

/** Clocks that differ by less are taken as they are, in ms: a request takes as long. */
const SKEW_MIN_MS = 1000;
/** How long giving a lease back may take, in ms. */
const RELEASE_TIMEOUT_MS = 2000;
/** How long the service may ask to be left alone, in ms, unless a lease is shorter: as long as it lasts by default. */
const REST_MAX_MS = 60_000;
/** How much later than its deadline a piece of work may end, in ms: timers of a busy process are late. */
const LATE_MS = 1000;

interface Holding {
  lease: HeldLease;
  readonly line: MintLine;
  /** Durable in the store; Infinity without one. */
  mark: number;
  /** By performance.now(). */
  renewAtMs: number;
}

export class Tenancy {
  readonly #settings: MinterSettings;
  readonly #desk: LeaseDesk;
  readonly #deskJob: Job;
  readonly #storeJob: Job;
  readonly #store: StoreWriter | undefined;
  #holding: Holding | undefined;
  /** Idempotency-Key of the next lease: an answer that was lost is asked for again by it. */
  #key = crypto.randomUUID();
  /** The lease that came for it, and is not held yet. */
  #acquired: HeldLease | undefined;
  /** The desk's clock less this one's. */
  #skewMs = 0;

  constructor(settings: MinterSettings, desk: LeaseDesk, store: MinterStore | undefined) {
    const { timeoutMs, ttlMs: restMaxMs = REST_MAX_MS, waitUntil } = settings;
    this.#settings = settings;
    this.#desk = desk;
    this.#store = store && new StoreWriter(store, settings);
    this.#storeJob = new Job(STORE_TIMEOUT_MS + LATE_MS, restMaxMs, waitUntil);
    // An acquisition reads the store, asks the desk and writes the store.
    const storeMs = store ? 2 * STORE_TIMEOUT_MS : 0;
    this.#deskJob = new Job(timeoutMs + storeMs + LATE_MS, restMaxMs, waitUntil);
  }

  /** Takes up the lease in the store, or acquires one. Rejects with EdgeflakeError, or what the store throws. */
  async begin(): Promise<void> {
    if (!(await this.#resume())) await this.#acquire(() => undefined);
  }

  get lease(): HeldLease | undefined {
    return this.#holding?.lease;
  }

  get line(): MintLine | undefined {
    return this.#holding?.line;
  }

  /** True: the store is another's, and so is the lease that was in it. */
  get storeLost(): boolean {
    return this.#store?.isLost ?? false;
  }

  /** Why the last job failed; undefined where it did not. */
  get failure(): unknown {
    return this.#storeJob.failure ?? this.#deskJob.failure;
  }

  /** By the desk's clock, as far as known. */
  now(): number {
    return Date.now() + this.#skewMs;
  }

  /** True while the mark in the store, not the lease, is what the line ends at. */
  get endsAtMark(): boolean {
    const holding = this.#holding;
    return holding !== undefined && holding.mark < endOf(holding.lease);
  }

  /** Sets out what is due, in the background. */
  upkeep(nowMs: number): void {
    const holding = this.#holding;
    if (!holding) {
      this.#deskJob.begin((check) => this.#acquire(check));
      return;
    }
    const { lease, line, mark, renewAtMs } = holding;
    if (isMarkLow(lease, line, mark, nowMs)) {
      this.#storeJob.begin(() => this.#writeAhead(holding, nowMs));
    }
    const ended = tickAt(lease.layout, nowMs) >= lease.notAfterTick;
    if (ended || performance.now() >= renewAtMs) {
      this.#deskJob.begin((check) => this.#renew(holding, check));
    }
  }

  /** Gives the lease back, and waits for nothing else. Whatever fails then mends itself: the lease ends. */
  async end(): Promise<void> {
    this.#deskJob.drop();
    this.#storeJob.drop();
    const holding = this.#holding;
    this.#holding = undefined;
    await this.#abandon();
    if (!holding) return;
    const { lease, line, mark } = holding;
    // The store first: nobody may take a released lease up from there. If the store is another's, so is the lease.
    const hasStore = mark !== Number.POSITIVE_INFINITY;
    const isLeft = !hasStore || (await this.#store?.put().catch(() => false));
    if (isLeft) await this.#release(lease, Math.ceil(line.unstamped / lease.layout.sequenceCount));
  }

  /** `untilTick`: nothing was stamped from there on; absent: nobody knows. */
  async #release(lease: HeldLease, untilTick?: number): Promise<void> {
    const { layout } = lease;
    const until = untilTick === undefined ? undefined : tickStartMs(layout, untilTick);
    const limits = { ...this.#settings, timeoutMs: RELEASE_TIMEOUT_MS };
    const releasing = withRetries(limits, (signal) => this.#desk.release(lease, until, signal));
    await releasing.catch(() => undefined);
  }

  async #acquire(check: Check): Promise<void> {
    // What is being written for the lease of before is in doubt from now on.
    this.#storeJob.drop();
    // A store that fails is to fail before a worker ID is taken, and what was taken is not taken again.
    await this.#stored?.read();
    check();
    const { holder, ttlMs } = this.#settings;
    for (let held = false; !held; check()) {
      // The store is another's, who may have read the lease there: the next one is held without it.
      if (this.storeLost) await this.#abandon();
      this.#acquired ??= await this.#asked(check, (signal) =>
        this.#desk.acquire({ holder, ttlMs }, this.#key, signal),
      );
      held = await this.#hold(this.#acquired, beginOf(this.#acquired), check);
    }
  }

  /** Leaves a lease alone that a store may have given to another: it may be stamped to its end. */
  async #abandon(lease = this.#acquired): Promise<void> {
    this.#takeNext();
    if (lease) await this.#release(lease);
  }

  /** From now on another lease is asked for. */
  #takeNext(): void {
    this.#acquired = undefined;
    this.#key = crypto.randomUUID();
  }

  /** Goes on with the lease in the store where it has not ended; false where there is none, or another has it. */
  async #resume(): Promise<boolean> {
    const found = readRecord(await this.#store?.read(), this.#settings);
    if (!found || tickAt(found.lease.layout, Date.now()) >= found.lease.notAfterTick) return false;
    const held = await this.#hold(found.lease, found.mark, () => undefined);
    // The desk says what time it is, and whether the lease is still this one.
    if (this.#holding) this.#holding.renewAtMs = 0;
    return held;
  }

  /** Begins a line at the mark, once the store knows how far it may go. False: the store is another's. */
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

  /** Moves the mark up and, once that is durable, the line's end. False: the store is another's, and so the lease. */
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
      // The namespace's may have changed since.
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

  /** The store, unless there is none or it is another's. */
  get #stored(): StoreWriter | undefined {
    return this.storeLost ? undefined : this.#store;
  }
}
