import type { Registry, Revoked } from "../../objects/registry.ts";
import { REGISTRY_TIMEOUT_MS } from "../limits.ts";
import { withDeadline } from "../object-call.ts";

export type RegistryBinding = DurableObjectNamespace<Registry>;

/** There is one registry in a deployment; this is its object's name. */
const REGISTRY_NAME = "registry";

/** The registry failed or did not answer in time; `cause` says how. */
export class RegistryUnavailableError extends Error {
  override readonly name = "RegistryUnavailableError";
  /** True: the call may have changed something all the same. */
  readonly maybeDone: boolean;

  constructor(cause: unknown, maybeDone: boolean) {
    super("the registry does not answer", { cause });
    this.maybeDone = maybeDone;
  }
}

/** The caller's key was revoked or has expired since this isolate read it. */
export class KeyRevokedError extends Error {
  override readonly name = "KeyRevokedError";
}

/** The reply to a write. Throws KeyRevokedError. */
export function confirmed<Reply extends { readonly kind: string }>(
  reply: Reply | Revoked,
): Exclude<Reply, Revoked> {
  if (reply.kind === "revoked") throw new KeyRevokedError("the caller's key is not in force");
  return reply as Exclude<Reply, Revoked>;
}

/**
 * Calls the registry; `changes` says that the call is to change something.
 * Throws RegistryUnavailableError where it fails or takes over REGISTRY_TIMEOUT_MS.
 */
export async function callRegistry<Reply>(
  registry: RegistryBinding,
  call: (stub: DurableObjectStub<Registry>) => Promise<Reply>,
  { changes = false }: { readonly changes?: boolean } = {},
): Promise<Reply> {
  try {
    return await withDeadline(call(registry.getByName(REGISTRY_NAME)), REGISTRY_TIMEOUT_MS);
  } catch (cause) {
    throw new RegistryUnavailableError(cause, changes);
  }
}
