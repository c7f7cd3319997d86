/**
 * Single IDs from this isolate's memory.
 *
 * An isolate that sees repeated demand leases blocks ahead of it, from its home shard and behind the answers;
 * a request that finds none asks a shard for exactly what it needs. What is kept is plain data, never a promise
 * or a stub of some request. Nothing happens between requests: no timer, no call.
 */
import { BlockBuffer, type Fetch } from "../core/block-buffer.ts";
import { FreshDemand } from "../core/fresh-demand.ts";
import { idleCapacity } from "../core/lanes.ts";
import { remember } from "../core/remember.ts";
import { issue } from "./issue.ts";
import { FRESH_BLOCKS_MAX, FRESH_NAMESPACES_MAX, HOME_COUNT_MAX } from "./limits.ts";
import type { SnowflakeNamespace } from "./namespaces.ts";
import type { Placement } from "./pick-shard.ts";
import type { Shards } from "./shard-call.ts";

/** This isolate's leased IDs, by namespace. */
const buffers = new Map<string, BlockBuffer>();

/** Where IDs are asked for, and who carries on after the answer. */
export interface FreshSource {
  readonly shards: Shards;
  readonly namespace: SnowflakeNamespace;
  /** Not pinned to a shard, a key or an order. */
  readonly placement: Placement;
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/** An ID from memory, and the shard that granted it. */
export interface FreshId {
  readonly id: bigint;
  readonly shard: number;
}

/** An ID from memory; undefined where there is none. Sets out the next lease when it is due. */
export function takeFresh(source: FreshSource): FreshId | undefined {
  const nowMs = Date.now();
  const buffer = buffers.get(source.namespace.name);
  if (!buffer?.advance(nowMs)) return undefined;
  fetchAhead(source, buffer, nowMs);
  const { id, shard } = buffer;
  return { id, shard };
}

/** Notes that a request found no ID in memory and asks for itself: repeated demand is leased for. */
export function missedFresh(source: FreshSource): void {
  // Nothing that is leased could be served.
  if (source.namespace.policy.freshForMs === 0) return;
  const nowMs = Date.now();
  const buffer = bufferOf(source.namespace);
  buffer.missed(nowMs);
  fetchAhead(source, buffer, nowMs);
}

function bufferOf({ name, policy }: SnowflakeNamespace): BlockBuffer {
  const known = buffers.get(name);
  if (known) return known;
  const buffer = new BlockBuffer(new FreshDemand(policy.freshForMs));
  remember(buffers, name, buffer, FRESH_NAMESPACES_MAX);
  return buffer;
}

function fetchAhead(source: FreshSource, buffer: BlockBuffer, nowMs: number): void {
  const fetch = buffer.plan(nowMs, leaseCountMax(source.namespace));
  // A refill that fails is not repeated before its claim lapses: a shard in trouble is left alone for as long.
  if (fetch) source.waitUntil(refill(source, buffer, fetch).catch(() => undefined));
}

/** What one shard call may lease: a home shard's share of its ms, an idle line's room, a bounded number of blocks. */
function leaseCountMax({ layout, policy }: SnowflakeNamespace): number {
  return Math.min(
    HOME_COUNT_MAX,
    idleCapacity(layout, policy, false),
    FRESH_BLOCKS_MAX * layout.sequenceCount,
  );
}

async function refill(
  { shards, namespace, placement }: FreshSource,
  buffer: BlockBuffer,
  { ticket, count }: Fetch,
): Promise<void> {
  const askedAtMs = Date.now();
  const issued = await issue(shards, namespace, placement, count);
  if (!issued.ok) return;
  const { blocks, shard } = issued;
  const { freshForMs } = namespace.policy;
  buffer.fill(ticket, { blocks, shard, askedAtMs, freshForMs }, Date.now());
}
