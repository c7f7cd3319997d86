import { SEGMENT_FRESH_FOR_MS } from "../limits.ts";
import type { Block } from "./block.ts";

/** The response with blocks, over HTTP and RPC. */
export interface BlocksAnswer {
  readonly blocks: readonly {
    /** The first ID, in decimal. */
    readonly first: string;
    readonly count: number;
    /** Distance between the IDs. Only segments have it; otherwise it is 1. */
    readonly step?: number;
  }[];
  readonly shard: number;
  /** How long the IDs may be used, in ms from the request. */
  readonly freshForMs: number;
}

/** The response for blocks of one shard. `freshForMs` is undefined for segments, whose blocks have a step. */
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
