/**
 * The lease of a minter through time: acquired or taken up from a store, renewed before its end, given back.
 *
 * Invariants:
 *  T1 The line's end is the lease's notAfter or, with a store, its durable mark where that is less; it moves up only
 *     once the desk renewed or the store wrote.
 *  T2 A restart begins at the mark in the store. Of two processes on one store, the compare-and-put lets one go on:
 *     the other stops, below the mark at which the one began.
 *  T3 A lease that was lost, or whose store is another's, is dropped at once; the next one has a line of its own.
 *  T4 One job at a time for the desk and one for the store, so that neither waits for the other. None fails: what
 *     went wrong is tried again, no sooner than the service says, within the lease's ttl.
 *  T5 What is due is told by a clock that is never set: the others decide no more than what an ID says.
 */
import { tickAt, tickStartMs } from "../core/layout.ts";
import { EdgeflakeError } from "./errors.ts";
import { Job } from "./job.ts";
import { aheadOf, beginOf, endOf, renewInMs, reserveMsOf } from "./lease-bounds.ts";
import type { HeldLease, LeaseDesk } from "./lease-desk.ts";
import { MintLine } from "./mint-line.ts";
import type { MinterSettings } from "./minter-options.ts";
import { type MinterStore, readRecord, writeEmptyRecord, writeRecord } from "./minter-store.ts";
import { withRetries } from "./retry.ts";

/** Clocks that differ by less are taken as they are, in ms: a request takes as long. */
const SKEW_MIN_MS = 1000;
/** How long giving a lease back may take, in ms. */
const RELEASE_TIMEOUT_MS = 2000;

interface Holding {
  lease: HeldLease;
  readonly line: MintLine;
  /** Durable in the store; Infinity without one. */
  mark: number;
  /** The text in the store. */
  stored: string | undefined;
  /** By performance.now(). */
  renewAtMs: number;
}

/** A lease that is not held yet, and the texts of which one is stored as long as nobody else wrote. */
interface Acquired {
  readonly lease: HeldLease;
  readonly texts: (string | undefined)[];
}

export class Tenancy {
  readonly #settings: MinterSettings;
  readonly #desk: LeaseDesk;
  readonly #owner = crypto.randomUUID();
  readonly #deskJob = new Job();
  readonly #storeJob = new Job();
  #store: MinterStore | undefined;
  #holding: Holding | undefined;
  /** Idempotency-Key of the next lease: an answer that was lost is asked for again by it. */
  #key = crypto.randomUUID();
  #acquired: Acquired | undefined;
  /** The desk's clock less this one's. */
  #skewMs = 0;

  constructor(settings: MinterSettings, desk: LeaseDesk, store: MinterStore | undefined) {
    this.#settings = settings;
    this.#desk = desk;
    this.#store = store;
  }

  /** Takes up the lease in the store, or acquires one. Rejects with EdgeflakeError, or what the store throws. */
  async begin(): Promise<void> {
    if (!(await this.#resume())) await this.#acquire();
  }

  get lease(): HeldLease | undefined {
    return this.#holding?.lease;
  }

  get line(): MintLine | undefined {
    return this.#holding?.line;
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
    const capMs = holding?.lease.ttlMs ?? this.#settings.ttlMs;
    if (!holding) this.#deskJob.begin(() => this.#acquire(), capMs);
    else {
      if (this.#isMarkLow(holding, nowMs)) {
        this.#storeJob.begin(() => this.#writeAhead(holding, nowMs), capMs);
      }
      const ended = tickAt(holding.lease.layout, nowMs) >= holding.lease.notAfterTick;
      if (ended || performance.now() >= holding.renewAtMs) {
        this.#deskJob.begin(() => this.#renew(holding), capMs);
      }
    }
  }

  /** Resolves once nothing is under way. */
  async settled(): Promise<void> {
    await Promise.all([this.#deskJob.ended(), this.#storeJob.ended()]);
  }

  /** Gives the lease back. Whatever fails then mends itself: the lease ends. */
  async end(): Promise<void> {
    await this.settled();
    const holding = this.#holding;
    this.#holding = undefined;
    await this.#abandon();
    if (!holding) return;
    const { lease, line, stored } = holding;
    // The store first: once the lease is given back, nobody may take it up from there.
    const left = await this.#put(writeEmptyRecord(this.#owner), stored).catch(() => false);
    if (left) await this.#release(lease, Math.ceil(line.unstamped / lease.layout.sequenceCount));
  }

  /** `untilTick`: nothing was stamped from there on; absent: nobody knows. */
  async #release(lease: HeldLease, untilTick?: number): Promise<void> {
    const { layout } = lease;
    const until = untilTick === undefined ? undefined : tickStartMs(layout, untilTick);
    const limits = { ...this.#settings, timeoutMs: RELEASE_TIMEOUT_MS };
    const releasing = withRetries(limits, (signal) => this.#desk.release(lease, until, signal));
    await releasing.catch(() => undefined);
  }

  #isMarkLow({ lease, line, mark }: Holding, nowMs: number): boolean {
    if (mark >= endOf(lease)) return false;
    return mark < aheadOf(lease, line, nowMs, reserveMsOf(lease) / 2);
  }

  async #acquire(): Promise<void> {
    // What is being written there for the lease of before is not another's.
    if (this.#storeJob.isBusy) await this.#storeJob.ended();
    // A store that fails is to fail before a worker ID is taken, and what was taken is not taken again.
    const stored = this.#store && (await this.#store.get());
    if (this.#acquired && !this.#acquired.texts.includes(stored)) await this.#abandon();
    const asked = () => this.#asked((signal) => this.#acquireNow(signal));
    for (let held = false; !held; ) {
      this.#acquired ??= { lease: await asked(), texts: [stored] };
      const { lease } = this.#acquired;
      held = await this.#hold(lease, beginOf(lease), stored);
      // The store is another's, who may have read the lease there: the next one is held without it.
      if (!held) await this.#abandon();
    }
    this.#acquired = undefined;
    this.#key = crypto.randomUUID();
  }

  /** Leaves a lease alone that a store may have given to another: it may be stamped to its end. */
  async #abandon(): Promise<void> {
    const { lease } = this.#acquired ?? {};
    this.#acquired = undefined;
    this.#key = crypto.randomUUID();
    if (lease) await this.#release(lease);
  }

  #acquireNow(signal: AbortSignal): Promise<HeldLease> {
    const { holder, ttlMs } = this.#settings;
    return this.#desk.acquire({ holder, ttlMs }, this.#key, signal);
  }

  /** Goes on with the lease in the store where it has not ended; false where there is none, or another has it. */
  async #resume(): Promise<boolean> {
    const stored = await this.#store?.get();
    const found = readRecord(stored, this.#settings);
    if (!found || tickAt(found.lease.layout, Date.now()) >= found.lease.notAfterTick) return false;
    const held = await this.#hold(found.lease, found.mark, stored);
    // The desk says what time it is, and whether the lease is still this one.
    if (this.#holding) this.#holding.renewAtMs = 0;
    return held;
  }

  /** Begins a line at the mark, once the store knows how far it may go. False: the store is another's. */
  async #hold(lease: HeldLease, mark: number, stored: string | undefined): Promise<boolean> {
    const { layout, policy, worker } = lease;
    const line = new MintLine(layout, policy, worker, mark, mark);
    const renewAtMs = performance.now() + renewInMs(lease);
    const holding: Holding = { lease, line, mark, stored, renewAtMs };
    if (this.#store) {
      if (!(await this.#writeAhead(holding, this.now()))) return false;
    } else {
      line.raiseEnd(endOf(lease));
      holding.mark = Number.POSITIVE_INFINITY;
    }
    this.#holding = holding;
    return true;
  }

  /** Moves the mark up and, once that is durable, the line's end. False: the store is another's, and so the lease. */
  async #writeAhead(holding: Holding, nowMs: number): Promise<boolean> {
    const { lease, line } = holding;
    const mark = Math.min(endOf(lease), aheadOf(lease, line, nowMs, reserveMsOf(lease)));
    // Each text is one of its kind, so that comparing texts tells who wrote last.
    const owner = `${this.#owner} ${crypto.randomUUID()}`;
    const text = writeRecord(this.#settings, owner, { lease, mark });
    // A put that fails may have been carried out.
    if (this.#acquired?.lease === lease) this.#acquired.texts.push(text);
    if (!(await this.#put(text, holding.stored))) {
      this.#store = undefined;
      if (this.#holding === holding) this.#holding = undefined;
      return false;
    }
    line.raiseEnd(mark);
    holding.mark = mark;
    holding.stored = text;
    return true;
  }

  async #renew(holding: Holding): Promise<void> {
    try {
      const lease = await this.#asked((signal) => this.#desk.renew(holding.lease, signal));
      holding.lease = lease;
      // The namespace's may have changed since.
      holding.line.follow(lease.policy);
      holding.renewAtMs = performance.now() + renewInMs(lease);
      if (!this.#store) holding.line.raiseEnd(endOf(lease));
    } catch (error) {
      if (!(error instanceof EdgeflakeError) || error.code !== "lease_lost") throw error;
      if (this.#holding === holding) this.#holding = undefined;
      await this.#acquire();
    }
  }

  async #asked(ask: (signal: AbortSignal) => Promise<HeldLease>): Promise<HeldLease> {
    let askedAtMs = 0;
    const lease = await withRetries(this.#settings, (signal) => {
      askedAtMs = Date.now();
      return ask(signal);
    });
    const skewMs = lease.deskNowMs - (askedAtMs + Date.now()) / 2;
    this.#skewMs = Math.abs(skewMs) < SKEW_MIN_MS ? 0 : Math.round(skewMs);
    return lease;
  }

  #put(text: string, expected: string | undefined): Promise<boolean> {
    return this.#store ? this.#store.put(text, expected) : Promise.resolve(true);
  }
}
