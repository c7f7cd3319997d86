import type { Refusal } from "../core/errors.ts";
import type { Shard } from "../objects/shard.ts";
import { CALL_TRIES_MAX, OVERLOADED_RETRY_MS } from "./limits.ts";
import { regionOf, type SnowflakeNamespace } from "./namespaces.ts";

export type Shards = DurableObjectNamespace<Shard>;

/** The shard's object, asked for anew each time: after a reset an old stub stays broken. */
export function stubOf(
  shards: Shards,
  namespace: SnowflakeNamespace,
  shard: number,
): DurableObjectStub<Shard> {
  const locationHint = regionOf(namespace, shard);
  return shards.getByName(`${namespace.name}/${shard}`, { locationHint });
}

export type CallResult<Reply> =
  | { readonly ok: true; readonly reply: Reply; readonly repeated: boolean }
  | { readonly ok: false; readonly refusal: Refusal; readonly repeated: boolean };

/**
 * Calls a shard; a call that throws is repeated once on a new stub. That can only skip IDs, never
 * repeat one. A shard whose queue at the platform is full is left alone. Throws what the second try throws.
 */
export async function callShard<Reply>(
  shards: Shards,
  namespace: SnowflakeNamespace,
  shard: number,
  call: (stub: DurableObjectStub<Shard>) => Promise<Reply>,
): Promise<CallResult<Reply>> {
  for (let tries = 1; ; tries += 1) {
    const repeated = tries > 1;
    try {
      return { ok: true, reply: await call(stubOf(shards, namespace, shard)), repeated };
    } catch (error) {
      if (isOverloaded(error))
        return { ok: false, refusal: overloaded(`Shard ${shard}`), repeated };
      if (tries >= CALL_TRIES_MAX) throw error;
    }
  }
}

/** Whether a call was refused by the platform, whose queue for that object is full. */
export function isOverloaded(error: unknown): boolean {
  return error instanceof Error && "overloaded" in error && error.overloaded === true;
}

/** `what` has so many requests queued. */
export function overloaded(what: string): Refusal {
  return {
    code: "shard_overloaded",
    detail: `${what} has more requests queued than it can take.`,
    retryAfterMs: OVERLOADED_RETRY_MS,
  };
}
