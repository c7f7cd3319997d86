/**
 * What the dialects of other ID servers share: they answer errors in their own words, and take the key as a
 * query parameter, since their clients can send no header. No other route does.
 */
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { type ApiKeyRecord, hasScope, mayUse, type Scope } from "../core/api-key.ts";
import type { Block } from "../core/block.ts";
import { issueIds } from "../service/issue-ids.ts";
import { findNamespace, type Namespace } from "../service/namespaces.ts";
import { RegistryUnavailableError } from "../service/registry-call.ts";
import { callerOfToken } from "./access.ts";
import { type Issuing, recordIssuing } from "./analytics.ts";
import type { AppEnv } from "./app-env.ts";
import type { ProblemCode } from "./problem.ts";
import { mayIssue, TOO_MANY_IDS } from "./rate-limit.ts";
import { waitUntilOf } from "./wait-until.ts";

/** Why a dialect cannot serve: the code that /v1 would answer, and a sentence. */
export interface DialectRefusal {
  readonly code: ProblemCode;
  readonly detail: string;
}

export type Outcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly refusal: DialectRefusal };

/** A namespace that the caller may use. */
export interface Addressed<Of extends Namespace = Namespace> {
  readonly caller: ApiKeyRecord;
  readonly namespace: Of;
}

/** What `work` comes to; what it throws is a refusal too. The log learns of every refusal. */
export async function outcomeOf<Value>(
  c: Context<AppEnv>,
  work: () => Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  const outcome = await work().catch((error: unknown) => thrown(c, error));
  if (!outcome.ok) c.set("dialectCode", outcome.refusal.code);
  return outcome;
}

function thrown(c: Context<AppEnv>, error: unknown): Outcome<never> {
  if (error instanceof RegistryUnavailableError) {
    return refuse("registry_unavailable", "The registry of namespaces and keys does not answer.");
  }
  if (error instanceof HTTPException && error.status === 429) {
    return refuse("rate_limited", "Too many keys were tried from this address.");
  }
  c.set("failure", error instanceof Error ? error : new Error("something else was thrown"));
  return refuse("internal", "The request failed inside; the log has a line with its requestId.");
}

export function refuse(code: ProblemCode, detail: string): Outcome<never> {
  return { ok: false, refusal: { code, detail } };
}

/** Whose token it is, where it has that scope. */
export async function permitted(
  c: Context<AppEnv>,
  token: string | undefined,
  scope: Scope,
): Promise<Outcome<ApiKeyRecord>> {
  const found = await callerOfToken(c, token);
  if (found.kind === "nobody") return refuse("unauthorized", "The token is no key in force.");
  if (found.kind !== "caller") return refuse(found.kind, found.detail);
  c.set("caller", found.caller);
  if (hasScope(found.caller, scope)) return { ok: true, value: found.caller };
  return refuse("forbidden", `This route takes a key with the scope ${scope}.`);
}

/** The namespace of that name and kind, where the token's owner may issue from it. */
export async function addressed<Kind extends Namespace["kind"]>(
  c: Context<AppEnv>,
  token: string | undefined,
  name: string,
  kind: Kind,
): Promise<Outcome<Addressed<Extract<Namespace, { kind: Kind }>>>> {
  const found = await permitted(c, token, "issue");
  if (!found.ok) return found;
  const caller = found.value;
  if (!mayUse(caller, name)) {
    return refuse("forbidden", "This key is restricted to other namespaces.");
  }
  const namespace = await findNamespace(c.env.REGISTRY, name, waitUntilOf(c));
  if (!namespace) return refuse("unknown_namespace", "There is no namespace of that name.");
  if (!isOfKind(namespace, kind)) {
    return refuse("wrong_kind", `The namespace is of the kind ${namespace.kind}, not ${kind}.`);
  }
  if (namespace.retired) return refuse("namespace_retired", "This namespace is retired.");
  return { ok: true, value: { caller, namespace } };
}

/** Charges `count` IDs to the caller. */
export async function charged(
  c: Context<AppEnv>,
  caller: ApiKeyRecord,
  count: number,
): Promise<Outcome<undefined>> {
  const may = await mayIssue(c.env, c.req.raw.headers, caller.id, count);
  return may ? { ok: true, value: undefined } : refuse("rate_limited", TOO_MANY_IDS);
}

/** `count` IDs from anywhere, as a request to /v1/ids without parameters has them. */
export async function issued(
  c: Context<AppEnv>,
  route: Issuing["route"],
  { caller, namespace }: Addressed,
  count: number,
): Promise<Outcome<readonly Block[]>> {
  const limited = await charged(c, caller, count);
  if (!limited.ok) return limited;
  const { SHARD: shards, SEGMENTS: segments } = c.env;
  const placement = { strict: false };
  const source = { shards, segments, namespace, placement, waitUntil: waitUntilOf(c) };
  const facts = { route, namespace: namespace.name, callerId: caller.id, count };
  const answer = await issueIds(source, count);
  if (!answer.ok) {
    recordIssuing(c.env, { ...facts, outcome: answer.refusal.code });
    return refuse(answer.refusal.code, answer.refusal.detail);
  }
  recordIssuing(c.env, { ...facts, outcome: "issued", shard: answer.shard });
  return { ok: true, value: answer.blocks };
}

function isOfKind<Kind extends Namespace["kind"]>(
  namespace: Namespace,
  kind: Kind,
): namespace is Extract<Namespace, { kind: Kind }> {
  return namespace.kind === kind;
}
