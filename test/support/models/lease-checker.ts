/**
 * Judges the answers of a lease desk by its earlier answers, with arithmetic of its own: the invariants E1 to E8 of
 * core/lease-desk. It throws if one is broken, and says which.
 */
import type { LayoutSpec } from "../../../src/core/layout/layout.ts";
import type {
  AcquireInput,
  LeaseResult,
  LeaseTerms,
  RenewInput,
} from "../../../src/core/lease/lease-desk.ts";
import type { WorkerLease } from "../../../src/core/lease/worker-lease.ts";

/** A lease as its holder and the checker know it. */
export interface Tenure {
  readonly worker: number;
  readonly token: string;
  readonly key: string;
  readonly holder: string;
  owner: string;
  readonly from: number;
  /** The end last answered. */
  until: number;
  ttlMs: number;
  /** Ticks [from, stamped) were stamped. */
  stamped: number;
  over: "no" | "released" | "overtaken";
}

export interface Clocks {
  readonly nowMs: number;
  /** The desk's clock before its caller's. */
  readonly aheadMs: number;
}

/** Refusals that clocks may bring about. */
const CLOCK_CODES = ["clock_before_epoch", "timestamp_exhausted", "clock_disagreement"];

export class LeaseChecker {
  readonly tenures: Tenure[] = [];
  /** Refusals of one more worker ID (E6), and of another request with the same key (E8). */
  readonly refused = { bounded: 0, conflicting: 0 };
  /** The last lease of each worker ID. */
  readonly #last = new Map<number, Tenure>();
  readonly #spec: LayoutSpec;
  readonly #first: number;
  readonly #end: number;

  constructor(spec: LayoutSpec) {
    this.#spec = spec;
    this.#end = 2 ** (spec.datacenterBits + spec.workerBits);
    this.#first = this.#end / 2;
  }

  acquired(reply: LeaseResult, input: AcquireInput, clocks: Clocks): void {
    const { holder, idempotencyKey: key, terms } = input;
    const now = this.#tick(clocks.nowMs);
    const known = this.tenures.findLast((tenure) => tenure.key === key);
    if (known && known.over === "no" && now < known.until && known.holder !== holder) {
      const isRefused = !reply.ok && reply.refusal.code === "idempotency_conflict";
      this.refused.conflicting += 1;
      hold(isRefused, "E8 another request got the lease of a key");
      return;
    }
    if (known && known.over === "no" && now < known.until) {
      hold(reply.ok && reply.lease.token === known.token, "E8 the same key, another lease");
      this.#same(known, reply);
      return;
    }
    const free = this.#freeWorkers(now);
    if (!reply.ok) {
      this.#refusedAcquire(reply.refusal, free.length, terms, clocks);
      return;
    }
    hold(!this.#isBounded(terms, now), "E6 one worker ID more than the bound");
    const { worker, token, notBeforeTick, notAfterTick } = reply.lease;
    hold(
      this.tenures.every((tenure) => tenure.token !== token),
      "E3 a token was used again",
    );
    hold(worker >= this.#first && worker < this.#end, `E5 worker ID ${worker}`);
    hold(clocks.aheadMs <= 60_000, `E4 leased ${clocks.aheadMs} ms ahead`);
    hold(free[0]?.worker === worker, `worker ID ${worker} did not rest longest`);
    const before = this.#last.get(worker);
    hold(notBeforeTick >= (before?.until ?? 0), "E1 begins before the last lease's end");
    hold(notBeforeTick === now, "begins at another tick than now");
    const ttlMs = Math.min(input.ttlMs, terms.ttlMaxMs);
    const most = Math.min(2 ** this.#spec.timestampBits, this.#tick(clocks.nowMs + ttlMs));
    hold(notAfterTick === most && most > notBeforeTick, "E7 ends at another tick than asked for");
    if (before) before.over = "overtaken";
    const fence = { from: notBeforeTick, until: notAfterTick, stamped: notBeforeTick };
    const { owner } = terms;
    const tenure: Tenure = { worker, token, key, holder, owner, ttlMs, ...fence, over: "no" };
    this.tenures.push(tenure);
    this.#last.set(worker, tenure);
  }

  renewed(tenure: Tenure, reply: LeaseResult, { ttlMs, terms }: RenewInput, clocks: Clocks): void {
    const now = this.#tick(clocks.nowMs);
    const isAnew = now >= tenure.until;
    if (tenure.over !== "no" || !reply.ok) {
      if (tenure.over !== "no") isLost(reply);
      else if (!reply.ok && reply.refusal.code === "forbidden" && isAnew) {
        this.#refusedMore(reply.refusal.retryAfterMs, terms, clocks);
      } else if (!reply.ok) this.#refusedClock(reply.refusal.code, clocks);
      return;
    }
    if (isAnew) {
      hold(!this.#isBounded(terms, now), "E6 renewed past the bound");
      tenure.owner = terms.owner;
    }
    const lastsMs = Math.min(ttlMs ?? tenure.ttlMs, terms.ttlMaxMs);
    hold(clocks.aheadMs <= 60_000, `E4 renewed ${clocks.aheadMs} ms ahead`);
    hold(reply.lease.notAfterTick >= tenure.until, "E2 the end fell");
    const wished = Math.min(2 ** this.#spec.timestampBits, this.#tick(clocks.nowMs + lastsMs));
    tenure.until = Math.max(tenure.until, wished);
    tenure.ttlMs = lastsMs;
    this.#same(tenure, reply);
  }

  /** `until`: the holder's first unused tick. A revocation ignores it. */
  released(tenure: Tenure, reply: LeaseResult, until: number | undefined): void {
    if (tenure.over === "overtaken") {
      isLost(reply);
      return;
    }
    hold(reply.ok, "a lease could not be released");
    if (tenure.over === "no" && until !== undefined) {
      tenure.until = Math.min(tenure.until, Math.max(tenure.from, until));
    }
    tenure.over = "released";
    this.#same(tenure, reply);
  }

  lastOf(worker: number): Tenure | undefined {
    return this.#last.get(worker);
  }

  /** E1 over all that happened: no tick of a worker ID was leased, or stamped, by two. */
  end(): void {
    for (const [index, one] of this.tenures.entries()) {
      hold(one.stamped <= one.until, "E2 an end fell below what was stamped");
      for (const other of this.tenures.slice(index + 1)) {
        if (other.worker !== one.worker) continue;
        hold(other.from >= one.until || one.from >= other.until, "E1 two fences overlap");
      }
    }
  }

  /** Those that may be leased now, longest rested first. */
  #freeWorkers(now: number): { worker: number; since: number }[] {
    if (this.#end === 1) return [];
    return Array.from({ length: this.#end - this.#first }, (_, index) => this.#first + index)
      .map((worker) => ({ worker, since: this.#last.get(worker)?.until ?? -1 }))
      .filter(({ worker, since }) => now >= since || !this.#last.has(worker))
      .sort((one, other) => one.since - other.since || one.worker - other.worker);
  }

  #refusedAcquire(
    { code, retryAfterMs }: { code: string; retryAfterMs?: number },
    free: number,
    terms: LeaseTerms,
    clocks: Clocks,
  ): void {
    if (code === "forbidden") {
      this.#refusedMore(retryAfterMs, terms, clocks);
      return;
    }
    if (code !== "no_worker_free") {
      this.#refusedClock(code, clocks);
      return;
    }
    hold(free === 0, "no worker ID free, but one was");
    const { epochMs, tickMs } = this.#spec;
    const ends = [...this.#last.values()].map(({ until }) => epochMs + until * tickMs);
    const earliestMs = Math.min(...ends) - clocks.nowMs;
    hold(retryAfterMs === (ends.length > 0 ? earliestMs : undefined), "another Retry-After");
  }

  /** The ends of the leases that count for an owner (E6). */
  #endsOf(owner: string, now: number): number[] {
    const last = [...this.#last.values()];
    return last.filter((one) => one.owner === owner && one.until > now).map(({ until }) => until);
  }

  #isBounded({ owner, leasesMax }: LeaseTerms, now: number): boolean {
    return leasesMax !== null && this.#endsOf(owner, now).length >= leasesMax;
  }

  #refusedMore(retryAfterMs: number | undefined, terms: LeaseTerms, { nowMs }: Clocks): void {
    this.refused.bounded += 1;
    const now = this.#tick(nowMs);
    hold(this.#isBounded(terms, now), "E6 refused within the bound");
    const { epochMs, tickMs } = this.#spec;
    const endMs = epochMs + Math.min(...this.#endsOf(terms.owner, now)) * tickMs;
    hold(retryAfterMs === endMs - nowMs, "E6 another Retry-After");
  }

  #refusedClock(code: string, { nowMs, aheadMs }: Clocks): void {
    hold(CLOCK_CODES.includes(code), `refused for ${code}`);
    const tick = this.#tick(nowMs);
    const why =
      tick < 0
        ? "clock_before_epoch"
        : tick >= 2 ** this.#spec.timestampBits
          ? "timestamp_exhausted"
          : "clock_disagreement";
    hold(code === why, `refused for ${code} instead of ${why}`);
    if (why === "clock_disagreement") hold(aheadMs > 60_000, "E4 refused by clocks that agree");
  }

  #same({ worker, token, from, until, ttlMs }: Tenure, reply: LeaseResult): void {
    const lease: Partial<WorkerLease> = reply.ok ? reply.lease : {};
    hold(lease.worker === worker && lease.token === token, "another lease was answered");
    hold(lease.notBeforeTick === from && lease.notAfterTick === until, "another fence");
    hold(lease.ttlMs === ttlMs, "another length");
  }

  #tick(unixMs: number): number {
    return Math.floor((unixMs - this.#spec.epochMs) / this.#spec.tickMs);
  }
}

function isLost(reply: LeaseResult): void {
  hold(!reply.ok && reply.refusal.code === "lease_lost", "E3 a lost lease came back");
}

function hold(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
