/** One holder of prefetched IDs under a load, ms by ms: what it served, missed, prefetched and fetched. */
import type { BatchDemand } from "../../../src/core/blocks/batch-demand.ts";
import { BlockBuffer, type Fetch } from "../../../src/core/blocks/block-buffer.ts";
import type { FreshDemand } from "../../../src/core/blocks/fresh-demand.ts";
import { openFor, takeBlocks } from "../../../src/core/blocks/take-blocks.ts";

const START_MS = 1_800_000_000_000;
const COUNT_MAX = 1_048_576;

export interface Load {
  readonly totalMs: number;
  readonly roundTripMs: number;
  /** Requests in each ms. */
  readonly asked: (ms: number) => number;
  /** Of batches, in turn; single IDs unless given. */
  readonly sizes?: readonly number[];
}

export interface Outcome {
  /** In IDs. */
  readonly served: number;
  readonly prefetched: number;
  readonly requests: number;
  /** Requests that had to fetch for themselves. */
  readonly missed: number;
  /** IDs of each fetch ahead. */
  readonly fetches: readonly number[];
}

/** `demand` is a BatchDemand if the load has `sizes`. */
export function simulateHolder(
  demand: FreshDemand | BatchDemand,
  freshForMs: number,
  { totalMs, roundTripMs, asked, sizes = [1] }: Load,
): Outcome {
  const buffer = new BlockBuffer(demand, freshForMs);
  const underway: Fetch[] = [];
  const fetches: number[] = [];
  const outcome = { served: 0, prefetched: 0, requests: 0, missed: 0 };
  const take = (count: number, nowMs: number): boolean => {
    if (!("asked" in demand)) return buffer.advance(nowMs);
    demand.asked(count);
    return openFor(buffer, count, nowMs) && takeBlocks(buffer, count, nowMs) !== undefined;
  };
  for (let nowMs = START_MS; nowMs < START_MS + totalMs; nowMs += 1) {
    // Two may be under way, never two of one ms.
    const [fetched] = underway;
    if (fetched && fetched.askedAtMs + roundTripMs <= nowMs) {
      underway.shift();
      const { count, askedAtMs } = fetched;
      const blocks = [{ first: BigInt(outcome.prefetched), count }];
      buffer.fill(fetched, { blocks, shard: 0, askedAtMs }, nowMs);
      outcome.prefetched += count;
    }
    for (let left = asked(nowMs - START_MS); left > 0; left -= 1) {
      const count = sizes[outcome.requests % sizes.length] ?? 1;
      outcome.requests += 1;
      if (take(count, nowMs)) outcome.served += count;
      else {
        outcome.missed += 1;
        buffer.missed();
      }
      const fetch = buffer.plan(nowMs, COUNT_MAX);
      if (!fetch) continue;
      fetches.push(fetch.count);
      underway.push(fetch);
    }
  }
  return { ...outcome, fetches };
}
