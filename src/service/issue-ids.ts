/** Issuing, whatever the namespace's kind: from this isolate's memory, from a shard, or from a segment's object. */
import { takeBatch } from "./fresh-batches.ts";
import { missedFresh, takeFresh } from "./fresh-ids.ts";
import { issue } from "./issue.ts";
import { callCountMax, issueInCalls } from "./issue-in-calls.ts";
import type { Issued } from "./issued.ts";
import type { FreshSource } from "./lease-ahead.ts";
import type { Namespace, SegmentNamespace } from "./namespaces.ts";
import { isPinned } from "./pick-shard.ts";
import {
  exactNumbers,
  issueNumbers,
  type NumberSource,
  numbersInParts,
} from "./segment-numbers.ts";

/** Where IDs are asked for, of a namespace of either kind. */
export interface IssueSource
  extends Omit<FreshSource, "namespace">,
    Omit<NumberSource, "namespace"> {
  readonly namespace: Namespace;
}

type SegmentSource = IssueSource & { readonly namespace: SegmentNamespace };
type SnowflakeSource = IssueSource & FreshSource;

/**
 * `count` IDs in one go: those that may come from anywhere out of memory, at once, where it holds them all;
 * others from a shard or object.
 */
export function issueIds(source: IssueSource, count: number): Issued | Promise<Issued> {
  if (!isSnowflake(source)) return isSegment(source) ? issueNumbers(source, count) : ofNoKind();
  const inMemory = isPinned(source.placement) ? undefined : takeInMemory(source, count);
  return inMemory ?? issue(source.shards, source.namespace, source.placement, count);
}

function takeInMemory(source: SnowflakeSource, count: number): Issued | undefined {
  if (count > 1) return takeBatch(source, count);
  const fresh = takeFresh(source);
  if (fresh) return { ok: true, shard: fresh.shard, blocks: [{ first: fresh.id, count: 1 }] };
  missedFresh(source);
  return undefined;
}

/** `count` IDs from a shard or object, as blocks for somebody who keeps them. */
export function issueBlocks(source: IssueSource, count: number): Promise<Issued> {
  if (isSegment(source)) return exactNumbers(source, count);
  if (!isSnowflake(source)) return ofNoKind();
  return issue(source.shards, source.namespace, source.placement, count);
}

/** `count` IDs part by part, and whether all of them come from one shard. A refusal is the last value. */
export function issueStream(
  source: IssueSource,
  count: number,
): { readonly calls: AsyncGenerator<Issued>; readonly oneShard: boolean } {
  if (isSegment(source)) return { calls: numbersInParts(source, count), oneShard: true };
  if (!isSnowflake(source)) return ofNoKind();
  const { shards, namespace, placement } = source;
  const oneShard = isPinned(placement) || count <= callCountMax(namespace, placement);
  return { calls: issueInCalls(shards, namespace, placement, count), oneShard };
}

function isSegment(source: IssueSource): source is SegmentSource {
  return source.namespace.kind === "segment";
}

function isSnowflake(source: IssueSource): source is SnowflakeSource {
  return source.namespace.kind === "snowflake";
}

function ofNoKind(): never {
  throw new Error("a namespace is of the kind snowflake or segment");
}
