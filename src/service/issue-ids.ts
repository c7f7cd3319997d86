import { type FreshSource, missedFresh, takeFresh } from "./fresh-ids.ts";
import { type Issued, issue } from "./issue.ts";
import { isPinned } from "./pick-shard.ts";

/**
 * `count` IDs in one go: a single one that may come from anywhere out of memory, at once, where there is one;
 * others from a shard.
 */
export function issueIds(source: FreshSource, count: number): Issued | Promise<Issued> {
  const { shards, namespace, placement } = source;
  if (count === 1 && !isPinned(placement)) {
    const fresh = takeFresh(source);
    if (fresh) return { ok: true, shard: fresh.shard, blocks: [{ first: fresh.id, count: 1 }] };
    missedFresh(source);
  }
  return issue(shards, namespace, placement, count);
}
