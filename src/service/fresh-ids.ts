/**
 * Single IDs from this isolate's memory.
 *
 * An isolate that sees repeated demand leases blocks ahead of it, from its home shard and behind the answers;
 * a request that finds none asks a shard for exactly what it needs. What is kept is plain data, never a promise
 * or a stub of some request. Nothing happens between requests: no timer, no call.
 */
import { BlockBuffer } from "../core/block-buffer.ts";
import { FreshDemand } from "../core/fresh-demand.ts";
import { idleCapacity } from "../core/lanes.ts";
import { remember } from "../core/remember.ts";
import { idOf, shardOf } from "../core/take-blocks.ts";
import { issue } from "./issue.ts";
import { type FreshSource, fetchAhead } from "./lease-ahead.ts";
import { FRESH_BLOCKS_MAX, FRESH_NAMESPACES_MAX, HOME_COUNT_MAX } from "./limits.ts";
import type { SnowflakeNamespace } from "./namespaces.ts";

/** This isolate's leased IDs, by namespace. */
const buffers = new Map<string, BlockBuffer>();

/** An ID from memory, and the shard that granted it. */
export interface FreshId {
  readonly id: bigint;
  readonly shard: number;
}

/** An ID from memory; undefined where there is none. Sets out the next lease when it is due. */
export function takeFresh(source: FreshSource): FreshId | undefined {
  const nowMs = Date.now();
  const { name, policy } = source.namespace;
  const buffer = buffers.get(name);
  if (!buffer) return undefined;
  buffer.freshForMs = policy.freshForMs;
  if (!buffer.advance(nowMs)) return undefined;
  fetchAhead(source, buffer, { countMax: leaseCountMax(source.namespace), ask: issue }, nowMs);
  return { id: idOf(buffer), shard: shardOf(buffer) };
}

/** Notes that a request found no ID in memory and asks for itself: repeated demand is leased for. */
export function missedFresh(source: FreshSource): void {
  // Nothing that is leased could be served.
  if (source.namespace.policy.freshForMs === 0) return;
  const nowMs = Date.now();
  const buffer = bufferOf(source.namespace);
  buffer.missed(nowMs);
  fetchAhead(source, buffer, { countMax: leaseCountMax(source.namespace), ask: issue }, nowMs);
}

function bufferOf({ name, policy }: SnowflakeNamespace): BlockBuffer {
  const known = buffers.get(name);
  if (known) return known;
  const { freshForMs } = policy;
  const buffer = new BlockBuffer(new FreshDemand(freshForMs), freshForMs);
  remember(buffers, name, buffer, FRESH_NAMESPACES_MAX);
  return buffer;
}

/** What one shard call may lease: a home shard's share of its ms, an idle line's room, a bounded number of blocks. */
function leaseCountMax({ layout, policy }: SnowflakeNamespace): number {
  return Math.min(
    HOME_COUNT_MAX,
    idleCapacity(layout, policy, false),
    FRESH_BLOCKS_MAX * layout.sequenceCount,
  );
}
