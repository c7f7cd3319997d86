/**
 * IDs of segment namespaces: from this isolate's double buffer, with Leaf's rules, or straight from the object.
 *
 * Leaf fails where both of its segments are used up while the next one is on its way; here whoever finds too little
 * fetches for itself. What is kept is plain data, never a promise or a stub of some request.
 */
import type { Block } from "../core/block.ts";
import { BlockBuffer, type Fetch } from "../core/block-buffer.ts";
import { isDefinite } from "../core/errors.ts";
import { SEGMENT_STEP_MAX } from "../core/limits.ts";
import { remember } from "../core/remember.ts";
import { type Allocation, blockOf } from "../core/segment.ts";
import { SegmentDemand } from "../core/segment-demand.ts";
import { takeBlocks } from "../core/take-blocks.ts";
import type { Issued } from "./issued.ts";
import { FRESH_NAMESPACES_MAX, STREAM_CALL_COUNT } from "./limits.ts";
import type { SegmentNamespace } from "./namespaces.ts";
import { isPinned, type Placement } from "./pick-shard.ts";
import { fetchNumbers, fetchSegment, type SegmentObjects } from "./segment-call.ts";

/** A segment's one object counts as this shard. */
const ONLY_SHARD = 0;

/** Where numbers are asked for, and who carries on after the answer. */
export interface NumberSource {
  readonly segments: SegmentObjects;
  readonly namespace: SegmentNamespace;
  readonly placement: Placement;
  readonly waitUntil: (work: Promise<unknown>) => void;
}

interface Held {
  readonly buffer: BlockBuffer;
  readonly demand: SegmentDemand;
}

/** This isolate's segments, by namespace. */
const held = new Map<string, Held>();

/** `count` IDs: out of memory at once where there are so many, unless they are to come from the object. */
export function issueNumbers(source: NumberSource, count: number): Issued | Promise<Issued> {
  const { namespace, placement } = source;
  if (isFromObject(placement)) return exactNumbers(source, count);
  const { buffer, demand } = heldOf(namespace);
  demand.namespaceStep = namespace.definition.step;
  const nowMs = Date.now();
  const blocks = takeBlocks(buffer, count, nowMs);
  if (blocks) {
    const ahead = buffer.plan(nowMs, SEGMENT_STEP_MAX);
    // One that fails is not repeated before its claim lapses: an object in trouble is left alone for as long.
    if (ahead) source.waitUntil(fetchInto(source, buffer, ahead).catch(() => undefined));
    return { ok: true, shard: ONLY_SHARD, blocks };
  }
  // More than a segment holds is asked for as it is: no segment would do.
  const fetch =
    count <= namespace.definition.step ? buffer.plan(nowMs, SEGMENT_STEP_MAX) : undefined;
  return fetch ? fetchAndTake(source, buffer, fetch, count) : exactNumbers(source, count);
}

/** `count` IDs straight from the object, without a number skipped where the order is strict. */
export async function exactNumbers(
  { segments, namespace, placement }: NumberSource,
  count: number,
): Promise<Issued> {
  const { idempotencyKey } = placement;
  const skips = !isFromObject(placement);
  const allocation = await fetchNumbers(segments, namespace, count, { idempotencyKey, skips });
  return issuedOf(namespace, allocation);
}

/** `count` IDs in parts of STREAM_CALL_COUNT, fetched in one call, so that a stream writes no more than that at once. */
export async function* numbersInParts(source: NumberSource, count: number): AsyncGenerator<Issued> {
  const issued = await exactNumbers(source, count);
  if (!issued.ok) return yield issued;
  for (const block of issued.blocks) {
    for (let offset = 0; offset < block.count; offset += STREAM_CALL_COUNT) {
      yield { ...issued, blocks: [partOf(block, offset, STREAM_CALL_COUNT)] };
    }
  }
}

/** Numbers that a shard, a key or an order was named for, or whose answer is to be kept, come from the object. */
function isFromObject(placement: Placement): boolean {
  return isPinned(placement) || placement.idempotencyKey !== undefined;
}

function heldOf({ name, definition }: SegmentNamespace): Held {
  const known = held.get(name);
  if (known) return known;
  const demand = new SegmentDemand(definition.step);
  const made = { buffer: new BlockBuffer(demand), demand };
  remember(held, name, made, FRESH_NAMESPACES_MAX);
  return made;
}

/** Fetches the next segment and takes `count` IDs; those who come meanwhile fetch for themselves. */
async function fetchAndTake(
  source: NumberSource,
  buffer: BlockBuffer,
  fetch: Fetch,
  count: number,
): Promise<Issued> {
  const fetching = fetchInto(source, buffer, fetch);
  // Whoever asked may go away: what was fetched still serves others.
  source.waitUntil(fetching.catch(() => undefined));
  const refused = await fetching;
  if (refused) return refused;
  const blocks = takeBlocks(buffer, count, Date.now());
  return blocks ? { ok: true, shard: ONLY_SHARD, blocks } : exactNumbers(source, count);
}

/** Fetches a segment into the buffer; the refusal where there is none. */
async function fetchInto(
  { segments, namespace }: NumberSource,
  buffer: BlockBuffer,
  fetch: Fetch,
): Promise<Extract<Issued, { ok: false }> | undefined> {
  const askedAtMs = Date.now();
  const issued = issuedOf(namespace, await fetchSegment(segments, namespace, fetch.count));
  if (!issued.ok) return issued;
  const { blocks, shard } = issued;
  buffer.fill(fetch, { blocks, shard, askedAtMs }, Date.now());
  return undefined;
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

function partOf({ first, count, step = 1 }: Block, offset: number, most: number): Block {
  const part = {
    first: first + BigInt(offset) * BigInt(step),
    count: Math.min(most, count - offset),
  };
  return step === 1 ? part : { ...part, step };
}
