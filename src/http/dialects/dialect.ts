/**
 * Shared code of the dialects of other ID servers. Dialects have their own error bodies. They also accept the API key
 * as a query parameter, because their clients can't send headers. No other route does.
 */
import type { Context } from "hono";
import type { ApiKeyRecord, Scope } from "../../core/api-key.ts";
import type { Block } from "../../core/blocks/block.ts";
import { failed, type Outcome, type Problem } from "../../core/problem.ts";
import { type Client, issueIds } from "../../service/issue/issue.ts";
import { problemOfError } from "../../service/issue/problem-of-error.ts";
import { authorise, refuseScope } from "../../service/registry/authorise.ts";
import type { Namespace } from "../../service/registry/namespaces.ts";
import { callerOf } from "../middleware/access.ts";
import type { AppEnv } from "../middleware/app-env.ts";
import { surroundingsOf } from "../middleware/surroundings.ts";

/** A namespace, and a client that may issue from it. */
export interface Addressed<Of extends Namespace = Namespace> {
  readonly client: Client;
  readonly namespace: Of;
}

/** Runs `work`. A thrown error becomes a problem. All problems are logged. */
export async function outcomeOf<Value>(
  c: Context<AppEnv>,
  work: () => Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  const outcome = await work().catch((error: unknown) => {
    const problem = problemOfError(error);
    if (problem.code === "internal") {
      c.set("failure", error instanceof Error ? error : new Error("something else was thrown"));
    }
    return failed(problem);
  });
  if (!outcome.ok) c.set("dialectCode", outcome.problem.code);
  return outcome;
}

/** The owner of the token or bearer token, if it has the scope. */
export async function permitted(
  c: Context<AppEnv>,
  token: string | undefined,
  scope: Scope,
): Promise<Outcome<ApiKeyRecord>> {
  const found = await callerOf(c.req.raw, surroundingsOf(c), true, token);
  if (!found.ok) return found;
  c.set("caller", found.value);
  const refused = refuseScope(found.value, scope);
  return refused ? failed(refused) : found;
}

/** The namespace with that name and kind, if the token's owner may issue from it. */
export async function addressed<Kind extends Namespace["kind"]>(
  c: Context<AppEnv>,
  route: Client["route"],
  token: string | undefined,
  name: string,
  kind: Kind,
): Promise<Outcome<Addressed<Extract<Namespace, { kind: Kind }>>>> {
  const caller = await permitted(c, token, "issue");
  if (!caller.ok) return caller;
  const surroundings = surroundingsOf(c);
  const found = await authorise(surroundings, caller.value, "issue", name);
  if (!found.ok) return found;
  const namespace = found.value;
  if (!isOfKind(namespace, kind)) {
    const detail = `The namespace is of the kind ${namespace.kind}; this route needs the kind ${kind}.`;
    return failed({ code: "wrong_kind", detail });
  }
  const { headers } = c.req.raw;
  const client = { ...surroundings, route, caller: caller.value, headers };
  return { ok: true, value: { client, namespace } };
}

/** Issues `count` IDs like a request to /v1/ids without other parameters. */
export async function issued(
  { client, namespace }: Addressed,
  count: number,
): Promise<Outcome<readonly Block[]>> {
  const request = { namespace, count, placement: { strict: false } };
  const result = await issueIds(client, request);
  return result.ok ? { ok: true, value: result.blocks } : result;
}

export function refuse(code: Problem["code"], detail: string): Outcome<never> {
  return failed({ code, detail });
}

function isOfKind<Kind extends Namespace["kind"]>(
  namespace: Namespace,
  kind: Kind,
): namespace is Extract<Namespace, { kind: Kind }> {
  return namespace.kind === kind;
}
