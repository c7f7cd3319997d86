/**
 * The lease of a minter through time: acquired or taken up from a store, renewed before its end, given back.
 *
 * Invariants:
 *  T1 The line's end is the lease's notAfter or, with a store, its durable mark where that is less; it moves up only
 *     once the desk renewed or the store wrote.
 *  T2 A restart begins at the mark in the store. Of two processes on one store, the compare-and-put lets one go on:
 *     the other stops, below the mark at which the one began.
 *  T3 A lease that was lost, or whose store is another's, is dropped at once; the next one has a line of its own.
 *  T4 One job at a time, and none fails: what went wrong is tried again, no sooner than the service says.
 */
import { tickAt, tickStartMs } from "../core/layout.ts";
import { EdgeflakeError } from "./errors.ts";
import { aheadOf, endOf, reserveMsOf } from "./lease-bounds.ts";
import type { HeldLease, LeaseDesk } from "./lease-desk.ts";
import { MintLine } from "./mint-line.ts";
import type { MinterSettings } from "./minter-options.ts";
import {
  type MinterStore,
  readRecord,
  type StoredLease,
  writeEmptyRecord,
  writeRecord,
} from "./minter-store.ts";
import { withRetries } from "./retry.ts";

/** Clocks that differ by less are taken as they are, in ms: a request takes as long. */
const SKEW_MIN_MS = 1000;
/** A renewal begins early by a random part of the lease's ttl up to this, so that holders do not ask in step. */
const JITTER_PART = 0.1;
/** What failed is tried again after this, in ms, unless the service says later. */
const RETRY_MS = 1000;
/** How long giving a lease back may take, in ms. */
const RELEASE_TIMEOUT_MS = 2000;

interface Holding {
  readonly lease: HeldLease;
  readonly line: MintLine;
  /** Durable in the store; Infinity without one. */
  readonly mark: number;
  /** The text in the store. */
  readonly stored: string | undefined;
  readonly renewAtMs: number;
}

export class Tenancy {
  readonly #settings: MinterSettings;
  readonly #desk: LeaseDesk;
  readonly #owner = crypto.randomUUID();
  #store: MinterStore | undefined;
  #holding: Holding | undefined;
  /** The desk's clock less this one's. */
  #skewMs = 0;
  #job: Promise<void> | undefined;
  #idleUntilMs = 0;
  #failure: unknown;

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
    return this.#failure;
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

  /** Does what is due: a job in the background, which never rejects. */
  upkeep(nowMs: number): Promise<void> {
    if (this.#job) return this.#job;
    if (Date.now() < this.#idleUntilMs || !this.#isDue(nowMs)) return Promise.resolve();
    this.#job = this.#work(nowMs)
      .then(
        () => {
          this.#failure = undefined;
        },
        (error: unknown) => {
          const { retryAfterMs = RETRY_MS } = error instanceof EdgeflakeError ? error : {};
          this.#idleUntilMs = Date.now() + retryAfterMs;
          this.#failure = error;
        },
      )
      .finally(() => {
        this.#job = undefined;
      });
    return this.#job;
  }

  /** Gives the lease back. Whatever fails then mends itself: the lease ends. */
  async end(): Promise<void> {
    await this.#job;
    const holding = this.#holding;
    this.#holding = undefined;
    if (!holding) return;
    const { lease, line, stored } = holding;
    // The store first: once the lease is given back, nobody may take it up from there.
    const left = await this.#put(writeEmptyRecord(this.#owner), stored).catch(() => false);
    if (!left) return;
    const untilTick = Math.ceil(line.unstamped / lease.layout.sequenceCount);
    const until = tickStartMs(lease.layout, Math.max(untilTick, lease.notBeforeTick));
    const limits = { timeoutMs: RELEASE_TIMEOUT_MS, retries: this.#settings.retries };
    const releasing = withRetries(limits, (signal) => this.#desk.release(lease, until, signal));
    await releasing.catch(() => undefined);
  }

  #isDue(nowMs: number): boolean {
    const holding = this.#holding;
    return !holding || nowMs >= holding.renewAtMs || this.#isMarkLow(holding, nowMs);
  }

  #isMarkLow({ lease, line, mark }: Holding, nowMs: number): boolean {
    if (mark >= endOf(lease)) return false;
    return mark < aheadOf(lease, line, nowMs, reserveMsOf(lease) / 2);
  }

  async #work(nowMs: number): Promise<void> {
    const holding = this.#holding;
    if (!holding) return await this.#acquire();
    // The mark first: it needs no network.
    if (this.#isMarkLow(holding, nowMs)) await this.#writeAhead(holding, nowMs);
    if (this.#holding && nowMs >= holding.renewAtMs) await this.#renew(this.#holding);
  }

  async #acquire(): Promise<void> {
    const { holder, ttlMs } = this.#settings;
    const key = crypto.randomUUID();
    const lease = await this.#asked((signal) => this.#desk.acquire({ holder, ttlMs }, key, signal));
    const begin = lease.notBeforeTick * lease.layout.sequenceCount;
    const stored = await this.#store?.get();
    const renewAtMs = this.#renewAt(lease);
    // Where the store is another's, the lease is ours all the same, and is held without it.
    for (let held = false; !held; ) {
      held = await this.#hold({ lease, mark: begin }, stored, renewAtMs);
    }
  }

  /** Goes on with the lease in the store where it has not ended; false where there is none, or another has it. */
  async #resume(): Promise<boolean> {
    const stored = await this.#store?.get();
    const found = readRecord(stored, this.#settings.namespace);
    if (!found || found.mark >= endOf(found.lease)) return false;
    if (tickAt(found.lease.layout, Date.now()) >= found.lease.notAfterTick) return false;
    // The desk says what time it is, and whether the lease is still this one.
    return await this.#hold(found, stored, 0);
  }

  /** Begins a line at the mark, once the store knows how far it may go. False: the store is another's. */
  async #hold(
    { lease, mark }: StoredLease,
    stored: string | undefined,
    renewAtMs: number,
  ): Promise<boolean> {
    const { layout, policy, worker } = lease;
    const line = new MintLine(layout, policy, worker, mark, mark);
    const begun = { lease, line, mark, stored, renewAtMs };
    if (!this.#store) {
      line.raiseEnd(endOf(lease));
      this.#holding = { ...begun, mark: Number.POSITIVE_INFINITY };
      return true;
    }
    return await this.#writeAhead(begun, this.now());
  }

  /** Moves the mark up and, once that is durable, the line's end. False: the store is another's, and so the lease. */
  async #writeAhead(holding: Holding, nowMs: number): Promise<boolean> {
    const { lease, line } = holding;
    const reserveMs = reserveMsOf(lease);
    const mark = Math.min(endOf(lease), aheadOf(lease, line, nowMs, reserveMs));
    const text = writeRecord(this.#settings.namespace, this.#textOwner(), { lease, mark });
    if (!(await this.#put(text, holding.stored))) {
      this.#dropStore();
      return false;
    }
    line.raiseEnd(mark);
    this.#holding = { ...holding, mark, stored: text };
    return true;
  }

  async #renew(holding: Holding): Promise<void> {
    try {
      const lease = await this.#asked((signal) => this.#desk.renew(holding.lease, signal));
      if (!this.#store) holding.line.raiseEnd(endOf(lease));
      this.#holding = { ...holding, lease, renewAtMs: this.#renewAt(lease) };
    } catch (error) {
      if (!(error instanceof EdgeflakeError) || error.code !== "lease_lost") throw error;
      this.#holding = undefined;
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

  #renewAt({ renewAfterMs, ttlMs }: HeldLease): number {
    return renewAfterMs - Math.random() * JITTER_PART * ttlMs;
  }

  #put(text: string, expected: string | undefined): Promise<boolean> {
    return this.#store ? this.#store.put(text, expected) : Promise.resolve(true);
  }

  /** Each text is one of its kind, so that comparing texts tells who wrote last. */
  #textOwner(): string {
    return `${this.#owner} ${crypto.randomUUID()}`;
  }

  /** Another process goes on with this store and its lease: this one needs a lease of its own, and no store. */
  #dropStore(): void {
    this.#store = undefined;
    this.#holding = undefined;
  }
}
