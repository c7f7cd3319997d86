/** Leases of worker IDs, asked of the namespace's desk. */
import type { Refusal } from "../core/errors.ts";
import type { LeasePageReply, LeaseReply, Leases, LeaseWish } from "../objects/leases.ts";
import { CALL_TRIES_MAX, DESK_THROWS_MAX } from "./limits.ts";
import type { SnowflakeNamespace } from "./namespaces.ts";
import { isOverloaded, overloaded } from "./shard-call.ts";

export type LeaseDesks = DurableObjectNamespace<Leases>;

/** Which lease, and by what right. */
export interface LeaseClaim {
  readonly worker: number;
  readonly token: string;
}

/** Leases a worker ID. A call that is lost on the way and made again gets the same lease, by its Idempotency-Key. */
export function acquireLease(
  desks: LeaseDesks,
  namespace: SnowflakeNamespace,
  wish: LeaseWish,
): Promise<LeaseReply> {
  const spec = namespace.definition.layout;
  return askDesk<LeaseReply>(desks, namespace, (desk) => desk.acquire(spec, wish, Date.now()));
}

/** Moves the end of a lease up; `ttlMs` undefined: by as much as before. */
export function renewLease(
  desks: LeaseDesks,
  namespace: SnowflakeNamespace,
  { worker, token }: LeaseClaim,
  ttlMs: number | undefined,
): Promise<LeaseReply> {
  const spec = namespace.definition.layout;
  return askDesk<LeaseReply>(desks, namespace, (desk) =>
    desk.renew(spec, worker, token, ttlMs, Date.now()),
  );
}

/** Ends a lease; `untilTick`: nothing was stamped from there on. `token` null: revoked by an administrator. */
export function releaseLease(
  desks: LeaseDesks,
  namespace: SnowflakeNamespace,
  worker: number,
  token: string | null,
  untilTick: number | undefined,
): Promise<LeaseReply> {
  const spec = namespace.definition.layout;
  return askDesk<LeaseReply>(desks, namespace, (desk) =>
    desk.release(spec, worker, token, untilTick),
  );
}

/** A page of leases in the order of their worker IDs, from `from` on. */
export function listLeases(
  desks: LeaseDesks,
  namespace: SnowflakeNamespace,
  from: number,
  limit: number,
): Promise<LeasePageReply> {
  const spec = namespace.definition.layout;
  return askDesk<LeasePageReply>(desks, namespace, (desk) => desk.page(spec, from, limit));
}

/**
 * Asks the desk: again where it threw, since each of its calls may be made twice, and again with the clock read anew
 * where the clocks disagree. Throws what the last try throws.
 */
async function askDesk<Reply extends { readonly ok: boolean }>(
  desks: LeaseDesks,
  { name }: SnowflakeNamespace,
  ask: (desk: DurableObjectStub<Leases>) => Promise<Reply | Refused>,
): Promise<Reply | Refused> {
  let disagreements = 0;
  for (let throws = 0; ; ) {
    try {
      const reply = await ask(desks.getByName(name));
      const disagree = "refusal" in reply && reply.refusal.code === "clock_disagreement";
      if (disagree) disagreements += 1;
      if (!disagree || disagreements >= CALL_TRIES_MAX) return reply;
    } catch (error) {
      if (isOverloaded(error)) return { ok: false, refusal: overloaded("The lease desk") };
      throws += 1;
      if (throws >= DESK_THROWS_MAX) throw error;
    }
  }
}

interface Refused {
  readonly ok: false;
  readonly refusal: Refusal;
}
