/** IDs as runs of consecutive ones. */
import type { BlocksAnswer } from "../../../src/core/blocks/blocks-answer.ts";
import type { Run } from "./history.ts";

/** IDs in the order of an answer. */
export function runsOf(ids: readonly string[]): Run[] {
  const runs: { first: bigint; count: number; last: bigint }[] = [];
  for (const text of ids) {
    const id = BigInt(text);
    const run = runs.at(-1);
    if (run && run.last + 1n === id) {
      run.last = id;
      run.count += 1;
    } else runs.push({ first: id, count: 1, last: id });
  }
  return runs;
}

export function runsOfBlocks({ blocks }: BlocksAnswer): Run[] {
  return blocks.map(({ first, count }) => ({ first: BigInt(first), count }));
}
