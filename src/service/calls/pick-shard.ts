import { setBounded } from "../../core/bounded-map.ts";
import { shardOfKey } from "../../core/namespace/rendezvous.ts";
import type { Refusal } from "../../core/refusal.ts";
import { type GeoPoint, nearestRegion } from "../../core/regions.ts";
import { HOME_COUNT_MAX, HOME_SHARDS_MAX, UNAVAILABLE_REST_MS } from "../limits.ts";
import type { SnowflakeNamespace } from "../registry/namespaces.ts";

/** The parts of a request that select its shard. */
export interface Placement {
  readonly shard?: number | undefined;
  readonly orderingKey?: string | undefined;
  readonly strict: boolean;
  /** The Idempotency-Key, prefixed by its owner; only for segments. */
  readonly idempotencyKey?: string | undefined;
  /** True for further calls of the same request. */
  readonly continues?: boolean | undefined;
  /** The place of the request; undefined if unknown. Called only if a shard must be selected. */
  readonly from?: () => GeoPoint | undefined;
}

interface Home {
  readonly shard: number;
  /** Shards to avoid for now. */
  readonly resting: Map<number, Rest>;
}

interface Rest {
  sinceMs: number;
  readonly forMs: number;
  /** True if the shard failed or missed its deadline: after the rest, one request tries it. */
  readonly hasFailed: boolean;
}

/** This isolate's home shard of each namespace: plain data, so that it can outlive a request. */
const homes = new Map<string, Home>();

const encoder = new TextEncoder();

/** Whether all IDs of the request must come from one shard, for any count. */
export function isPinned({ shard, orderingKey, strict }: Placement): boolean {
  return shard !== undefined || orderingKey !== undefined || strict;
}

/** IDs for one ordering key strictly increase, so keyed requests are strict. */
export function isStrict({ orderingKey, strict }: Placement): boolean {
  return strict || orderingKey !== undefined;
}

/**
 * Selects the shard: the given one, the ordering key's, this isolate's home shard (or another one while that rests,
 * unless order is strict), or a random one of the nearest region if the count is large, because one worker ID has a
 * rate limit.
 */
export function pickShard(
  namespace: SnowflakeNamespace,
  placement: Placement,
  count: number,
): number {
  if (placement.shard !== undefined) return placement.shard;
  if (placement.orderingKey !== undefined) {
    return shardOfKey(encoder.encode(placement.orderingKey), namespace.keyShards);
  }
  const home = homeOf(namespace, placement.from);
  if (placement.strict) return home.shard;
  const shard = count > HOME_COUNT_MAX ? shardNear(namespace, placement.from) : home.shard;
  const nowMs = Date.now();
  if (isResting(home, shard, nowMs)) return otherShard(namespace, shard) ?? shard;
  claimTry(home, shard, nowMs);
  return shard;
}

/** A random other shard that does not rest; undefined if all rest. */
export function otherShard(
  { name, shards }: SnowflakeNamespace,
  shard: number,
): number | undefined {
  const home = homes.get(name);
  const nowMs = Date.now();
  const others = Array.from({ length: shards }, (_, other) => other).filter(
    (other) => other !== shard && !(home && isResting(home, other, nowMs)),
  );
  const other = others[Math.floor(Math.random() * others.length)];
  if (home && other !== undefined) claimTry(home, other, nowMs);
  return other;
}

/** Avoids a shard: the home shard for its retryAfterMs, a failed shard for UNAVAILABLE_REST_MS. */
export function restShard({ name }: SnowflakeNamespace, shard: number, refusal: Refusal): void {
  const home = homes.get(name);
  const hasFailed = refusal.code === "shard_unavailable";
  if (!home || !(hasFailed || shard === home.shard)) return;
  const forMs = hasFailed ? UNAVAILABLE_REST_MS : (refusal.retryAfterMs ?? 0);
  home.resting.set(shard, { sinceMs: Date.now(), forMs, hasFailed });
}

/**
 * Records that a shard answered a call that left at `calledAtMs`. Its rest ends if it began before that time: a shard
 * that failed works again. A shard that refused serves again only if it has granted.
 */
export function shardAnswered(
  { name }: SnowflakeNamespace,
  shard: number,
  calledAtMs: number,
  hasGranted: boolean,
): void {
  const resting = homes.get(name)?.resting;
  const rest = resting?.get(shard);
  if (!rest || calledAtMs < rest.sinceMs) return;
  if (rest.hasFailed || hasGranted) resting?.delete(shard);
}

/** Whether a shard rests. A clock that went back ends a rest. */
function isResting({ resting }: Home, shard: number, nowMs: number): boolean {
  const rest = resting.get(shard);
  return rest !== undefined && nowMs >= rest.sinceMs && nowMs - rest.sinceMs < rest.forMs;
}

/** Lets this request try a shard after its rest. Other requests avoid the shard until it has answered. */
function claimTry({ resting }: Home, shard: number, nowMs: number): void {
  const rest = resting.get(shard);
  if (rest?.hasFailed) rest.sinceMs = nowMs;
  else if (rest) resting.delete(shard);
}

function homeOf(namespace: SnowflakeNamespace, from: Placement["from"]): Home {
  const known = homes.get(namespace.name);
  if (known) return known;
  const home: Home = { shard: shardNear(namespace, from), resting: new Map() };
  setBounded(homes, namespace.name, home, HOME_SHARDS_MAX);
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
