/** Leases over HTTP, and the desks behind them. */

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { LayoutSpec } from "../../src/core/layout/layout.ts";
import type { LeaseTerms } from "../../src/core/lease/lease-desk.ts";
import { LEASE_TOKEN_HEADER } from "../../src/core/lease/worker-lease.ts";
import type { Leases } from "../../src/objects/leases.ts";
import { type Answer, ask, CLOSED, put } from "./admin.ts";

export interface HeldLease {
  readonly worker: number;
  readonly token: string;
  readonly holder: string;
  readonly ttlMs: number;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly renewAfter: number;
  readonly now: number;
}

/** Terms that bound nothing, for calls of a desk. */
export const TERMS: LeaseTerms = { owner: "admin", leasesMax: null, ttlMaxMs: 86_400_000 };

type Asked = NonNullable<Parameters<typeof ask>[1]>;

/** A layout with that many worker bits, and ticks of 1 ms from the unix epoch unless given. */
export function layoutWith(workerBits: number, change: Partial<LayoutSpec> = {}): LayoutSpec {
  return {
    timestampBits: 42,
    datacenterBits: 0,
    workerBits,
    laneBits: 0,
    sequenceBits: 8,
    epochMs: 0,
    tickMs: 1,
    ...change,
  };
}

/** Makes a namespace with that many worker bits, and the usual policy unless given. */
export async function namespaceWith(
  name: string,
  workerBits: number,
  change: Partial<LayoutSpec> = {},
  policy: Record<string, number> = {},
): Promise<string> {
  const { status, text } = await put(name, {
    kind: "snowflake",
    layout: layoutWith(workerBits, change),
    policy,
  });
  if (status !== 201) throw new Error(`no namespace was made: ${text}`);
  return name;
}

let serial = 0;

/** Creates a namespace with a name that no other test uses. */
export function someNamespace(workerBits = 1): Promise<string> {
  serial += 1;
  return namespaceWith(`some-${serial}`, workerBits);
}

/** Requests a lease, with an Idempotency-Key if given. */
export function tryAcquire(
  namespace: string,
  json: unknown = {},
  key?: string,
  asked: Asked = {},
): Promise<Answer> {
  const headers = { ...(key !== undefined && { "idempotency-key": key }), ...asked.headers };
  return ask(`/v1/leases/${namespace}`, { method: "POST", json, ...asked, headers });
}

/** `tryAcquire` that must succeed. */
export async function acquire(...input: Parameters<typeof tryAcquire>): Promise<HeldLease> {
  return leaseOf(await tryAcquire(...input), 201);
}

/** A lease as requests name it; without a token it can only be revoked. */
type Named = Pick<HeldLease, "worker"> & Partial<Pick<HeldLease, "token">>;

/** The header with the token of a lease. */
export function tokenOf({ token }: Partial<Pick<HeldLease, "token">>): Record<string, string> {
  return token === undefined ? {} : { [LEASE_TOKEN_HEADER]: token };
}

export function tryRenew(
  namespace: string,
  lease: Named,
  json?: unknown,
  asked: Asked = {},
): Promise<Answer> {
  const headers = tokenOf(lease);
  return ask(`/v1/leases/${namespace}/${lease.worker}`, { method: "PUT", json, headers, ...asked });
}

export async function renew(...input: Parameters<typeof tryRenew>): Promise<HeldLease> {
  return leaseOf(await tryRenew(...input), 200);
}

export function release(
  namespace: string,
  lease: Named,
  query = "",
  asked: Asked = {},
): Promise<Answer> {
  const path = `/v1/leases/${namespace}/${lease.worker}${query}`;
  return ask(path, { method: "DELETE", headers: tokenOf(lease), ...asked });
}

export interface ListedLease {
  readonly worker: number;
  readonly holder: string;
  readonly owner?: string;
  readonly state: string;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly leftMs: number;
  readonly restedMs: number;
}

export async function list(
  namespace: string,
  query = "",
  asked: Asked = {},
): Promise<ListedLease[]> {
  const { status, body, text } = await ask(`/v1/leases/${namespace}${query}`, asked);
  if (status !== 200) throw new Error(`no list: ${status} ${text}`);
  return body.leases as ListedLease[];
}

/** Status and code of an answer. */
export function outcomeOf({ status, body }: Answer): [status: number, code: unknown] {
  return [status, body.code];
}

export function deskOf(namespace: string): DurableObjectStub<Leases> {
  return env.LEASES.getByName(namespace);
}

export function inDesk<Value>(
  namespace: string,
  look: (sql: SqlStorage, state: DurableObjectState) => Value,
): Promise<Value> {
  return runInDurableObject(deskOf(namespace), (_, state) => look(state.storage.sql, state));
}

/** Breaks the desk's instance, then evicts it: only a new one can answer. */
export async function restart(namespace: string): Promise<void> {
  await runInDurableObject(deskOf(namespace), (instance) => {
    Object.assign(instance, { acquire: "broken", renew: "broken", release: "broken" });
  });
  await evictDurableObject(deskOf(namespace));
}

/** Bindings whose desks have a clock so far ahead of their caller's, and a count of their calls. */
export function aheadBy(aheadMs: number | (() => number)) {
  const calls: string[] = [];
  const ms = () => (typeof aheadMs === "number" ? aheadMs : aheadMs());
  const getByName = (name: string) => {
    const desk = deskOf(name);
    return {
      acquire: (...[spec, input, callerNowMs, echo]: Parameters<Leases["acquire"]>) => {
        calls.push("acquire");
        return desk.acquire(spec, input, callerNowMs - ms(), echo);
      },
      renew: (...[spec, input, callerNowMs, echo]: Parameters<Leases["renew"]>) => {
        calls.push("renew");
        return desk.renew(spec, input, callerNowMs - ms(), echo);
      },
      release: (...call: Parameters<Leases["release"]>) => desk.release(...call),
      page: (...call: Parameters<Leases["page"]>) => desk.page(...call),
    };
  };
  // Only what callers use of the binding.
  return { bindings: { ...CLOSED, LEASES: { getByName } } as unknown as Env, calls };
}

function leaseOf({ status, body, text }: Answer, expected: number): HeldLease {
  if (status !== expected) throw new Error(`no lease: ${status} ${text}`);
  return body as unknown as HeldLease;
}
