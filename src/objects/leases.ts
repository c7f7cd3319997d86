/**
 * The lease desk: the Durable Object that leases the worker IDs of one namespace to processes that create IDs
 * themselves.
 *
 * Invariants, on top of those of core/lease/lease-desk:
 *  K1 A reply leaves only after its lease was stored: the platform's output gate holds it until the write is on disk.
 *  K2 No lease is cached in memory: each call reads the stored rows, decides and writes, without an await in between.
 *     It writes by compare-and-set on the rows it read, so two concurrent instances can't undo each other's work.
 *  K3 The layout never changes: a call with another layout is refused.
 *  K4 An instance with a provably frozen clock (core/line/object-clock) ends; the next one reads the true clock.
 */
import { DurableObject } from "cloudflare:workers";
import { type Layout, type LayoutSpec, layoutOf } from "../core/layout/layout.ts";
import {
  type AcquireInput,
  acquire,
  type LeaseOutcome,
  type LeaseResult,
  type LeaseRows,
  type ReleaseInput,
  type RenewInput,
  release,
  renew,
} from "../core/lease/lease-desk.ts";
import type { WorkerLease } from "../core/lease/worker-lease.ts";
import type { ClockEcho, InstanceClock } from "../core/line/object-clock.ts";
import type { Refusal } from "../core/refusal.ts";
import { Instance } from "./instance.ts";
import { LeaseStorage } from "./lease-storage.ts";
import { isToken, newToken } from "./lease-token.ts";

/** A result with the desk's clock. */
export type LeaseReply = LeaseResult & { readonly clock: InstanceClock };

export type LeasePageReply = { readonly clock: InstanceClock } & (
  | { readonly ok: true; readonly leases: readonly WorkerLease[] }
  | { readonly ok: false; readonly refusal: Refusal }
);

export class Leases extends DurableObject<Env> {
  readonly #storage: LeaseStorage;
  readonly #instance: Instance;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#instance = new Instance(ctx);
    this.#storage = new LeaseStorage(ctx.storage);
  }

  acquire(spec: LayoutSpec, input: AcquireInput, callerNowMs: number, echo: ClockEcho): LeaseReply {
    const clock = this.#instance.checkedClock(echo);
    const { nowMs } = clock;
    return this.#step(spec, clock, (layout, rows) =>
      acquire({ layout, rows, nowMs, callerNowMs }, input, newToken()),
    );
  }

  renew(spec: LayoutSpec, input: RenewInput, callerNowMs: number, echo: ClockEcho): LeaseReply {
    const clock = this.#instance.checkedClock(echo);
    const { nowMs } = clock;
    return this.#step(spec, clock, (layout, rows) =>
      renew({ layout, rows, nowMs, callerNowMs }, input, isToken),
    );
  }

  release(spec: LayoutSpec, input: ReleaseInput): LeaseReply {
    return this.#step(spec, this.#instance.clock(), (_, rows) => release(rows, input, isToken));
  }

  /** Leases in order of their worker IDs, from `from` on. Writes nothing. */
  page(spec: LayoutSpec, from: number, limit: number): LeasePageReply {
    const clock = this.#instance.clock();
    const refusal = this.#refuseLayout(layoutOf(spec));
    if (refusal) return { ok: false, refusal, clock };
    return { ok: true, leases: this.#storage.page(from, limit), clock };
  }

  #step(
    spec: LayoutSpec,
    clock: InstanceClock,
    decide: (layout: Layout, rows: LeaseRows) => LeaseOutcome,
  ): LeaseReply {
    const layout = layoutOf(spec);
    const refusal = this.#refuseLayout(layout);
    if (refusal) return { ok: false, refusal, clock };
    const { writes, ...result } = decide(layout, this.#storage);
    this.#storage.write(writes, layout.fingerprint);
    return { ...result, clock };
  }

  #refuseLayout({ fingerprint }: Layout): Refusal | undefined {
    const stored = this.#storage.fingerprint() ?? fingerprint;
    if (stored === fingerprint) return undefined;
    const detail = `This desk's layout is "${stored}"; the call has "${fingerprint}". A layout can't be changed.`;
    return { code: "layout_conflict", detail };
  }
}
