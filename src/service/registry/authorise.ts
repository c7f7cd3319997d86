import { type ApiKeyRecord, hasScope, mayUse, type Scope } from "../../core/api-key.ts";
import { failed, NAMESPACE_RETIRED, type Outcome, type Problem } from "../../core/problem.ts";
import {
  BUILT_IN_NAMESPACES,
  findNamespace,
  type Namespace,
  namespaceInMemory,
} from "./namespaces.ts";

const OTHER_NAMESPACES: Problem = {
  code: "forbidden",
  detail: "This key is restricted to other namespaces; use a key for this one.",
};
const BUILT_IN = BUILT_IN_NAMESPACES.map(({ name }) => name).join(", ");
export const UNKNOWN_NAMESPACE: Problem = {
  code: "unknown_namespace",
  detail: `No namespace has this name. Built-in namespaces: ${BUILT_IN}. Create others with PUT /v1/namespaces/{namespace}.`,
};

/** A request's bindings and its waitUntil. */
export interface Surroundings {
  readonly env: Env;
  /** Keeps work alive after the response. */
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/** Rejects a caller whose key lacks the scope. */
export function refuseScope(caller: ApiKeyRecord, scope: Scope): Problem | undefined {
  if (hasScope(caller, scope)) return undefined;
  return { code: "forbidden", detail: `This route requires a key with the scope ${scope}.` };
}

/** Rejects a caller whose key is restricted to other namespaces. */
export function refuseNamespace(caller: ApiKeyRecord, name: string): Problem | undefined {
  return mayUse(caller, name) ? undefined : OTHER_NAMESPACES;
}

/**
 * The namespace with that name, if the caller may use it. Synchronous if this isolate has it cached. A retired
 * namespace issues nothing (scope `issue`). Throws RegistryUnavailableError.
 */
export function authorise(
  { env, waitUntil }: Surroundings,
  caller: ApiKeyRecord,
  scope: Scope,
  name: string,
): Outcome<Namespace> | Promise<Outcome<Namespace>> {
  const refused = refuseScope(caller, scope) ?? refuseNamespace(caller, name);
  if (refused) return failed(refused);
  const known = namespaceInMemory(name);
  if (known) return usable(known, scope);
  return findNamespace(env.REGISTRY, name, waitUntil).then((namespace) =>
    namespace ? usable(namespace, scope) : failed(UNKNOWN_NAMESPACE),
  );
}

function usable(namespace: Namespace, scope: Scope): Outcome<Namespace> {
  const isUsable = scope !== "issue" || !namespace.retired;
  return isUsable ? { ok: true, value: namespace } : failed(NAMESPACE_RETIRED);
}
