/** Issuing, whatever the namespace's kind: from this isolate's memory, from a shard, or from a segment's object. */
import { type FreshSource, missedFresh, takeFresh } from "./fresh-ids.ts";
import { callCountMax, issue, issueInCalls } from "./issue.ts";
import type { Issued } from "./issued.ts";
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
 * `count` IDs in one go: a single one that may come from anywhere out of memory, at once, where there is one;
 * others from a shard. Numbers of a segment come out of memory in any count that it holds.
 */
export function issueIds(source: IssueSource, count: number): Issued | Promise<Issued> {
  if (!isSnowflake(source)) return isSegment(source) ? issueNumbers(source, count) : ofNoKind();
  if (count === 1 && !isPinned(source.placement)) {
    const fresh = takeFresh(source);
    if (fresh) return { ok: true, shard: fresh.shard, blocks: [{ first: fresh.id, count: 1 }] };
    missedFresh(source);
  }
  return issue(source.shards, source.namespace, source.placement, count);
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
