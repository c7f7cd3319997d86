import { compose } from "../layout/id.ts";
import type { Layout } from "../layout/layout.ts";

/** An interval [start, end) of positions on one lane, granted at most once. */
export interface Grant {
  readonly lane: number;
  readonly start: number;
  readonly end: number;
}

/** A run of IDs at one distance: first, first + stride, … first + (count − 1) × stride. */
export interface Block {
  readonly first: bigint;
  readonly count: number;
  /** Distance between IDs, ≥ 1. Default 1; only segments with a delta have another. */
  readonly stride?: number;
}

/** The ID at an offset of a block, 0 to count − 1. */
export function idAt({ first, stride = 1 }: Block, offset: number): bigint {
  return first + BigInt(offset) * BigInt(stride);
}

/** The grants of worker `shard` as blocks in order: one block for each tick of a grant. */
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
