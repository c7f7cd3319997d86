/**
 * The lease desk: the Durable Object that leases the worker IDs of one namespace to processes that mint themselves.
 *
 * Invariants, on top of those of core/worker-lease:
 *  K1 A lease leaves only once the storage call took it: the platform's output gate holds the reply until it is on disk.
 *  K2 Nothing of a lease is kept in memory: each call reads what is stored, decides and writes with no await between. It writes
 *     by compare-and-set on what it read, so that of two instances alive at once neither undoes what the other did.
 *  K3 One layout for ever: a call with another one is refused.
 *  K4 The same Idempotency-Key with the same wish gets the same lease again while it is held; with another wish it gets
 *     nothing. Any other acquire gets another worker ID.
 *  K5 An instance whose clock is proved to be frozen (core/object-clock) ends; the next reads the true clock.
 */
import { DurableObject } from "cloudflare:workers";
import type { Refusal } from "../core/errors.ts";
import { type Layout, type LayoutSpec, layoutOf, tickAt } from "../core/layout.ts";
import type { ClockEcho, InstanceClock } from "../core/object-clock.ts";
import {
  type DeskClocks,
  leasableWorkers,
  newFence,
  noWorkerFree,
  refuseClocks,
  refuseMore,
  releasedFence,
  renewedFence,
  stateOf,
  type WorkerLease,
} from "../core/worker-lease.ts";
import { Instance } from "./instance.ts";
import { LeaseStorage, type StoredLease } from "./lease-storage.ts";
import { isToken, newToken } from "./lease-token.ts";

export type LeaseResult =
  | { readonly ok: true; readonly lease: WorkerLease }
  | { readonly ok: false; readonly refusal: Refusal };

/** `clock`: the desk's. */
export type LeaseReply = LeaseResult & { readonly clock: InstanceClock };

export type LeasePageReply = { readonly clock: InstanceClock } & (
  | { readonly ok: true; readonly leases: readonly StoredLease[] }
  | { readonly ok: false; readonly refusal: Refusal }
);

/** A caller, and the bounds of its leases. */
export interface LeaseTerms {
  /** The id of its API key. */
  readonly owner: string;
  /** How many worker IDs the owner may keep from others; null: any number. */
  readonly leasesMax: number | null;
  /** The longest lease. */
  readonly ttlMaxMs: number;
}

/** What an acquiring process asks for. */
export interface LeaseWish {
  readonly holder: string;
  /** As it was asked for; the lease lasts no longer than its terms say. */
  readonly ttlMs: number;
  /** With its owner. */
  readonly idempotencyKey: string;
  readonly terms: LeaseTerms;
}

/** What a renewing process asks for. */
export interface RenewalWish {
  readonly worker: number;
  readonly token: string;
  /** Undefined: as it was acquired or last renewed. Within what the terms say. */
  readonly ttlMs: number | undefined;
  readonly terms: LeaseTerms;
}

export class Leases extends DurableObject<Env> {
  readonly #storage: LeaseStorage;
  readonly #instance: Instance;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#instance = new Instance(ctx);
    this.#storage = new LeaseStorage(ctx.storage);
  }

  /** Leases the worker ID that rested longest; one that never had a lease rested longer than any. */
  acquire(spec: LayoutSpec, wish: LeaseWish, callerNowMs: number, echo: ClockEcho): LeaseReply {
    const clock = this.#instance.checkedClock(echo);
    return { ...this.#acquire(spec, wish, { nowMs: clock.nowMs, callerNowMs }), clock };
  }

  #acquire(spec: LayoutSpec, wish: LeaseWish, clocks: DeskClocks): LeaseResult {
    const opened = this.#open(spec);
    if (!opened.ok) return opened;
    const { layout } = opened;
    const { holder, idempotencyKey, terms } = wish;
    const known = this.#storage.ofKey(idempotencyKey);
    if (known && stateOf(layout, known, clocks.nowMs) === "held") {
      return isSameWish(wish, known) ? { ok: true, lease: known } : otherWish();
    }
    const refusal = refuseClocks(layout, clocks) ?? this.#refuseMore(layout, terms, clocks.nowMs);
    if (refusal) return { ok: false, refusal };
    const free = this.#longestRested(layout, clocks.nowMs);
    if (!free.ok) return free;
    const { worker, before } = free;
    const ttlMs = Math.min(wish.ttlMs, terms.ttlMaxMs);
    const fenced = newFence(layout, clocks, ttlMs, before?.notAfterTick ?? 0);
    if (!fenced.ok) return fenced;
    const lease = {
      worker,
      token: newToken(),
      holder,
      ttlMs,
      ...fenced.fence,
      released: false,
      owner: terms.owner,
      askedTtlMs: wish.ttlMs,
    };
    this.#storage.grant(lease, before, idempotencyKey, layout.fingerprint);
    return { ok: true, lease };
  }

  /** Moves the end of a lease up. */
  renew(spec: LayoutSpec, wish: RenewalWish, callerNowMs: number, echo: ClockEcho): LeaseReply {
    const clock = this.#instance.checkedClock(echo);
    return { ...this.#renew(spec, wish, { nowMs: clock.nowMs, callerNowMs }), clock };
  }

  #renew(spec: LayoutSpec, wish: RenewalWish, clocks: DeskClocks): LeaseResult {
    const opened = this.#open(spec);
    if (!opened.ok) return opened;
    const { layout } = opened;
    const { worker, token, terms } = wish;
    const lease = this.#storage.ofWorker(worker);
    if (!lease || !isToken(token, lease.token) || lease.released) return lost(worker);
    const ttlMs = Math.min(wish.ttlMs ?? lease.ttlMs, terms.ttlMaxMs);
    const fenced = renewedFence(layout, clocks, ttlMs, lease);
    if (!fenced.ok) return fenced;
    const isHeld = stateOf(layout, lease, clocks.nowMs) === "held";
    // Otherwise leases that have ended, each renewed later, would add up past the bound.
    const refusal = isHeld ? undefined : this.#refuseMore(layout, terms, clocks.nowMs);
    if (refusal) return { ok: false, refusal };
    const owner = (isHeld ? lease.owner : null) ?? terms.owner;
    const renewed = { ...lease, ...fenced.fence, ttlMs, owner };
    this.#storage.update(renewed, lease);
    return { ok: true, lease: renewed };
  }

  /**
   * Ends a lease. `untilTick`: its holder has stamped nothing from there on. Idempotent.
   * `token` null: revoked by an administrator, whose word on what was stamped is not taken.
   */
  release(
    spec: LayoutSpec,
    worker: number,
    token: string | null,
    untilTick: number | undefined,
  ): LeaseReply {
    const clock = this.#instance.clock();
    return { ...this.#release(spec, worker, token, untilTick), clock };
  }

  #release(
    spec: LayoutSpec,
    worker: number,
    token: string | null,
    untilTick: number | undefined,
  ): LeaseResult {
    const opened = this.#open(spec);
    if (!opened.ok) return opened;
    const lease = this.#storage.ofWorker(worker);
    if (!lease || (token !== null && !isToken(token, lease.token))) return lost(worker);
    if (lease.released) return { ok: true, lease };
    const fence = releasedFence(lease, token === null ? undefined : untilTick);
    const released = { ...lease, ...fence, released: true };
    this.#storage.update(released, lease);
    return { ok: true, lease: released };
  }

  /** Leases in the order of their worker IDs. Writes nothing. */
  page(spec: LayoutSpec, from: number, limit: number): LeasePageReply {
    const clock = this.#instance.clock();
    const opened = this.#open(spec);
    if (!opened.ok) return { ...opened, clock };
    return { ok: true, clock, leases: this.#storage.page(from, limit) };
  }

  /** Why a caller gets no further worker ID; undefined if it may (E6). */
  #refuseMore(
    layout: Layout,
    { owner, leasesMax }: LeaseTerms,
    nowMs: number,
  ): Refusal | undefined {
    if (leasesMax === null) return undefined;
    return refuseMore(layout, nowMs, this.#storage.keptBy(owner, tickAt(layout, nowMs)), leasesMax);
  }

  #longestRested(
    layout: Layout,
    nowMs: number,
  ):
    | { readonly ok: true; readonly worker: number; readonly before?: StoredLease }
    | { readonly ok: false; readonly refusal: Refusal } {
    const { first, end } = leasableWorkers(layout);
    const fresh = (this.#storage.highestWorker() ?? first - 1) + 1;
    if (fresh < end) return { ok: true, worker: fresh };
    const ended = this.#storage.firstToEnd();
    if (!ended) return { ok: false, refusal: noWorkers() };
    const state = stateOf(layout, { ...ended, released: false }, nowMs);
    // A released lease rests from its end on too: until then its ticks may have been stamped.
    if (state === "held") {
      return { ok: false, refusal: noWorkerFree(layout, nowMs, ended.notAfterTick) };
    }
    return { ok: true, worker: ended.worker, before: ended };
  }

  #open(
    spec: LayoutSpec,
  ):
    | { readonly ok: true; readonly layout: Layout }
    | { readonly ok: false; readonly refusal: Refusal } {
    const layout = layoutOf(spec);
    const stored = this.#storage.fingerprint() ?? layout.fingerprint;
    if (stored === layout.fingerprint) return { ok: true, layout };
    const detail = `This desk's layout is "${stored}"; the call has "${layout.fingerprint}". A layout never changes.`;
    return { ok: false, refusal: { code: "layout_conflict", detail } };
  }
}

/** Whether a lease was acquired by a wish like this one (K4). */
function isSameWish({ holder, ttlMs }: LeaseWish, lease: StoredLease): boolean {
  return holder === lease.holder && ttlMs === (lease.askedTtlMs ?? ttlMs);
}

function otherWish(): LeaseResult {
  const detail =
    "This Idempotency-Key has a lease of another holder or ttlMs; repeat the request as it was, or send another key.";
  return { ok: false, refusal: { code: "idempotency_conflict", detail } };
}

function lost(worker: number): LeaseResult {
  const detail = `The lease of worker ID ${worker} is not this token's: it was released, or went to another.`;
  return { ok: false, refusal: { code: "lease_lost", detail } };
}

function noWorkers(): Refusal {
  const detail = "This layout has no worker IDs to lease: it takes one worker bit at least.";
  return { code: "no_worker_free", detail };
}
