import { shardOfKey } from "../core/rendezvous.ts";
import { HOME_COUNT_MAX, HOME_SHARDS_MAX } from "./limits.ts";
import type { Namespace } from "./namespaces.ts";

/** What a request says about where and how it is served. */
export interface Placement {
  readonly shard?: number | undefined;
  readonly key?: string | undefined;
  readonly strict: boolean;
}

/** This isolate's home shard per namespace: plain data, so that it may outlive a request. */
const homeShards = new Map<string, number>();

/** True where all of the request's IDs come from one shard, whatever the count. */
export function isPinned({ shard, key, strict }: Placement): boolean {
  return shard !== undefined || key !== undefined || strict;
}

/** IDs for one key strictly increase, so keyed requests are strict. */
export function isStrict({ key, strict }: Placement): boolean {
  return strict || key !== undefined;
}

/**
 * The worker ID to ask: the one named, the key's, this isolate's home shard,
 * or a random one where a large count would be capped by a single worker ID.
 */
export function pickShard(namespace: Namespace, placement: Placement, count: number): number {
  if (placement.shard !== undefined) return placement.shard;
  if (placement.key !== undefined) {
    return shardOfKey(new TextEncoder().encode(placement.key), namespace.keyShards);
  }
  if (count > HOME_COUNT_MAX && !placement.strict) return randomShard(namespace);
  return homeShard(namespace);
}

function homeShard(namespace: Namespace): number {
  const known = homeShards.get(namespace.name);
  if (known !== undefined) return known;
  const [oldest] = homeShards.keys();
  if (homeShards.size >= HOME_SHARDS_MAX && oldest !== undefined) homeShards.delete(oldest);
  const shard = randomShard(namespace);
  homeShards.set(namespace.name, shard);
  return shard;
}

function randomShard({ shards }: Namespace): number {
  return Math.floor(Math.random() * shards);
}
