import { SEGMENT_FRESH_FOR_MS } from "../limits.ts";
import type { Block } from "./block.ts";

/** Runs of IDs, as the service answers them over HTTP and RPC. */
export interface BlocksAnswer {
  readonly blocks: readonly {
    /** Decimal. */
    readonly first: string;
    readonly count: number;
    /** Distance between the IDs; only of segments, 1 otherwise. */
    readonly step?: number;
  }[];
  readonly shard: number;
  /** How long they may be used, in ms since they were asked for. */
  readonly freshForMs: number;
}

/** Blocks of one shard on the wire. `freshForMs`: undefined for a segment, whose blocks have a step. */
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
