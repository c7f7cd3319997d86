/** A scripted service binding for clients under test. */
import type { Answer, BlocksOptions, RpcProblem } from "../../src/core/binding.ts";
import type { BlocksAnswer } from "../../src/core/blocks/blocks-answer.ts";

/** A client's call. */
export interface AskedBlocks extends BlocksOptions {
  readonly count: number;
}

export const FRESH_FOR_MS = 250;

/** Answers with ascending IDs, unless `before` returns a problem. */
export function countingBinding(
  before: (asked: AskedBlocks) => Promise<RpcProblem | undefined> | RpcProblem | undefined,
  policy = { freshForMs: FRESH_FOR_MS },
) {
  let first = 1n;
  return {
    blocksOrProblem: async (
      _: string,
      count: number,
      options: BlocksOptions = {},
    ): Promise<Answer<BlocksAnswer>> => {
      const problem = await before({ ...options, count });
      if (problem) return { ok: false, problem: { detail: "refused by the test", ...problem } };
      const blocks = [{ first: `${first}`, count }];
      first += BigInt(count);
      return { ok: true, value: { blocks, shard: 0, ...policy } };
    },
    decodeOrProblem: () => Promise.reject(new Error("nothing is decoded here")),
  };
}
