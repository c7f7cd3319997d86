/**
 * A lease desk in memory: core/lease/lease-desk decides, on rows in memory, and it answers as http/routes/leases does. It keeps a
 * record of every lease that it ever gave, for the checker.
 */
import {
  type Layout,
  type LayoutSpec,
  layoutOf,
  tickStartMs,
} from "../../../src/core/layout/layout.ts";
import type { Policy } from "../../../src/core/layout/policy.ts";
import { acquire, type LeaseOutcome, release, renew } from "../../../src/core/lease/lease-desk.ts";
import type { DeskClocks } from "../../../src/core/lease/lease-refusals.ts";
import type { WorkerLease } from "../../../src/core/lease/worker-lease.ts";
import { LEASE_TTL_DEFAULT_MS, LEASE_TTL_MAX_MS } from "../../../src/core/limits.ts";
import { isSameToken, MemoryRows } from "../../support/models/memory-desk.ts";

/** The faults of a desk: it sees wrong rows. */
export type DeskFault = "forgets released leases" | "leases what is held still";

export interface LeaseRecord {
  /** The host that sent the request; its `holder` may be any text. */
  readonly owner: number;
  /** The last written lease. */
  lease: WorkerLease;
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

class Rows extends MemoryRows {
  readonly #layout: Layout;
  readonly #fault: DeskFault | undefined;

  constructor(layout: Layout, fault: DeskFault | undefined) {
    super();
    this.#layout = layout;
    this.#fault = fault;
  }

  override firstToEnd(): WorkerLease | undefined {
    const first = super.firstToEnd();
    if (this.#fault === "leases what is held still" && first) {
      const earlyTicks = Math.floor(first.ttlMs / 3 / this.#layout.tickMs);
      return { ...first, notAfterTick: first.notAfterTick - earlyTicks };
    }
    if (this.#fault !== "forgets released leases") return first;
    const released = this.all().find((lease) => lease.released);
    return released ? { ...released, notAfterTick: 0 } : first;
  }
}

export class Desk {
  readonly layout: Layout;
  readonly #spec: LayoutSpec;
  readonly #policy: Policy;
  readonly #rows: Rows;
  /** By token, in the order in which they were given. */
  readonly #records = new Map<string, LeaseRecord>();
  readonly #ofWorker = new Map<number, LeaseRecord[]>();

  constructor(spec: LayoutSpec, policy: Policy, fault?: DeskFault) {
    this.layout = layoutOf(spec);
    this.#spec = spec;
    this.#policy = policy;
    this.#rows = new Rows(this.layout, fault);
  }

  get records(): readonly LeaseRecord[] {
    return [...this.#records.values()];
  }

  /** All leases that a worker ID ever had. */
  leasesOf(worker: number): readonly LeaseRecord[] {
    return this.#ofWorker.get(worker) ?? [];
  }

  answer(request: DeskRequest, clocks: DeskClocks): DeskAnswer {
    const outcome = this.#decide(request, clocks);
    if (!outcome.ok) {
      const status = outcome.refusal.code === "lease_lost" ? 409 : 503;
      return { status, body: { ...outcome.refusal, definite: true } };
    }
    this.#rows.write(outcome.writes);
    for (const { lease } of outcome.writes) this.#record(lease, request.owner);
    if (request.method === "DELETE") return { status: 204, body: null };
    return { status: 200, body: this.#bodyOf(outcome.lease, clocks.nowMs) };
  }

  #decide(request: DeskRequest, clocks: DeskClocks): LeaseOutcome {
    const { method, worker = -1, token = "", key = "", owner } = request;
    const { holder = "", ttlMs } = request.body;
    const desk = { layout: this.layout, rows: this.#rows, ...clocks };
    const terms = { owner: `${owner}`, leasesMax: null, ttlMaxMs: LEASE_TTL_MAX_MS };
    if (method === "POST") {
      const input = { holder, ttlMs: ttlMs ?? LEASE_TTL_DEFAULT_MS, idempotencyKey: key, terms };
      return acquire(desk, input, `${this.#records.size}`);
    }
    if (method === "PUT") {
      const input = { worker, token, ttlMs, terms };
      return renew(desk, input, isSameToken);
    }
    const { tickMs, epochMs } = this.layout;
    const untilTick = request.until && Math.ceil((request.until - epochMs) / tickMs);
    return release(this.#rows, { worker, token, untilTick }, isSameToken);
  }

  #record(lease: WorkerLease, owner: number): void {
    const known = this.#records.get(lease.token);
    if (known) {
      known.lease = lease;
      return;
    }
    const record = { owner, lease, highestTick: -1 };
    this.#records.set(lease.token, record);
    this.#ofWorker.set(lease.worker, [...this.leasesOf(lease.worker), record]);
  }

  #bodyOf(lease: WorkerLease, nowMs: number): unknown {
    const { worker, token, holder, ttlMs } = lease;
    const notBefore = tickStartMs(this.layout, lease.notBeforeTick);
    const notAfter = tickStartMs(this.layout, lease.notAfterTick);
    const renewAfter = notAfter - Math.floor(ttlMs / 2);
    const times = { notBefore, notAfter, renewAfter, now: nowMs };
    const kept = { layout: this.#spec, policy: this.#policy };
    return { worker, token, holder, ttlMs, ...times, ...kept };
  }
}
