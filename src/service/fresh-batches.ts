/**
 * Batches from this isolate's memory, as single IDs are (fresh-ids), but whole and from one shard each: an isolate
 * that sees repeated demand leases many batches at once.
 *
 * Apart from the leases of single IDs: a batch would take from those what many single requests are waiting for.
 */
import { BatchDemand } from "../core/batch-demand.ts";
import { BlockBuffer } from "../core/block-buffer.ts";
import { idleCapacity } from "../core/lanes.ts";
import { remember } from "../core/remember.ts";
import { openFor, shardOf, takeBlocks } from "../core/take-blocks.ts";
import { issueAtOnce } from "./issue.ts";
import type { Issued } from "./issued.ts";
import { type FreshSource, fetchAhead } from "./lease-ahead.ts";
import {
  BATCH_AT_ONCE_DIVISOR,
  BATCH_BLOCKS_MAX,
  BATCH_FRESH_DIVISOR,
  FRESH_NAMESPACES_MAX,
} from "./limits.ts";
import type { SnowflakeNamespace } from "./namespaces.ts";

interface Held {
  readonly buffer: BlockBuffer;
  readonly demand: BatchDemand;
}

/** This isolate's leases for batches, by namespace. */
const held = new Map<string, Held>();

/**
 * `count` IDs from memory, at once; undefined where there are not so many from one shard: the caller asks a shard
 * for them. Sets out the next lease when it is due: repeated demand is leased for.
 */
export function takeBatch(source: FreshSource, count: number): Issued | undefined {
  const countMax = leaseCountMax(source.namespace);
  // Nothing that is leased could be served, or not even twice.
  if (source.namespace.policy.freshForMs === 0 || 2 * count > countMax) return undefined;
  const nowMs = Date.now();
  const { buffer, demand } = heldOf(source.namespace);
  buffer.freshForMs = source.namespace.policy.freshForMs;
  demand.asked(count);
  const blocks = openFor(buffer, count, nowMs) ? takeBlocks(buffer, count, nowMs) : undefined;
  if (!blocks) buffer.missed(nowMs);
  // One that would have to wait comes too late, and holds up those who wait for theirs.
  fetchAhead(source, buffer, { countMax, ask: issueAtOnce }, nowMs);
  return blocks && { ok: true, shard: shardOf(buffer), blocks };
}

function heldOf({ name, policy }: SnowflakeNamespace): Held {
  const known = held.get(name);
  if (known) return known;
  const demand = new BatchDemand(policy.freshForMs);
  const made = { buffer: new BlockBuffer(demand), demand };
  remember(held, name, made, FRESH_NAMESPACES_MAX);
  return made;
}

/**
 * What one shard call may lease: a part of what its line opens while the lease is fresh, and of what an idle one opens
 * at once, so that others are still served; a bounded number of blocks. Nothing of a tick that outlasts the lease: what
 * is left of one is then missing for the rest of the other.
 */
function leaseCountMax({ layout, policy }: SnowflakeNamespace): number {
  const { sequenceCount, tickMs } = layout;
  if (tickMs > policy.freshForMs) return 0;
  const openAtOnce = idleCapacity(layout, { ...policy, maxWaitMs: 0 }, false);
  const openWhileFresh = (sequenceCount * policy.freshForMs) / tickMs;
  return Math.min(
    Math.floor(openAtOnce / BATCH_AT_ONCE_DIVISOR),
    Math.floor(openWhileFresh / BATCH_FRESH_DIVISOR),
    BATCH_BLOCKS_MAX * sequenceCount,
  );
}
