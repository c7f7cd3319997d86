/**
 * The lease desk: the Durable Object that leases the worker IDs of one namespace to processes that mint themselves.
 *
 * Invariants, on top of those of core/worker-lease:
 *  K1 A lease leaves only once the storage call took it: the platform's output gate holds the reply until it is on disk.
 *  K2 Nothing of a lease is kept in memory: each call reads what is stored, decides and writes with no await between. It writes
 *     by compare-and-set on what it read, so that of two instances alive at once neither undoes what the other did.
 *  K3 One layout for ever: a call with another one is refused.
 *  K4 The same Idempotency-Key gets the same lease again while it is held; any other acquire gets another worker ID.
 *  K5 An instance whose clock is proved to stand still (core/object-clock) ends; the next reads the true clock.
 */
import { DurableObject } from "cloudflare:workers";
import type { Refusal } from "../core/errors.ts";
import { type Layout, type LayoutSpec, layoutOf } from "../core/layout.ts";
import type { ClockEcho, InstanceClock } from "../core/object-clock.ts";
import {
  type DeskClocks,
  leasableWorkers,
  newFence,
  noWorkerFree,
  refuseClocks,
  releasedFence,
  renewedFence,
  stateOf,
  type WorkerLease,
} from "../core/worker-lease.ts";
import { Instance } from "./instance.ts";
import { LeaseStorage } from "./lease-storage.ts";

/** Random bits of a token: 192, beyond any guess. */
const TOKEN_BYTES = 24;

export type LeaseResult =
  | { readonly ok: true; readonly lease: WorkerLease }
  | { readonly ok: false; readonly refusal: Refusal };

/** `clock`: the desk's. */
export type LeaseReply = LeaseResult & { readonly clock: InstanceClock };

export type LeasePageReply = { readonly clock: InstanceClock } & (
  | { readonly ok: true; readonly leases: readonly WorkerLease[] }
  | { readonly ok: false; readonly refusal: Refusal }
);

/** What an acquiring process asks for. */
export interface LeaseWish {
  readonly holder: string;
  readonly ttlMs: number;
  /** With its owner. */
  readonly idempotencyKey: string;
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
    const known = this.#storage.ofKey(wish.idempotencyKey);
    if (known && stateOf(layout, known, clocks.nowMs) === "held") {
      return { ok: true, lease: known };
    }
    const refusal = refuseClocks(layout, clocks);
    if (refusal) return { ok: false, refusal };
    const free = this.#longestRested(layout, clocks.nowMs);
    if (!free.ok) return free;
    const { worker, before } = free;
    const fenced = newFence(layout, clocks, wish.ttlMs, before?.notAfterTick ?? 0);
    if (!fenced.ok) return fenced;
    const { holder, ttlMs, idempotencyKey } = wish;
    const lease = { worker, token: newToken(), holder, ttlMs, ...fenced.fence, released: false };
    this.#storage.grant(lease, before, idempotencyKey, layout.fingerprint);
    return { ok: true, lease };
  }

  /** Moves the end of a lease up. `ttlMs`: as it was acquired or last renewed, unless given. */
  renew(
    spec: LayoutSpec,
    worker: number,
    token: string,
    ttlMs: number | undefined,
    callerNowMs: number,
    echo: ClockEcho,
  ): LeaseReply {
    const clock = this.#instance.checkedClock(echo);
    const clocks = { nowMs: clock.nowMs, callerNowMs };
    return { ...this.#renew(spec, worker, token, ttlMs, clocks), clock };
  }

  #renew(
    spec: LayoutSpec,
    worker: number,
    token: string,
    ttlMs: number | undefined,
    clocks: DeskClocks,
  ): LeaseResult {
    const opened = this.#open(spec);
    if (!opened.ok) return opened;
    const lease = this.#storage.ofWorker(worker);
    if (!lease || !isToken(token, lease.token) || lease.released) return lost(worker);
    const wishedMs = ttlMs ?? lease.ttlMs;
    const fenced = renewedFence(opened.layout, clocks, wishedMs, lease);
    if (!fenced.ok) return fenced;
    const renewed = { ...lease, ...fenced.fence, ttlMs: wishedMs };
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

  #longestRested(
    layout: Layout,
    nowMs: number,
  ):
    | { readonly ok: true; readonly worker: number; readonly before?: WorkerLease }
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

function newToken(): string {
  return crypto
    .getRandomValues(new Uint8Array(TOKEN_BYTES))
    .toBase64({ alphabet: "base64url", omitPadding: true });
}

/** In constant time, so that no guess is told how much of it is right. */
function isToken(given: string, token: string): boolean {
  const encoder = new TextEncoder();
  const one = encoder.encode(given);
  const other = encoder.encode(token);
  return one.length === other.length && crypto.subtle.timingSafeEqual(one, other);
}

function lost(worker: number): LeaseResult {
  const detail = `The lease of worker ID ${worker} is not this token's: it was released, or went to another.`;
  return { ok: false, refusal: { code: "lease_lost", detail } };
}

function noWorkers(): Refusal {
  const detail = "This layout has no worker IDs to lease: it takes one worker bit at least.";
  return { code: "no_worker_free", detail };
}
