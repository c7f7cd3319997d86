/**
 * A lease desk in memory: as objects/leases decides, by the real functions of core/worker-lease, over the answers of
 * http/leases. It keeps a record of every lease that it ever gave, for the checker.
 */
import { type Layout, type LayoutSpec, layoutOf, tickStartMs } from "../../../src/core/layout.ts";
import type { Policy } from "../../../src/core/policy.ts";
import {
  type DeskClocks,
  leasableWorkers,
  newFence,
  noWorkerFree,
  releasedFence,
  renewedFence,
  stateOf,
  type WorkerLease,
} from "../../../src/core/worker-lease.ts";

/** What a broken desk does. */
export type DeskFault = "forgets released leases" | "leases what is held still";

export interface LeaseRecord extends WorkerLease {
  readonly key: string;
  /** Who asked: known to the network, whatever the holder is called. */
  readonly owner: number;
  notAfterTick: number;
  ttlMs: number;
  released: boolean;
  /** The highest tick stamped under this lease. */
  highestTick: number;
}

export interface DeskRequest {
  readonly method: string;
  readonly worker: number | undefined;
  readonly until: number | undefined;
  readonly key: string | undefined;
  readonly token: string | undefined;
  readonly body: { readonly holder?: string; readonly ttlMs?: number };
  readonly owner: number;
}

export interface DeskAnswer {
  readonly status: number;
  readonly body: unknown;
}

export class Desk {
  readonly layout: Layout;
  readonly records: LeaseRecord[] = [];
  readonly #spec: LayoutSpec;
  readonly #policy: Policy;
  readonly #fault: DeskFault | undefined;
  /** The last lease of each worker ID. */
  readonly #last = new Map<number, LeaseRecord>();
  readonly #ofWorker = new Map<number, LeaseRecord[]>();

  constructor(spec: LayoutSpec, policy: Policy, fault?: DeskFault) {
    this.layout = layoutOf(spec);
    this.#spec = spec;
    this.#policy = policy;
    this.#fault = fault;
  }

  /** All leases that a worker ID ever had. */
  leasesOf(worker: number): readonly LeaseRecord[] {
    return this.#ofWorker.get(worker) ?? [];
  }

  answer(request: DeskRequest, clocks: DeskClocks): DeskAnswer {
    if (request.method === "POST") return this.#acquire(request, clocks);
    const lease = this.#last.get(request.worker ?? -1);
    if (!lease || lease.token !== request.token) return refusal({ code: "lease_lost" });
    if (request.method === "PUT") return this.#renew(lease, request, clocks);
    if (!lease.released) {
      const { tickMs, epochMs } = this.layout;
      const until = request.until && Math.ceil((request.until - epochMs) / tickMs);
      lease.notAfterTick = releasedFence(lease, until).notAfterTick;
      lease.released = true;
    }
    return { status: 204, body: null };
  }

  #acquire({ key = "", body, owner }: DeskRequest, clocks: DeskClocks): DeskAnswer {
    const known = [...this.#last.values()].find((lease) => lease.key === key);
    if (known && stateOf(this.layout, known, clocks.nowMs) === "held") {
      return this.#granted(known, clocks);
    }
    const { holder = "", ttlMs = 60_000 } = body;
    const free = this.#longestRested(clocks.nowMs);
    if ("body" in free) return free;
    const { worker } = free;
    const fenced = newFence(this.layout, clocks, ttlMs, free.restedFromTick);
    if (!fenced.ok) return refusal(fenced.refusal);
    const token = `${this.records.length}`;
    const held = { worker, token, holder, ttlMs, ...fenced.fence, released: false };
    const lease: LeaseRecord = { ...held, key, owner, highestTick: -1 };
    this.records.push(lease);
    this.#last.set(worker, lease);
    this.#ofWorker.set(worker, [...this.leasesOf(worker), lease]);
    return this.#granted(lease, clocks);
  }

  #renew(lease: LeaseRecord, { body }: DeskRequest, clocks: DeskClocks): DeskAnswer {
    if (lease.released) return refusal({ code: "lease_lost" });
    const ttlMs = body.ttlMs ?? lease.ttlMs;
    const fenced = renewedFence(this.layout, clocks, ttlMs, lease);
    if (!fenced.ok) return refusal(fenced.refusal);
    Object.assign(lease, fenced.fence, { ttlMs });
    return this.#granted(lease, clocks);
  }

  #longestRested(nowMs: number): { worker: number; restedFromTick: number } | DeskAnswer {
    const { first, end } = leasableWorkers(this.layout);
    const fresh = first + this.#last.size;
    if (fresh < end) return { worker: fresh, restedFromTick: 0 };
    const all = [...this.#last.values()];
    const ended = all.reduce((one, other) => (other.notAfterTick < one.notAfterTick ? other : one));
    if (this.#fault === "forgets released leases") {
      const released = all.find((lease) => lease.released);
      if (released) return { worker: released.worker, restedFromTick: 0 };
    }
    const isEarly = this.#fault === "leases what is held still";
    const byMs = isEarly ? nowMs + ended.ttlMs / 3 : nowMs;
    if (stateOf(this.layout, { ...ended, released: false }, byMs) === "held") {
      return refusal(noWorkerFree(this.layout, nowMs, ended.notAfterTick));
    }
    return { worker: ended.worker, restedFromTick: isEarly ? 0 : ended.notAfterTick };
  }

  #granted(lease: LeaseRecord, { nowMs }: DeskClocks): DeskAnswer {
    const { worker, token, holder, ttlMs } = lease;
    const notBefore = tickStartMs(this.layout, lease.notBeforeTick);
    const notAfter = tickStartMs(this.layout, lease.notAfterTick);
    const renewAfter = notAfter - Math.floor(ttlMs / 2);
    const times = { notBefore, notAfter, renewAfter, now: nowMs };
    const kept = { layout: this.#spec, policy: this.#policy };
    return { status: 200, body: { worker, token, holder, ttlMs, ...times, ...kept } };
  }
}

function refusal(refused: { readonly code: string; readonly retryAfterMs?: number }): DeskAnswer {
  const status = refused.code === "lease_lost" ? 409 : 503;
  return { status, body: { ...refused, definite: true } };
}
