import type { Grant } from "../core/block.ts";
import type { Refusal } from "../core/errors.ts";
import { idleCapacity } from "../core/lanes.ts";
import type { GrantReply } from "../objects/shard.ts";
import { CALL_TRIES_MAX, STREAM_CALL_COUNT, STREAM_WAIT_MAX_MS } from "./limits.ts";
import type { Namespace } from "./namespaces.ts";
import { isPinned, isStrict, type Placement, pickShard } from "./pick-shard.ts";
import { callShard, type Shards } from "./shard-call.ts";

/** Positions granted by one shard, or why not. */
export type Issued =
  | { readonly ok: true; readonly shard: number; readonly grants: readonly Grant[] }
  | {
      readonly ok: false;
      readonly refusal: Refusal;
      /** True: refused before anything was granted. False: IDs may have been skipped. */
      readonly definite: boolean;
    };

/** Asks one shard for `count` IDs. */
export function issue(
  shards: Shards,
  namespace: Namespace,
  placement: Placement,
  count: number,
): Promise<Issued> {
  const shard = pickShard(namespace, placement, count);
  return issueFrom(shards, namespace, shard, isStrict(placement), count);
}

/** IDs per shard call of a stream: what an idle line is sure to open, STREAM_CALL_COUNT at most. */
export function callCountMax({ layout, policy }: Namespace, placement: Placement): number {
  return Math.min(STREAM_CALL_COUNT, idleCapacity(layout, policy, isStrict(placement)));
}

/**
 * Asks for `count` IDs in calls of at most callCountMax, one after another, so that a consumer that
 * stops asking stops the work. Not pinned, each call takes another shard at random. A saturated shard is
 * waited for, STREAM_WAIT_MAX_MS in all. A refusal is the last value.
 */
export async function* issueInCalls(
  shards: Shards,
  namespace: Namespace,
  placement: Placement,
  count: number,
): AsyncGenerator<Issued> {
  const strict = isStrict(placement);
  const mostPerCall = callCountMax(namespace, placement);
  const pinned = isPinned(placement) ? pickShard(namespace, placement, count) : undefined;
  let issued = 0;
  let waitedMs = 0;
  while (issued < count) {
    const shard = pinned ?? pickShard(namespace, placement, count);
    const callCount = Math.min(mostPerCall, count - issued);
    const result = await issueFrom(shards, namespace, shard, strict, callCount);
    if (!result.ok && result.refusal.code === "shard_saturated") {
      const waitMs = result.refusal.retryAfterMs ?? 0;
      if (issued > 0 && waitedMs + waitMs <= STREAM_WAIT_MAX_MS) {
        waitedMs += waitMs;
        await scheduler.wait(waitMs);
        continue;
      }
    }
    yield result;
    if (!result.ok) return;
    issued += callCount;
  }
}

async function issueFrom(
  shards: Shards,
  namespace: Namespace,
  shard: number,
  strict: boolean,
  count: number,
): Promise<Issued> {
  const { lineSpec } = namespace;
  let definite = true;
  for (let tries = 1; ; tries += 1) {
    const result = await callShard<GrantReply>(shards, namespace, shard, (stub) =>
      stub.grant({ lineSpec, count, strict, callerNowMs: Date.now() }),
    );
    definite &&= !result.repeated;
    if (!result.ok) return { ok: false, refusal: result.refusal, definite };
    const { reply } = result;
    if (reply.ok) return reply;
    definite &&= reply.granted === 0;
    // In a disagreement of clocks ours may be the stale one: it is read again for the second call.
    const again = reply.refusal.code === "clock_disagreement" && tries < CALL_TRIES_MAX;
    if (!again) return { ok: false, refusal: reply.refusal, definite };
  }
}
