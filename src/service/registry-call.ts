import type { Registry } from "../objects/registry.ts";
import { REGISTRY_TIMEOUT_MS } from "./limits.ts";

export type RegistryBinding = DurableObjectNamespace<Registry>;

/** There is one registry in a deployment; this is its object's name. */
const REGISTRY_NAME = "registry";

/** The registry failed or did not answer in time; `cause` says how. */
export class RegistryUnavailableError extends Error {
  override readonly name = "RegistryUnavailableError";
}

/** Calls the registry. Throws RegistryUnavailableError where it fails or takes over REGISTRY_TIMEOUT_MS. */
export async function callRegistry<Reply>(
  registry: RegistryBinding,
  call: (stub: DurableObjectStub<Registry>) => Promise<Reply>,
): Promise<Reply> {
  const answered = new AbortController();
  const { signal } = answered;
  const timeout = scheduler.wait(REGISTRY_TIMEOUT_MS, { signal }).then(() => {
    throw new Error(`the registry did not answer within ${REGISTRY_TIMEOUT_MS} ms`);
  });
  try {
    return await Promise.race([call(registry.getByName(REGISTRY_NAME)), timeout]);
  } catch (cause) {
    throw new RegistryUnavailableError("the registry does not answer", { cause });
  } finally {
    answered.abort();
    // The aborted wait rejects; nobody is left to hear it.
    timeout.catch(() => undefined);
  }
}
