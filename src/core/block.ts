import { compose } from "./id.ts";
import type { Layout } from "./layout.ts";

/** An interval [start, end) of positions on one lane, handed out once and never again. */
export interface Grant {
  readonly lane: number;
  readonly start: number;
  readonly end: number;
}

/** A run of consecutive IDs: first, first + 1, … first + count − 1. */
export interface Block {
  readonly first: bigint;
  readonly count: number;
}

/** The grant of worker `shard` as blocks, one per tick that it crosses, in order. */
export function blocksOf(layout: Layout, shard: number, grant: Grant): Block[] {
  const { sequenceCount } = layout;
  const blocks: Block[] = [];
  for (let start = grant.start; start < grant.end; ) {
    const tick = Math.floor(start / sequenceCount);
    const end = Math.min(grant.end, (tick + 1) * sequenceCount);
    const sequence = start - tick * sequenceCount;
    blocks.push({
      first: compose(layout, { tick, shard, lane: grant.lane, sequence }),
      count: end - start,
    });
    start = end;
  }
  return blocks;
}
