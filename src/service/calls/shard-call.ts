import { type Block, blocksOf } from "../../core/blocks/block.ts";
import { readGrantReply } from "../../core/line/grant-reply.ts";
import { NO_ECHO } from "../../core/line/object-clock.ts";
import { isDefinite, type RefusalCode } from "../../core/refusal.ts";
import {
  ANSWER_MAX_MS,
  FIRST_WAIT_MAX_MS,
  OTHER_ANSWER_MIN_MS,
  PINNED_ANSWER_MAX_MS,
  STALL_GRACE_MS,
  UNPINNED_ANSWER_MAX_MS,
} from "../limits.ts";
import { callObject } from "../object-call.ts";
import type { SnowflakeNamespace } from "../registry/namespaces.ts";
import type { Issued } from "./issued.ts";
import { echoFor, noteClock } from "./object-clocks.ts";
import {
  isPinned,
  isStrict,
  otherShard,
  type Placement,
  pickShard,
  restShard,
  shardAnswered,
} from "./pick-shard.ts";
import { type Shards, shardName, stubOf } from "./shards.ts";

/** Refusals of one shard that another shard may not have. */
const FAILOVER_CODES: readonly RefusalCode[] = [
  "clock_behind",
  "clock_disagreement",
  "shard_overloaded",
  "shard_saturated",
  "shard_unavailable",
];

/**
 * Asks one shard for `count` IDs. If it can't serve now, fails or does not answer in time, and the request is not
 * pinned, asks one other shard within the same wait budget, and no further ones.
 */
export function askShards(
  shards: Shards,
  namespace: SnowflakeNamespace,
  placement: Placement,
  count: number,
): Promise<Issued> {
  const request = requestOf(namespace, placement, count);
  return request.isPinned
    ? askShard(shards, namespace, request)
    : askOneOfTwo(shards, namespace, request);
}

/** Asks one shard for `count` IDs without any wait or failover. */
export function askAtOnce(
  shards: Shards,
  namespace: SnowflakeNamespace,
  placement: Placement,
  count: number,
): Promise<Issued> {
  return askShard(shards, namespace, { ...requestOf(namespace, placement, count), waitLeftMs: 0 });
}

async function askOneOfTwo(
  shards: Shards,
  namespace: SnowflakeNamespace,
  request: ShardRequest,
): Promise<Issued> {
  const sinceMs = Date.now();
  const first = await askShard(shards, namespace, request);
  if (first.ok || !FAILOVER_CODES.includes(first.refusal.code)) return first;
  restShard(namespace, request.shard, first.refusal);
  const shard = otherShard(namespace, request.shard);
  if (shard === undefined) return first;
  const waitLeftMs = Math.max(0, namespace.policy.maxWaitMs - first.waitedMs);
  const spentMs = Math.max(0, Date.now() - sinceMs);
  const leftMs = UNPINNED_ANSWER_MAX_MS - STALL_GRACE_MS - spentMs - waitLeftMs;
  const answerMaxMs = Math.max(leftMs, OTHER_ANSWER_MIN_MS);
  const second = await askShard(shards, namespace, {
    ...request,
    shard,
    waitLeftMs,
    answerMaxMs,
    echoes: false,
  });
  if (second.ok) return second;
  restShard(namespace, shard, second.refusal);
  return { ...second, definite: first.definite && second.definite };
}

interface ShardRequest {
  readonly shard: number;
  /** True if no other shard may serve the request. */
  readonly isPinned: boolean;
  readonly strict: boolean;
  readonly count: number;
  /** False: the caller's clock may be frozen, because its request began long ago (core/line/object-clock). */
  readonly echoes: boolean;
  readonly waitLeftMs: number;
  /** Deadline of the answer in ms, in addition to those waits. */
  readonly answerMaxMs: number;
}

function requestOf(
  namespace: SnowflakeNamespace,
  placement: Placement,
  count: number,
): ShardRequest {
  const { maxWaitMs } = namespace.policy;
  const pinned = isPinned(placement) || namespace.shards === 1;
  return {
    shard: pickShard(namespace, placement, count),
    isPinned: pinned,
    strict: isStrict(placement),
    count,
    echoes: !placement.continues,
    waitLeftMs: pinned ? maxWaitMs : Math.min(maxWaitMs, FIRST_WAIT_MAX_MS),
    answerMaxMs: pinned ? PINNED_ANSWER_MAX_MS : ANSWER_MAX_MS,
  };
}

/** Calls one shard. A call that threw may have granted IDs: these are a gap. */
function askShard(
  shards: Shards,
  namespace: SnowflakeNamespace,
  request: ShardRequest,
): Promise<Issued> {
  const { shard, strict, count, waitLeftMs, answerMaxMs } = request;
  const name = shardName(namespace, shard);
  let { echoes } = request;
  let waitedMs = 0;
  let definite = true;
  let calledAtMs = 0;
  return callObject<string, Issued>({
    what: `Shard ${shard} of ${namespace.name}`,
    call: () => {
      calledAtMs = Date.now();
      const echo = echoes ? echoFor(name, calledAtMs) : NO_ECHO;
      echoes = false;
      const { instance, leastMs } = echo;
      const budgetMs = Math.max(0, waitLeftMs - waitedMs);
      return stubOf(shards, namespace, shard).grant(
        namespace.lineSpec,
        count,
        strict,
        budgetMs,
        calledAtMs,
        instance,
        leastMs,
      );
    },
    read: (text, repeated, isLast) => {
      const { clock, result } = readGrantReply(text);
      shardAnswered(namespace, shard, calledAtMs, result.ok);
      noteClock(name, clock);
      if (result.ok) {
        return {
          ok: true,
          shard,
          blocks: ascending(blocksOf(namespace.layout, shard, result.grants)),
        };
      }
      definite &&= !repeated && result.granted === 0;
      waitedMs += result.waitedMs;
      // In a disagreement, this clock may be the stale one: the second call reads it again.
      if (result.refusal.code === "clock_disagreement" && !isLast) return undefined;
      return { ok: false, refusal: result.refusal, definite, waitedMs };
    },
    fail: (refusal, repeated) => {
      return {
        ok: false,
        refusal,
        definite: definite && !repeated && isDefinite(refusal),
        waitedMs,
      };
    },
    maxMs: waitLeftMs + answerMaxMs,
  });
}

/** Sorts blocks: a call that waited may have continued from a tick's last lane in a lower lane of the same tick. */
function ascending(blocks: Block[]): Block[] {
  return blocks.length === 1
    ? blocks
    : blocks.sort((one, other) => (one.first < other.first ? -1 : 1));
}
