/** A lease desk in memory for model tests: the real state machine, with rows as the object's storage would keep them. */

import type { RefusalCode } from "../../src/core/errors.ts";
import { type Layout, type LayoutSpec, layoutOf, tickAt } from "../../src/core/layout.ts";
import type { ClockEcho } from "../../src/core/object-clock.ts";
import {
  leasableWorkers,
  newFence,
  noWorkerFree,
  refuseClocks,
  refuseMore,
  releasedFence,
  renewedFence,
  stateOf,
  type WorkerLease,
} from "../../src/core/worker-lease.ts";
import type { LeaseResult, LeaseTerms, LeaseWish, RenewalWish } from "../../src/objects/leases.ts";

/** What the model tests ask of a desk, the real one or this. */
export interface Desk {
  acquire(spec: LayoutSpec, wish: LeaseWish, callerNowMs: number, echo: ClockEcho): LeaseResult;
  renew(spec: LayoutSpec, wish: RenewalWish, callerNowMs: number, echo: ClockEcho): LeaseResult;
  release(
    spec: LayoutSpec,
    worker: number,
    token: string | null,
    untilTick: number | undefined,
  ): LeaseResult;
}

interface Row extends WorkerLease {
  readonly key: string;
  readonly owner: string;
  readonly askedTtlMs: number;
}

/** What outlives an instance: the last lease of each worker ID, as text. */
export class DeskDisk {
  readonly #texts = new Map<number, string>();

  rows(): Row[] {
    return [...this.#texts.values()].map((text) => JSON.parse(text));
  }

  write(row: Row): void {
    this.#texts.set(row.worker, JSON.stringify(row));
  }
}

let serial = 0;

export class MemoryDesk implements Desk {
  readonly #disk: DeskDisk;
  readonly #now: () => number;

  constructor(disk: DeskDisk, now: () => number) {
    this.#disk = disk;
    this.#now = now;
  }

  acquire(spec: LayoutSpec, wish: LeaseWish, callerNowMs: number): LeaseResult {
    const layout = layoutOf(spec);
    const nowMs = this.#now();
    const known = this.#disk.rows().find(({ key }) => key === wish.idempotencyKey);
    const { holder, idempotencyKey, terms } = wish;
    if (known && stateOf(layout, known, nowMs) === "held") {
      const isSame = known.holder === holder && known.askedTtlMs === wish.ttlMs;
      return isSame ? { ok: true, lease: known } : refusedFor("idempotency_conflict");
    }
    const refusal =
      refuseClocks(layout, { nowMs, callerNowMs }) ?? this.#refuseMore(layout, terms, nowMs);
    if (refusal) return { ok: false, refusal };
    const rested = this.#longestRested(layout);
    if (!rested) return refusedFor("no_worker_free");
    const { worker, fromTick } = rested;
    const taken = { ...EMPTY, notAfterTick: fromTick };
    if (stateOf(layout, taken, nowMs) === "held" && fromTick > 0) {
      return { ok: false, refusal: noWorkerFree(layout, nowMs, fromTick) };
    }
    const ttlMs = Math.min(wish.ttlMs, terms.ttlMaxMs);
    const fenced = newFence(layout, { nowMs, callerNowMs }, ttlMs, fromTick);
    if (!fenced.ok) return fenced;
    serial += 1;
    const lease = { ...EMPTY, ...fenced.fence, worker, token: `token-${serial}`, holder, ttlMs };
    if (known && known.worker !== worker) this.#disk.write({ ...known, key: "" });
    const { owner } = terms;
    this.#disk.write({ ...lease, key: idempotencyKey, owner, askedTtlMs: wish.ttlMs });
    return { ok: true, lease };
  }

  renew(spec: LayoutSpec, wish: RenewalWish, callerNowMs: number): LeaseResult {
    const { worker, token, terms } = wish;
    const layout = layoutOf(spec);
    const row = this.#rowOf(worker);
    if (row?.token !== token || row.released) return LOST;
    const nowMs = this.#now();
    const ttlMs = Math.min(wish.ttlMs ?? row.ttlMs, terms.ttlMaxMs);
    const fenced = renewedFence(layout, { nowMs, callerNowMs }, ttlMs, row);
    if (!fenced.ok) return fenced;
    const renewed = { ...row, ...fenced.fence, ttlMs };
    if (stateOf(layout, row, nowMs) === "held") return this.#write(renewed);
    const refusal = this.#refuseMore(layout, terms, nowMs);
    if (refusal) return { ok: false, refusal };
    return this.#write({ ...renewed, owner: terms.owner });
  }

  release(
    _spec: LayoutSpec,
    worker: number,
    token: string | null,
    untilTick: number | undefined,
  ): LeaseResult {
    const row = this.#rowOf(worker);
    if (!row || (token !== null && row.token !== token)) return LOST;
    if (row.released) return { ok: true, lease: row };
    const fence = releasedFence(row, token === null ? undefined : untilTick);
    return this.#write({ ...row, ...fence, released: true });
  }

  #refuseMore(layout: Layout, { owner, leasesMax }: LeaseTerms, nowMs: number) {
    if (leasesMax === null) return undefined;
    const now = tickAt(layout, nowMs);
    const kept = this.#disk.rows().filter((row) => row.owner === owner && row.notAfterTick > now);
    const firstEndTick = Math.min(...kept.map(({ notAfterTick }) => notAfterTick));
    return refuseMore(layout, nowMs, { count: kept.length, firstEndTick }, leasesMax);
  }

  #longestRested(layout: Layout): { worker: number; fromTick: number } | undefined {
    const { first, end } = leasableWorkers(layout);
    let longest: { worker: number; fromTick: number } | undefined;
    for (let worker = first; worker < end; worker += 1) {
      const row = this.#rowOf(worker);
      if (!row) return { worker, fromTick: 0 };
      const fromTick = row.notAfterTick;
      if (!longest || fromTick < longest.fromTick) longest = { worker, fromTick };
    }
    return longest;
  }

  #rowOf(worker: number): Row | undefined {
    return this.#disk.rows().find((row) => row.worker === worker);
  }

  #write(row: Row): LeaseResult {
    this.#disk.write(row);
    return { ok: true, lease: row };
  }
}

const EMPTY: WorkerLease = {
  worker: 0,
  token: "",
  holder: "",
  ttlMs: 0,
  notBeforeTick: 0,
  notAfterTick: 0,
  released: false,
};
const LOST = refusedFor("lease_lost");

function refusedFor(code: RefusalCode): LeaseResult {
  return { ok: false, refusal: { code, detail: "" } };
}
