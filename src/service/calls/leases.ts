/** Calls of a namespace's lease desk. */
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

/** Leases a worker ID to the caller. A retry with the same Idempotency-Key gets the same lease. */
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

/** Extends a lease. */
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

/** A page of leases in order of their worker IDs, from `from` on. */
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

/** Calls the desk. All its calls are safe to retry. */
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

/** The desk's reply, or the refusal if it did not reply. */
type Answer<Reply> =
  | Extract<Reply, { readonly ok: true }>
  | { readonly ok: false; readonly refusal: Refusal };
