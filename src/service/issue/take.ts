/** Takes IDs of a namespace of either kind: from this isolate's stock, from a shard, or from a segment object. */
import { BatchDemand } from "../../core/blocks/batch-demand.ts";
import type { Block } from "../../core/blocks/block.ts";
import { FreshDemand } from "../../core/blocks/fresh-demand.ts";
import { SEGMENT_STEP_MAX } from "../../core/limits.ts";
import { idleCapacity } from "../../core/line/lanes.ts";
import { isDefinite } from "../../core/refusal.ts";
import { type Allocation, blockOf } from "../../core/segment/segment.ts";
import { SegmentDemand } from "../../core/segment/segment-demand.ts";
import type { Issued } from "../calls/issued.ts";
import { isPinned } from "../calls/pick-shard.ts";
import { fetchNumbers, fetchSegment } from "../calls/segment-call.ts";
import { askAtOnce, askShards } from "../calls/shard-call.ts";
import {
  BATCH_AT_ONCE_DIVISOR,
  BATCH_BLOCKS_MAX,
  BATCH_FRESH_DIVISOR,
  FRESH_BLOCKS_MAX,
  HOME_COUNT_MAX,
  STREAM_CALL_COUNT,
} from "../limits.ts";
import type { SegmentNamespace, SnowflakeNamespace } from "../registry/namespaces.ts";
import { Prefetcher, type PrefetchRules, type Source } from "./prefetcher.ts";
import { callCountMax, streamFromShards } from "./stream.ts";

type SnowflakeSource = Source<SnowflakeNamespace>;
type SegmentSource = Source<SegmentNamespace>;

/** The shard number of a segment's single object. */
const ONLY_SHARD = 0;

const FRESH = {
  follow: (buffer, _rule, { policy }) => {
    buffer.freshForMs = policy.freshForMs;
  },
  ofOneFetch: true,
} satisfies Partial<PrefetchRules<SnowflakeNamespace, FreshDemand>>;

const singles = new Prefetcher<SnowflakeNamespace, FreshDemand>({
  ...FRESH,
  ruleFor: () => new FreshDemand(),
  countMax: singlesMax,
  fetch: ({ env, namespace, placement }, count) =>
    askShards(env.SHARD, namespace, placement, count),
});

/** Stocks for batches. Separate from single IDs: one batch would use up the IDs of many single requests. */
const batches = new Prefetcher<SnowflakeNamespace, BatchDemand>({
  ...FRESH,
  ruleFor: () => new BatchDemand(),
  countMax: batchesMax,
  // A fetch that waits at the shard would arrive too late, and delay other requests there.
  fetch: ({ env, namespace, placement }, count) =>
    askAtOnce(env.SHARD, namespace, placement, count),
  asked: (rule, count) => rule.asked(count),
});

/** Stocks for segments: Leaf's double buffer. */
const segments = new Prefetcher<SegmentNamespace, SegmentDemand>({
  ruleFor: ({ definition }) => new SegmentDemand(definition.step),
  follow: (_buffer, rule, { definition }) => {
    rule.namespaceStep = definition.step;
  },
  countMax: () => SEGMENT_STEP_MAX,
  fetch: async ({ env, namespace }, count) =>
    issuedOf(namespace, await fetchSegment(env.SEGMENTS, namespace, count)),
  ofOneFetch: false,
});

/** Takes `count` IDs: from the stock and synchronously, unless they are pinned or the stock has too few. */
export function takeIds(source: Source, count: number): Issued | Promise<Issued> {
  if (isSegment(source)) return takeNumbers(source, count);
  if (!isSnowflake(source)) return ofNoKind();
  return takeFresh(source, count) ?? askFor(source, count);
}

/** Takes `count` IDs for a caller with its own stock: never from this isolate's stock. */
export function takeExact(source: Source, count: number): Promise<Issued> {
  if (isSegment(source)) return exactNumbers(source, count);
  return isSnowflake(source) ? askFor(source, count) : ofNoKind();
}

/** Takes `count` IDs in parts. A refusal is the last value. */
export function takeStream(
  source: Source,
  count: number,
): { readonly parts: AsyncGenerator<Issued>; readonly oneShard: boolean } {
  if (isSegment(source)) return { parts: numbersInParts(source, count), oneShard: true };
  if (!isSnowflake(source)) return ofNoKind();
  const { env, namespace, placement } = source;
  const oneShard = isPinned(placement) || count <= callCountMax(namespace, placement);
  return { parts: streamFromShards(env.SHARD, namespace, placement, count), oneShard };
}

function askFor({ env, namespace, placement }: SnowflakeSource, count: number): Promise<Issued> {
  return askShards(env.SHARD, namespace, placement, count);
}

function takeFresh(source: SnowflakeSource, count: number): Issued | undefined {
  if (isPinned(source.placement)) return undefined;
  return count === 1 ? singles.serve(source, count) : batches.serve(source, count);
}

/**
 * Takes numbers. If both segments are used up before the next arrives, each request fetches for itself; Leaf would
 * fail.
 */
function takeNumbers(source: SegmentSource, count: number): Issued | Promise<Issued> {
  const stock = isFromObject(source) ? undefined : segments.stockFor(source.namespace, count);
  if (!stock) return exactNumbers(source, count);
  const nowMs = Date.now();
  const issued = segments.take(stock, count, nowMs);
  // A count above the step can't come from one segment.
  const isSegmentEnough = count <= source.namespace.definition.step;
  const fetching = issued || isSegmentEnough ? segments.prefetch(source, stock, nowMs) : undefined;
  if (issued) return issued;
  if (!fetching) return exactNumbers(source, count);
  return fetching.then(
    (refused) => refused ?? segments.take(stock, count, Date.now()) ?? exactNumbers(source, count),
  );
}

/** Takes `count` IDs from the object. Skips none if the order is strict. */
async function exactNumbers(source: SegmentSource, count: number): Promise<Issued> {
  const { env, namespace, placement } = source;
  const { idempotencyKey } = placement;
  const skips = !isFromObject(source);
  const asked = { idempotencyKey, skips };
  return issuedOf(namespace, await fetchNumbers(env.SEGMENTS, namespace, count, asked));
}

/** Numbers of one call in parts of STREAM_CALL_COUNT, the most that a stream writes at once. */
async function* numbersInParts(source: SegmentSource, count: number): AsyncGenerator<Issued> {
  const issued = await exactNumbers(source, count);
  if (!issued.ok) return yield issued;
  for (const block of issued.blocks) {
    for (let offset = 0; offset < block.count; offset += STREAM_CALL_COUNT) {
      yield { ...issued, blocks: [partOf(block, offset, STREAM_CALL_COUNT)] };
    }
  }
}

/** Whether numbers must come from the object: pinned ones, and those with an Idempotency-Key. */
function isFromObject({ placement }: SegmentSource): boolean {
  return isPinned(placement) || placement.idempotencyKey !== undefined;
}

function issuedOf({ numbers }: SegmentNamespace, allocation: Allocation): Issued {
  if (!allocation.ok) {
    const { refusal } = allocation;
    return { ok: false, refusal, definite: isDefinite(refusal), waitedMs: 0 };
  }
  const block = blockOf(numbers, allocation.segment);
  if (!block) throw new Error("a segment object gave a segment without an ID");
  return { ok: true, shard: ONLY_SHARD, blocks: [block] };
}

function partOf({ first, count, stride = 1 }: Block, offset: number, most: number): Block {
  const part = {
    first: first + BigInt(offset) * BigInt(stride),
    count: Math.min(most, count - offset),
  };
  return stride === 1 ? part : { ...part, stride };
}

/** Maximum single IDs of one fetch: bounded by a home shard's rate, an idle line's capacity, and a number of blocks. */
function singlesMax({ layout, policy }: SnowflakeNamespace): number {
  if (policy.freshForMs === 0) return 0;
  const openAtOnce = idleCapacity(layout, policy, false);
  return Math.min(HOME_COUNT_MAX, openAtOnce, FRESH_BLOCKS_MAX * layout.sequenceCount);
}

/**
 * Maximum IDs of one fetch for batches: a part of the IDs that a line opens within freshForMs, and of an idle line's
 * capacity, so that other requests are still served; also bounded by a number of blocks. 0 if a tick outlives the
 * stock: leftovers would starve the rest of that tick.
 */
function batchesMax({ layout, policy }: SnowflakeNamespace): number {
  const { sequenceCount, tickMs } = layout;
  const { freshForMs } = policy;
  if (freshForMs === 0 || tickMs > freshForMs) return 0;
  const openAtOnce = idleCapacity(layout, { ...policy, maxWaitMs: 0 }, false);
  const openWhileFresh = (sequenceCount * freshForMs) / tickMs;
  return Math.min(
    Math.floor(openAtOnce / BATCH_AT_ONCE_DIVISOR),
    Math.floor(openWhileFresh / BATCH_FRESH_DIVISOR),
    BATCH_BLOCKS_MAX * sequenceCount,
  );
}

function isSegment(source: Source): source is SegmentSource {
  return source.namespace.kind === "segment";
}

function isSnowflake(source: Source): source is SnowflakeSource {
  return source.namespace.kind === "snowflake";
}

function ofNoKind(): never {
  throw new Error("a namespace is of the kind snowflake or segment");
}
