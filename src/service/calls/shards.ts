import type { Shard } from "../../objects/shard.ts";
import { regionOf, type SnowflakeNamespace } from "../registry/namespaces.ts";

export type Shards = DurableObjectNamespace<Shard>;

/** The name of a shard's object. */
export function shardName({ name }: SnowflakeNamespace, shard: number): string {
  return `${name}/${shard}`;
}

/** A new stub of the shard's object for each call: after a reset, an old stub stays broken. */
export function stubOf(
  shards: Shards,
  namespace: SnowflakeNamespace,
  shard: number,
): DurableObjectStub<Shard> {
  const locationHint = regionOf(namespace, shard);
  return shards.getByName(shardName(namespace, shard), { locationHint });
}
