import type { Registry, Revoked } from "../../objects/registry.ts";
import { REGISTRY_TIMEOUT_MS } from "../limits.ts";
import { withDeadline } from "../object-call.ts";

export type RegistryBinding = DurableObjectNamespace<Registry>;

/** The name of the registry's object, the only one in a deployment. */
const REGISTRY_NAME = "registry";

/** The registry failed or did not answer in time; see `cause`. */
export class RegistryUnavailableError extends Error {
  override readonly name = "RegistryUnavailableError";
  /** True: the call may still have changed something. */
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

/** Returns the reply to a write. Throws KeyRevokedError if the registry rejected the caller's key. */
export function confirmed<Reply extends { readonly kind: string }>(
  reply: Reply | Revoked,
): Exclude<Reply, Revoked> {
  if (reply.kind === "revoked") throw new KeyRevokedError("the caller's key is not in force");
  return reply as Exclude<Reply, Revoked>;
}

/**
 * Calls the registry. `changes`: the call may change something. Throws RegistryUnavailableError if the call fails or
 * takes longer than REGISTRY_TIMEOUT_MS.
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
