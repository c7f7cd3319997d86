import { type Block, blocksOf } from "../core/block.ts";
import { isDefinite, type RefusalCode } from "../core/errors.ts";
import { type GrantReply, readGrantReply } from "../core/grant-reply.ts";
import { NO_ECHO } from "../core/object-clock.ts";
import type { Issued } from "./issued.ts";
import {
  ANSWER_MAX_MS,
  CALL_TRIES_MAX,
  FIRST_WAIT_MAX_MS,
  OTHER_ANSWER_MIN_MS,
  PINNED_ANSWER_MAX_MS,
  STALL_GRACE_MS,
  UNPINNED_ANSWER_MAX_MS,
} from "./limits.ts";
import type { SnowflakeNamespace } from "./namespaces.ts";
import { isWorthRepeating, refusalOf, withDeadline } from "./object-call.ts";
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

/** Refusals of one shard that another one need not share. */
const FAILOVER_CODES: readonly RefusalCode[] = [
  "clock_behind",
  "clock_disagreement",
  "shard_overloaded",
  "shard_saturated",
  "shard_unavailable",
];

/**
 * Asks one shard for `count` IDs. If that one can't serve now, or fails or does not answer in time, and the request is
 * not pinned to it, asks one other within the same wait budget, never more.
 *
 * Promises are few on this path, and it is flat: each await was measured to cost a Worker some microseconds.
 */
export function issue(
  shards: Shards,
  namespace: SnowflakeNamespace,
  placement: Placement,
  count: number,
): Promise<Issued> {
  const request = requestOf(namespace, placement, count);
  return request.isPinned
    ? issueFrom(shards, namespace, request)
    : issueFromOneOfTwo(shards, namespace, request);
}

/** Asks one shard for `count` IDs that may be refused: it waits for nothing, and nobody else is asked. */
export function issueAtOnce(
  shards: Shards,
  namespace: SnowflakeNamespace,
  placement: Placement,
  count: number,
): Promise<Issued> {
  return issueFrom(shards, namespace, { ...requestOf(namespace, placement, count), waitLeftMs: 0 });
}

async function issueFromOneOfTwo(
  shards: Shards,
  namespace: SnowflakeNamespace,
  request: ShardRequest,
): Promise<Issued> {
  const sinceMs = Date.now();
  const first = await issueFrom(shards, namespace, request);
  if (first.ok || !FAILOVER_CODES.includes(first.refusal.code)) return first;
  restShard(namespace, request.shard, first.refusal);
  const shard = otherShard(namespace, request.shard);
  if (shard === undefined) return first;
  const waitLeftMs = Math.max(0, namespace.policy.maxWaitMs - first.waitedMs);
  const spentMs = Math.max(0, Date.now() - sinceMs);
  const leftMs = UNPINNED_ANSWER_MAX_MS - STALL_GRACE_MS - spentMs - waitLeftMs;
  const answerMaxMs = Math.max(leftMs, OTHER_ANSWER_MIN_MS);
  const second = await issueFrom(shards, namespace, {
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
  /** No other shard can serve it. */
  readonly isPinned: boolean;
  readonly strict: boolean;
  readonly count: number;
  /** False: the caller's clock may stand still, because its request began long ago (core/object-clock). */
  readonly echoes: boolean;
  readonly waitLeftMs: number;
  /** How long the answer is waited for beside those waits. */
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

/** What came of a call so far. */
interface Tried {
  /** When the first call left, in ms. */
  readonly sinceMs: number;
  readonly definite: boolean;
  readonly waitedMs: number;
  readonly throws: number;
  readonly disagreements: number;
}

/** One shard's answer; asked again once if it threw, and once if the clocks disagreed. */
function issueFrom(
  shards: Shards,
  namespace: SnowflakeNamespace,
  request: ShardRequest,
  before?: Tried,
): Promise<Issued> {
  const { shard, strict, count, echoes, waitLeftMs, answerMaxMs } = request;
  const nowMs = Date.now();
  const tried = before ?? {
    sinceMs: nowMs,
    definite: true,
    waitedMs: 0,
    throws: 0,
    disagreements: 0,
  };
  const budgetMs = Math.max(0, waitLeftMs - tried.waitedMs);
  const again = (next: Tried) => issueFrom(shards, namespace, request, next);
  // Not in the grace: each further try would have another.
  const inTime = () => Date.now() - tried.sinceMs < waitLeftMs + answerMaxMs;
  const echo = echoes && !before ? echoFor(shardName(namespace, shard), nowMs) : NO_ECHO;
  const call = stubOf(shards, namespace, shard).grant(
    namespace.lineSpec,
    count,
    strict,
    budgetMs,
    nowMs,
    echo.instance,
    echo.leastMs,
  );
  // All tries together take no longer than one may.
  const spentMs = Math.max(0, nowMs - tried.sinceMs);
  const leftMs = Math.max(1, waitLeftMs + answerMaxMs - spentMs);
  return withDeadline(call, leftMs).then(
    (text) => {
      shardAnswered(namespace, shard, nowMs);
      return settle(namespace, shard, readGrantReply(text), tried, again);
    },
    (error: unknown) => {
      const triesLeft = inTime() ? tried : { ...tried, throws: CALL_TRIES_MAX };
      return recover(namespace, shard, error, triesLeft, again);
    },
  );
}

function settle(
  namespace: SnowflakeNamespace,
  shard: number,
  { clock, result }: GrantReply,
  tried: Tried,
  again: (next: Tried) => Promise<Issued>,
): Issued | Promise<Issued> {
  noteClock(shardName(namespace, shard), clock);
  if (result.ok) {
    const blocks = ascending(blocksOf(namespace.layout, shard, result.grants));
    return { ok: true, shard, blocks };
  }
  const { refusal } = result;
  const definite = tried.definite && result.granted === 0;
  const waitedMs = tried.waitedMs + result.waitedMs;
  const disagreements = tried.disagreements + 1;
  // In a disagreement of clocks ours may be the stale one: it is read again for the second call.
  if (refusal.code === "clock_disagreement" && disagreements < CALL_TRIES_MAX) {
    return again({ ...tried, definite, waitedMs, throws: 0, disagreements });
  }
  return { ok: false, refusal, definite, waitedMs };
}

/** A call that waited may have gone on from a tick's last lane to the first lane of that tick: its IDs ascend all the same. */
function ascending(blocks: Block[]): Block[] {
  return blocks.length === 1
    ? blocks
    : blocks.sort((one, other) => (one.first < other.first ? -1 : 1));
}

/** A call that threw may have granted something: that is a gap. */
function recover(
  namespace: SnowflakeNamespace,
  shard: number,
  error: unknown,
  tried: Tried,
  again: (next: Tried) => Promise<Issued>,
): Issued | Promise<Issued> {
  const throws = tried.throws + 1;
  if (throws < CALL_TRIES_MAX && isWorthRepeating(error)) {
    return again({ ...tried, definite: false, throws });
  }
  const refusal = refusalOf(`Shard ${shard} of ${namespace.name}`, error);
  const definite = tried.definite && isDefinite(refusal);
  return { ok: false, refusal, definite, waitedMs: tried.waitedMs };
}
