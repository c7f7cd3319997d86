import type { Grant } from "../core/block.ts";
import type { Refusal, RefusalCode } from "../core/errors.ts";
import { idleCapacity } from "../core/lanes.ts";
import type { GrantReply } from "../objects/shard.ts";
import { CALL_TRIES_MAX, STREAM_CALL_COUNT, STREAM_WAIT_MAX_MS } from "./limits.ts";
import type { Namespace } from "./namespaces.ts";
import {
  isPinned,
  isStrict,
  otherShard,
  type Placement,
  pickShard,
  restHome,
} from "./pick-shard.ts";
import { callShard, type Shards } from "./shard-call.ts";

/** Positions granted by one shard, or why not. */
export type Issued =
  | { readonly ok: true; readonly shard: number; readonly grants: readonly Grant[] }
  | {
      readonly ok: false;
      readonly refusal: Refusal;
      /** True: refused before anything was granted. False: IDs may have been skipped. */
      readonly definite: boolean;
      /** Waits asked for at shards, in ms. */
      readonly waitedMs: number;
    };

/** Refusals of one shard that another one need not share. */
const FAILOVER_CODES: readonly RefusalCode[] = [
  "clock_behind",
  "clock_disagreement",
  "shard_overloaded",
  "shard_saturated",
];

/**
 * Asks one shard for `count` IDs. Where that one cannot serve now, and the request is not pinned to it,
 * asks one other within the same wait budget, never more.
 */
export async function issue(
  shards: Shards,
  namespace: Namespace,
  placement: Placement,
  count: number,
): Promise<Issued> {
  const strict = isStrict(placement);
  const shard = pickShard(namespace, placement, count);
  const budgetMs = namespace.policy.maxWaitMs;
  const first = await issueFrom(shards, namespace, { shard, strict, count, waitLeftMs: budgetMs });
  if (first.ok || isPinned(placement) || !FAILOVER_CODES.includes(first.refusal.code)) return first;
  restHome(namespace, shard, first.refusal.retryAfterMs ?? 0);
  const other = otherShard(namespace, shard);
  if (other === undefined) return first;
  const waitLeftMs = Math.max(0, budgetMs - first.waitedMs);
  const second = await issueFrom(shards, namespace, { shard: other, strict, count, waitLeftMs });
  return second.ok ? second : { ...second, definite: first.definite && second.definite };
}

/** IDs per shard call of a stream: what an idle line is sure to open, STREAM_CALL_COUNT at most. */
export function callCountMax({ layout, policy }: Namespace, placement: Placement): number {
  return Math.min(STREAM_CALL_COUNT, idleCapacity(layout, policy, isStrict(placement)));
}

/**
 * Asks for `count` IDs in calls of at most callCountMax, one after another, so that a consumer that
 * stops asking stops the work. Not pinned, each large call takes a shard of its own. A saturated shard is
 * waited for, STREAM_WAIT_MAX_MS in all. A refusal is the last value.
 */
export async function* issueInCalls(
  shards: Shards,
  namespace: Namespace,
  placement: Placement,
  count: number,
): AsyncGenerator<Issued> {
  const mostPerCall = callCountMax(namespace, placement);
  let issued = 0;
  let waitedMs = 0;
  while (issued < count) {
    const callCount = Math.min(mostPerCall, count - issued);
    const result = await issue(shards, namespace, placement, callCount);
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

interface ShardRequest {
  readonly shard: number;
  readonly strict: boolean;
  readonly count: number;
  readonly waitLeftMs: number;
}

async function issueFrom(
  shards: Shards,
  namespace: Namespace,
  { shard, strict, count, waitLeftMs }: ShardRequest,
): Promise<Issued> {
  const { lineSpec } = namespace;
  let definite = true;
  let waitedMs = 0;
  for (let tries = 1; ; tries += 1) {
    const result = await callShard<GrantReply>(shards, namespace, shard, (stub) => {
      const budgetMs = Math.max(0, waitLeftMs - waitedMs);
      const callerNowMs = Date.now();
      return stub.grant({ lineSpec, count, strict, waitLeftMs: budgetMs, callerNowMs });
    });
    definite &&= !result.repeated;
    if (!result.ok) return { ok: false, refusal: result.refusal, definite, waitedMs };
    const { reply } = result;
    if (reply.ok) return reply;
    definite &&= reply.granted === 0;
    waitedMs += reply.waitedMs;
    // In a disagreement of clocks ours may be the stale one: it is read again for the second call.
    const again = reply.refusal.code === "clock_disagreement" && tries < CALL_TRIES_MAX;
    if (!again) return { ok: false, refusal: reply.refusal, definite, waitedMs };
  }
}
