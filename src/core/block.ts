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

/** The grants of worker `shard` as blocks, one per tick that they cross, in order. */
export function blocksOf(layout: Layout, shard: number, grants: readonly Grant[]): Block[] {
  const { sequenceCount } = layout;
  const blocks: Block[] = [];
  for (const { lane, start, end } of grants) {
    for (let from = start; from < end; ) {
      const tick = Math.floor(from / sequenceCount);
      const until = Math.min(end, (tick + 1) * sequenceCount);
      const sequence = from - tick * sequenceCount;
      blocks.push({ first: compose(layout, { tick, shard, lane, sequence }), count: until - from });
      from = until;
    }
  }
  return blocks;
}
