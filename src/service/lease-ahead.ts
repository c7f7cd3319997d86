/** Leases of fresh IDs, fetched ahead of requests and behind their answers. */
import type { BlockBuffer, Fetch } from "../core/block-buffer.ts";
import type { issue } from "./issue.ts";
import type { SnowflakeNamespace } from "./namespaces.ts";
import type { Placement } from "./pick-shard.ts";
import type { Shards } from "./shards.ts";

/** Where IDs are asked for, and who carries on after the answer. */
export interface FreshSource {
  readonly shards: Shards;
  readonly namespace: SnowflakeNamespace;
  /** Not pinned to a shard, a key or an order. */
  readonly placement: Placement;
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/** Sets out the next lease, of at most `countMax` IDs, where it is due. `ask`: how a shard is asked for it. */
export function fetchAhead(
  source: FreshSource,
  buffer: BlockBuffer,
  { countMax, ask }: { readonly countMax: number; readonly ask: typeof issue },
  nowMs: number,
): void {
  const fetch = buffer.plan(nowMs, countMax);
  // A refill that fails is not repeated before its claim lapses: a shard in trouble is left alone for as long.
  if (fetch) source.waitUntil(refill(source, buffer, fetch, ask).catch(() => undefined));
}

async function refill(
  { shards, namespace, placement }: FreshSource,
  buffer: BlockBuffer,
  fetch: Fetch,
  ask: typeof issue,
): Promise<void> {
  const askedAtMs = Date.now();
  const issued = await ask(shards, namespace, placement, fetch.count);
  if (!issued.ok) return;
  const { blocks, shard } = issued;
  buffer.fill(fetch, { blocks, shard, askedAtMs }, Date.now());
}
