/** Rows of a lease desk in memory, and a desk on them, for model tests and worlds: core/lease/lease-desk decides. */
import { type LayoutSpec, layoutOf } from "../../../src/core/layout/layout.ts";
import {
  type AcquireInput,
  acquire,
  type Kept,
  type LeaseOutcome,
  type LeaseResult,
  type LeaseRows,
  type LeaseWrite,
  type ReleaseInput,
  type RenewInput,
  release,
  renew,
} from "../../../src/core/lease/lease-desk.ts";
import type { WorkerLease } from "../../../src/core/lease/worker-lease.ts";
import type { ClockEcho } from "../../../src/core/line/object-clock.ts";

/** A desk as model tests call it: the real object, or one in memory. */
export interface Desk {
  acquire(spec: LayoutSpec, input: AcquireInput, callerNowMs: number, echo: ClockEcho): LeaseResult;
  renew(spec: LayoutSpec, input: RenewInput, callerNowMs: number, echo: ClockEcho): LeaseResult;
  release(spec: LayoutSpec, input: ReleaseInput): LeaseResult;
}

export class MemoryRows implements LeaseRows {
  readonly #leases = new Map<number, WorkerLease>();

  ofWorker(worker: number): WorkerLease | undefined {
    return this.#leases.get(worker);
  }

  ofKey(key: string): WorkerLease | undefined {
    return this.all().find(({ idempotencyKey }) => idempotencyKey === key);
  }

  firstToEnd(): WorkerLease | undefined {
    return this.all().sort(
      (one, other) => one.notAfterTick - other.notAfterTick || one.worker - other.worker,
    )[0];
  }

  highestWorker(): number | undefined {
    return this.#leases.size > 0 ? Math.max(...this.#leases.keys()) : undefined;
  }

  keptBy(owner: string, tick: number): Kept {
    const kept = this.all().filter((one) => one.owner === owner && one.notAfterTick > tick);
    const ends = kept.map(({ notAfterTick }) => notAfterTick);
    return { count: kept.length, firstEndTick: kept.length > 0 ? Math.min(...ends) : 0 };
  }

  all(): WorkerLease[] {
    return [...this.#leases.values()];
  }

  write(writes: readonly LeaseWrite[]): void {
    for (const { lease } of writes) this.#leases.set(lease.worker, lease);
  }
}

export const isSameToken = (given: string, token: string) => given === token;

let tokens = 0;

export class MemoryDesk implements Desk {
  readonly #rows: MemoryRows;
  readonly #now: () => number;

  constructor(rows: MemoryRows, now: () => number) {
    this.#rows = rows;
    this.#now = now;
  }

  acquire(spec: LayoutSpec, input: AcquireInput, callerNowMs: number): LeaseResult {
    tokens += 1;
    return this.#write(acquire(this.#desk(spec, callerNowMs), input, `token-${tokens}`));
  }

  renew(spec: LayoutSpec, input: RenewInput, callerNowMs: number): LeaseResult {
    return this.#write(renew(this.#desk(spec, callerNowMs), input, isSameToken));
  }

  release(_: LayoutSpec, input: ReleaseInput): LeaseResult {
    return this.#write(release(this.#rows, input, isSameToken));
  }

  #desk(spec: LayoutSpec, callerNowMs: number) {
    return { layout: layoutOf(spec), rows: this.#rows, nowMs: this.#now(), callerNowMs };
  }

  #write({ writes, ...result }: LeaseOutcome): LeaseResult {
    this.#rows.write(writes);
    return result;
  }
}
