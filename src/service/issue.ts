import { type Block, blocksOf } from "../core/block.ts";
import type { RefusalCode } from "../core/errors.ts";
import { type GrantReply, readGrantReply } from "../core/grant-reply.ts";
import { idleCapacity } from "../core/lanes.ts";
import type { Issued } from "./issued.ts";
import { CALL_TRIES_MAX, STREAM_CALL_COUNT, STREAM_WAIT_MAX_MS } from "./limits.ts";
import type { SnowflakeNamespace } from "./namespaces.ts";
import {
  isPinned,
  isStrict,
  otherShard,
  type Placement,
  pickShard,
  restHome,
} from "./pick-shard.ts";
import { isOverloaded, overloaded, type Shards, stubOf } from "./shard-call.ts";

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
 *
 * Promises are few on this path, and it is flat: each await was measured to cost a Worker some microseconds.
 */
export function issue(
  shards: Shards,
  namespace: SnowflakeNamespace,
  placement: Placement,
  count: number,
): Promise<Issued> {
  const request = requestOf(namespace, placement, count, namespace.policy.maxWaitMs);
  const pinned = isPinned(placement);
  return pinned
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
  return issueFrom(shards, namespace, requestOf(namespace, placement, count, 0));
}

async function issueFromOneOfTwo(
  shards: Shards,
  namespace: SnowflakeNamespace,
  request: ShardRequest,
): Promise<Issued> {
  const first = await issueFrom(shards, namespace, request);
  if (first.ok || !FAILOVER_CODES.includes(first.refusal.code)) return first;
  restHome(namespace, request.shard, first.refusal.retryAfterMs ?? 0);
  const shard = otherShard(namespace, request.shard);
  if (shard === undefined) return first;
  const waitLeftMs = Math.max(0, request.waitLeftMs - first.waitedMs);
  const second = await issueFrom(shards, namespace, { ...request, shard, waitLeftMs });
  return second.ok ? second : { ...second, definite: first.definite && second.definite };
}

/** IDs per shard call of a stream: what an idle line is sure to open, STREAM_CALL_COUNT at most. */
export function callCountMax({ layout, policy }: SnowflakeNamespace, placement: Placement): number {
  return Math.min(STREAM_CALL_COUNT, idleCapacity(layout, policy, isStrict(placement)));
}

/**
 * Asks for `count` IDs in calls of at most callCountMax, one after another, so that a consumer that
 * stops asking stops the work. Not pinned, each large call takes a shard of its own. A saturated shard is
 * waited for, STREAM_WAIT_MAX_MS in all. A refusal is the last value.
 */
export async function* issueInCalls(
  shards: Shards,
  namespace: SnowflakeNamespace,
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

function requestOf(
  namespace: SnowflakeNamespace,
  placement: Placement,
  count: number,
  waitLeftMs: number,
): ShardRequest {
  const shard = pickShard(namespace, placement, count);
  return { shard, strict: isStrict(placement), count, waitLeftMs };
}

/** What came of a call so far. */
interface Tried {
  readonly definite: boolean;
  readonly waitedMs: number;
  readonly throws: number;
  readonly disagreements: number;
}

const UNTRIED: Tried = { definite: true, waitedMs: 0, throws: 0, disagreements: 0 };

/** One shard's answer; asked again once where it threw, and once where the clocks disagreed. */
function issueFrom(
  shards: Shards,
  namespace: SnowflakeNamespace,
  request: ShardRequest,
  tried = UNTRIED,
): Promise<Issued> {
  const { shard, strict, count, waitLeftMs } = request;
  const budgetMs = Math.max(0, waitLeftMs - tried.waitedMs);
  const again = (next: Tried) => issueFrom(shards, namespace, request, next);
  return stubOf(shards, namespace, shard)
    .grant(namespace.lineSpec, count, strict, budgetMs, Date.now())
    .then(
      (text) => settle(namespace, shard, readGrantReply(text), tried, again),
      (error: unknown) => recover(shard, error, tried, again),
    );
}

function settle(
  { layout }: SnowflakeNamespace,
  shard: number,
  reply: GrantReply,
  tried: Tried,
  again: (next: Tried) => Promise<Issued>,
): Issued | Promise<Issued> {
  if (reply.ok)
    return { ok: true, shard, blocks: ascending(blocksOf(layout, shard, reply.grants)) };
  const { refusal } = reply;
  const definite = tried.definite && reply.granted === 0;
  const waitedMs = tried.waitedMs + reply.waitedMs;
  const disagreements = tried.disagreements + 1;
  // In a disagreement of clocks ours may be the stale one: it is read again for the second call.
  if (refusal.code === "clock_disagreement" && disagreements < CALL_TRIES_MAX) {
    return again({ definite, waitedMs, throws: 0, disagreements });
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
  shard: number,
  error: unknown,
  tried: Tried,
  again: (next: Tried) => Promise<Issued>,
): Issued | Promise<Issued> {
  const { definite, waitedMs } = tried;
  if (isOverloaded(error))
    return { ok: false, refusal: overloaded(`Shard ${shard}`), definite, waitedMs };
  const throws = tried.throws + 1;
  if (throws < CALL_TRIES_MAX) return again({ ...tried, definite: false, throws });
  throw error;
}
