import { SEGMENT_FRESH_FOR_MS } from "../limits.ts";
import type { Block } from "./block.ts";

/** Blocks of consecutive IDs, as the service returns them over HTTP and RPC. */
export interface BlocksAnswer {
  /** The blocks, in the order in which to use them. */
  readonly blocks: readonly {
    /** The first ID of the block, as a decimal text. */
    readonly first: string;
    /** The number of IDs in the block. */
    readonly count: number;
    /** The distance between two IDs; absent (1) unless the namespace is a segment. */
    readonly step?: number;
  }[];
  /** The shard that issued the IDs; 0 for a segment. */
  readonly shard: number;
  /** How long the IDs may be used as fresh ones, in ms since they were requested. */
  readonly freshForMs: number;
}

/** The response for blocks of one shard. `freshForMs`: undefined for a segment, whose blocks have a step. */
export function blocksAnswer(
  blocks: readonly Block[],
  shard: number,
  freshForMs: number | undefined,
): BlocksAnswer {
  const isSegment = freshForMs === undefined;
  return {
    blocks: blocks.map(({ first, count, stride = 1 }) => {
      return { first: `${first}`, count, ...(isSegment && { step: stride }) };
    }),
    shard,
    freshForMs: freshForMs ?? SEGMENT_FRESH_FOR_MS,
  };
}
