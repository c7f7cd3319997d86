/** The lease desk over HTTPS: acquiring, renewing and releasing a worker ID. */
import { fieldsOf } from "../core/json.ts";
import { type Layout, makeLayout, tickAt } from "../core/layout/layout.ts";
import { isPolicy, type Policy } from "../core/layout/policy.ts";
import { LEASE_TOKEN_HEADER } from "../core/lease/worker-lease.ts";
import { type Ask, malformed } from "./http.ts";

/** A lease as its holder knows it. */
export interface HeldLease {
  readonly worker: number;
  readonly token: string;
  readonly layout: Layout;
  readonly policy: Policy;
  /** IDs of ticks in [notBeforeTick, notAfterTick) may be stamped. */
  readonly notBeforeTick: number;
  readonly notAfterTick: number;
  /** When to renew, unix ms by the desk's clock. */
  readonly renewAfterMs: number;
  readonly ttlMs: number;
  /** The desk's clock when it answered, unix ms. */
  readonly deskNowMs: number;
  /** The lease as the service answered it, for a store. */
  readonly answer: unknown;
}

export class LeaseDesk {
  readonly #ask: Ask;
  readonly #path: string;

  constructor(ask: Ask, namespace: string) {
    this.#ask = ask;
    this.#path = `leases/${encodeURIComponent(namespace)}`;
  }

  /** Calls with the same `idempotencyKey` get the same lease while it is held. Throws EdgeflakeError. */
  async acquire(
    input: { readonly holder: string | undefined; readonly ttlMs: number | undefined },
    idempotencyKey: string,
    signal: AbortSignal,
  ): Promise<HeldLease> {
    const headers = { "idempotency-key": idempotencyKey, "content-type": "application/json" };
    const init = { method: "POST", signal, headers, body: JSON.stringify(input) } as const;
    return leaseOf(await this.#ask(this.#path, {}, init));
  }

  /**
   * Renews for the same duration, or for the longest that the namespace now allows. Throws EdgeflakeError
   * `lease_lost` if the lease was released or went to another process.
   */
  async renew({ worker, token }: HeldLease, signal: AbortSignal): Promise<HeldLease> {
    const init = { method: "PUT", signal, headers: { [LEASE_TOKEN_HEADER]: token } } as const;
    const lease = leaseOf(await this.#ask(`${this.#path}/${worker}`, {}, init));
    if (lease.worker !== worker || lease.token !== token) throw malformed("leases");
    return lease;
  }

  /** Releases the lease. `until`: the begin of the first tick that was not stamped, unix ms, if known. */
  async release(
    { worker, token }: HeldLease,
    until: number | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const init = { method: "DELETE", signal, headers: { [LEASE_TOKEN_HEADER]: token } } as const;
    await this.#ask(`${this.#path}/${worker}`, { until }, init);
  }
}

/** Reads a lease. Throws EdgeflakeError `malformed`. */
export function leaseOf(answer: unknown): HeldLease {
  const { worker, token, notBefore, notAfter, renewAfter, now, ttlMs, layout, policy } =
    fieldsOf(answer);
  const made = makeLayout(layout);
  if (!made.ok || !isPolicy(policy) || typeof token !== "string") throw malformed("leases");
  const whole = (value: unknown): number => {
    if (!Number.isSafeInteger(value)) throw malformed("leases");
    return Number(value);
  };
  return {
    worker: whole(worker),
    token,
    layout: made.layout,
    policy,
    notBeforeTick: tickAt(made.layout, whole(notBefore)),
    notAfterTick: tickAt(made.layout, whole(notAfter)),
    renewAfterMs: whole(renewAfter),
    ttlMs: whole(ttlMs),
    deskNowMs: whole(now),
    answer,
  };
}
