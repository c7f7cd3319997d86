/** A lease desk in memory for model tests: the real state machine, with rows as the object's storage would keep them. */

import { type Layout, type LayoutSpec, layoutOf } from "../../src/core/layout.ts";
import type { ClockEcho } from "../../src/core/object-clock.ts";
import {
  leasableWorkers,
  newFence,
  noWorkerFree,
  releasedFence,
  renewedFence,
  stateOf,
  type WorkerLease,
} from "../../src/core/worker-lease.ts";
import type { LeaseResult, LeaseWish } from "../../src/objects/leases.ts";

/** What the model tests ask of a desk, the real one or this. */
export interface Desk {
  acquire(spec: LayoutSpec, wish: LeaseWish, callerNowMs: number, echo: ClockEcho): LeaseResult;
  renew(
    spec: LayoutSpec,
    worker: number,
    token: string,
    ttlMs: number | undefined,
    callerNowMs: number,
    echo: ClockEcho,
  ): LeaseResult;
  release(
    spec: LayoutSpec,
    worker: number,
    token: string | null,
    untilTick: number | undefined,
  ): LeaseResult;
}

interface Row extends WorkerLease {
  readonly key: string;
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
    if (known && stateOf(layout, known, nowMs) === "held") return { ok: true, lease: known };
    const rested = this.#longestRested(layout);
    if (!rested) return { ok: false, refusal: { code: "no_worker_free", detail: "" } };
    const { worker, fromTick } = rested;
    const taken = { ...EMPTY, notAfterTick: fromTick };
    if (stateOf(layout, taken, nowMs) === "held" && fromTick > 0) {
      return { ok: false, refusal: noWorkerFree(layout, nowMs, fromTick) };
    }
    const fenced = newFence(layout, { nowMs, callerNowMs }, wish.ttlMs, fromTick);
    if (!fenced.ok) return fenced;
    serial += 1;
    const { holder, ttlMs, idempotencyKey } = wish;
    const lease = { ...EMPTY, ...fenced.fence, worker, token: `token-${serial}`, holder, ttlMs };
    if (known && known.worker !== worker) this.#disk.write({ ...known, key: "" });
    this.#disk.write({ ...lease, key: idempotencyKey });
    return { ok: true, lease };
  }

  renew(
    spec: LayoutSpec,
    worker: number,
    token: string,
    ttlMs: number | undefined,
    callerNowMs: number,
  ): LeaseResult {
    const row = this.#rowOf(worker);
    if (row?.token !== token || row.released) return LOST;
    const nowMs = this.#now();
    const lastsMs = ttlMs ?? row.ttlMs;
    const fenced = renewedFence(layoutOf(spec), { nowMs, callerNowMs }, lastsMs, row);
    if (!fenced.ok) return fenced;
    return this.#write({ ...row, ...fenced.fence, ttlMs: lastsMs }, nowMs);
  }

  release(
    _spec: LayoutSpec,
    worker: number,
    token: string | null,
    untilTick: number | undefined,
  ): LeaseResult {
    const row = this.#rowOf(worker);
    if (!row || (token !== null && row.token !== token)) return LOST;
    const nowMs = this.#now();
    if (row.released) return { ok: true, lease: row };
    const fence = releasedFence(row, token === null ? undefined : untilTick);
    return this.#write({ ...row, ...fence, released: true }, nowMs);
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

  #write(row: Row, _nowMs: number): LeaseResult {
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
const LOST: LeaseResult = { ok: false, refusal: { code: "lease_lost", detail: "" } };
