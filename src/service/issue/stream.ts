/** Streams of IDs: shard calls one after another. */
import { idleCapacity } from "../../core/line/lanes.ts";
import type { Issued } from "../calls/issued.ts";
import { isPinned, isStrict, type Placement, pickShard } from "../calls/pick-shard.ts";
import { askShards } from "../calls/shard-call.ts";
import type { Shards } from "../calls/shards.ts";
import { STREAM_CALL_COUNT, STREAM_WAIT_MAX_MS } from "../limits.ts";
import type { SnowflakeNamespace } from "../registry/namespaces.ts";

/** IDs per shard call of a stream: the count that an idle line can always grant, at most STREAM_CALL_COUNT. */
export function callCountMax({ layout, policy }: SnowflakeNamespace, placement: Placement): number {
  return Math.min(STREAM_CALL_COUNT, idleCapacity(layout, policy, isStrict(placement)));
}

/**
 * Fetches `count` IDs in calls of at most callCountMax, one after another. It stops if the consumer stops reading. If
 * the request is not pinned, each large call selects its own shard. Waits for saturated shards for up to
 * STREAM_WAIT_MAX_MS in total. A refusal is the last value.
 */
export async function* streamFromShards(
  shards: Shards,
  namespace: SnowflakeNamespace,
  placement: Placement,
  count: number,
): AsyncGenerator<Issued> {
  const mostPerCall = callCountMax(namespace, placement);
  // The home shard may change during the stream, and order holds only on one shard.
  let placed = isPinned(placement)
    ? { ...placement, shard: pickShard(namespace, placement, count) }
    : placement;
  let issued = 0;
  let waitedMs = 0;
  while (issued < count) {
    const callCount = Math.min(mostPerCall, count - issued);
    const result = await askShards(shards, namespace, placed, callCount);
    placed = { ...placed, continues: true };
    if (!result.ok && result.refusal.code === "shard_saturated") {
      const waitMs = result.refusal.retryAfterMs ?? 0;
      waitedMs += waitMs + result.waitedMs;
      if (issued > 0 && waitedMs <= STREAM_WAIT_MAX_MS) {
        await scheduler.wait(waitMs);
        continue;
      }
    }
    yield result;
    if (!result.ok) return;
    issued += callCount;
  }
}
