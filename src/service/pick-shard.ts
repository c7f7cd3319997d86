import { type GeoPoint, nearestRegion } from "../core/regions.ts";
import { remember } from "../core/remember.ts";
import { shardOfKey } from "../core/rendezvous.ts";
import { HOME_COUNT_MAX, HOME_SHARDS_MAX } from "./limits.ts";
import type { SnowflakeNamespace } from "./namespaces.ts";

/** What a request says about where and how it is served. */
export interface Placement {
  readonly shard?: number | undefined;
  readonly key?: string | undefined;
  readonly strict: boolean;
  /** What the request's answer is kept under, with its owner; of segments only. */
  readonly idempotencyKey?: string | undefined;
  /** Says where the request came in; undefined where that is not known. Asked for only where a shard is to be picked. */
  readonly from?: () => GeoPoint | undefined;
}

interface Home {
  readonly shard: number;
  /** Until then the home is left alone: it said when to come back. */
  restsUntilMs: number;
}

/** This isolate's home shard per namespace: plain data, so that it may outlive a request. */
const homes = new Map<string, Home>();

const encoder = new TextEncoder();

/** True where all of the request's IDs come from one shard, whatever the count. */
export function isPinned({ shard, key, strict }: Placement): boolean {
  return shard !== undefined || key !== undefined || strict;
}

/** IDs for one key strictly increase, so keyed requests are strict. */
export function isStrict({ key, strict }: Placement): boolean {
  return strict || key !== undefined;
}

/**
 * The worker ID to ask: the one named, the key's, this isolate's home shard (another one while that
 * rests, unless order is strict), or a random one of the nearest region where a large count would be
 * capped by a single worker ID.
 */
export function pickShard(
  namespace: SnowflakeNamespace,
  placement: Placement,
  count: number,
): number {
  if (placement.shard !== undefined) return placement.shard;
  if (placement.key !== undefined) {
    return shardOfKey(encoder.encode(placement.key), namespace.keyShards);
  }
  if (count > HOME_COUNT_MAX && !placement.strict) return shardNear(namespace, placement.from);
  const home = homeOf(namespace, placement.from);
  const rests = !placement.strict && Date.now() < home.restsUntilMs;
  return (rests ? otherShard(namespace, home.shard) : undefined) ?? home.shard;
}

/** A random shard but this one, nor a home that rests; undefined where there is no other. */
export function otherShard(
  { name, shards }: SnowflakeNamespace,
  shard: number,
): number | undefined {
  const home = homes.get(name);
  const resting = home && Date.now() < home.restsUntilMs ? home.shard : shard;
  const others = Array.from({ length: shards }, (_, other) => other).filter(
    (other) => other !== shard && other !== resting,
  );
  return others[Math.floor(Math.random() * others.length)];
}

/** Leaves a shard alone for a while, where it is this isolate's home. */
export function restHome({ name }: SnowflakeNamespace, shard: number, restMs: number): void {
  const home = homes.get(name);
  if (home?.shard === shard) home.restsUntilMs = Date.now() + restMs;
}

function homeOf(namespace: SnowflakeNamespace, from: Placement["from"]): Home {
  const known = homes.get(namespace.name);
  if (known) return known;
  const home: Home = { shard: shardNear(namespace, from), restsUntilMs: 0 };
  remember(homes, namespace.name, home, HOME_SHARDS_MAX);
  return home;
}

/** A random shard of the nearest region that has one: shard i is near regions[i mod n]. */
function shardNear({ regions, shards }: SnowflakeNamespace, from: Placement["from"]): number {
  const used = regions.slice(0, shards);
  const region = nearestRegion(used, from?.());
  const residues = used.flatMap((one, residue) => (one === region ? [residue] : []));
  const countOf = (residue: number) => Math.ceil((shards - residue) / regions.length);
  let drawn = Math.floor(Math.random() * residues.reduce((sum, one) => sum + countOf(one), 0));
  for (const residue of residues) {
    const count = countOf(residue);
    if (drawn < count) return residue + drawn * regions.length;
    drawn -= count;
  }
  return 0;
}
