/** Leases of worker IDs, asked of the namespace's desk. */
import { type ApiKeyRecord, hasScope } from "../../core/api-key.ts";
import type {
  AcquireInput,
  LeaseTerms,
  ReleaseInput,
  RenewInput,
} from "../../core/lease/lease-desk.ts";
import type { Refusal } from "../../core/refusal.ts";
import type { LeasePageReply, LeaseReply, Leases } from "../../objects/leases.ts";
import { callObject, refusedBy } from "../object-call.ts";
import type { SnowflakeNamespace } from "../registry/namespaces.ts";
import { echoFor, noteClock } from "./object-clocks.ts";

export type LeaseDesks = DurableObjectNamespace<Leases>;

/** Leases a worker ID to the caller. A call that is lost on the way and made again gets the same lease, by its Idempotency-Key. */
export function acquireLease(
  desks: LeaseDesks,
  namespace: SnowflakeNamespace,
  caller: ApiKeyRecord,
  input: Omit<AcquireInput, "terms">,
): Promise<Answer<LeaseReply>> {
  const spec = namespace.definition.layout;
  const terms = termsOf(namespace, caller);
  return askDesk<LeaseReply>(desks, namespace, (desk) => {
    const nowMs = Date.now();
    return desk.acquire(spec, { ...input, terms }, nowMs, echoFor(namespace.name, nowMs));
  });
}

/** Moves the end of a lease up. */
export function renewLease(
  desks: LeaseDesks,
  namespace: SnowflakeNamespace,
  caller: ApiKeyRecord,
  input: Omit<RenewInput, "terms">,
): Promise<Answer<LeaseReply>> {
  const spec = namespace.definition.layout;
  const terms = termsOf(namespace, caller);
  return askDesk<LeaseReply>(desks, namespace, (desk) => {
    const nowMs = Date.now();
    return desk.renew(spec, { ...input, terms }, nowMs, echoFor(namespace.name, nowMs));
  });
}

/** Ends a lease. */
export function releaseLease(
  desks: LeaseDesks,
  namespace: SnowflakeNamespace,
  input: ReleaseInput,
): Promise<Answer<LeaseReply>> {
  const spec = namespace.definition.layout;
  return askDesk<LeaseReply>(desks, namespace, (desk) => desk.release(spec, input));
}

/** A page of leases in the order of their worker IDs, from `from` on. */
export function listLeases(
  desks: LeaseDesks,
  namespace: SnowflakeNamespace,
  from: number,
  limit: number,
): Promise<Answer<LeasePageReply>> {
  const spec = namespace.definition.layout;
  return askDesk<LeasePageReply>(desks, namespace, (desk) => desk.page(spec, from, limit));
}

function termsOf({ policy }: SnowflakeNamespace, caller: ApiKeyRecord): LeaseTerms {
  const leasesMax = hasScope(caller, "admin") ? null : policy.leasesPerKeyMax;
  return { owner: caller.id, leasesMax, ttlMaxMs: policy.leaseTtlMaxMs };
}

/** Asks the desk. Each of its calls may be made twice. */
function askDesk<Reply extends LeaseReply | LeasePageReply>(
  desks: LeaseDesks,
  { name }: SnowflakeNamespace,
  ask: (desk: DurableObjectStub<Leases>) => Promise<Reply>,
): Promise<Answer<Reply>> {
  return callObject<Reply, Answer<Reply>>({
    what: `The lease desk of ${name}`,
    call: () => ask(desks.getByName(name)),
    read: (reply, repeated, isLast) => {
      noteClock(name, reply.clock);
      if (reply.ok) return reply as Extract<Reply, { readonly ok: true }>;
      const { refusal } = reply;
      const asksAgain = refusal.code === "clock_disagreement" && !isLast;
      return asksAgain ? undefined : refusedBy(refusal, repeated);
    },
    fail: refusedBy,
  });
}

/** What the desk answers, or why it does not. */
type Answer<Reply> =
  | Extract<Reply, { readonly ok: true }>
  | { readonly ok: false; readonly refusal: Refusal };
