import type { Answer, BlocksOptions, DecodeOptions, IdOptions } from "../core/binding.ts";
import type { BlocksAnswer } from "../core/blocks/blocks-answer.ts";
import type { DecodedId } from "../core/layout/decoded.ts";

/**
 * A service binding with `entrypoint = "Edgeflake"`. A refused call throws an Error with the properties of an
 * RpcProblem. The two methods that end in `OrProblem` return refusals as values instead: between two `wrangler dev`
 * processes an Error keeps its message only.
 */
export interface EdgeflakeBinding {
  /** One ID. */
  nextId(namespace: string, options?: IdOptions): Promise<string>;
  /** `count` IDs, 1 to 10,000. */
  nextIds(namespace: string, count: number, options?: IdOptions): Promise<string[]>;
  /** `count` IDs, 1 to 1,000,000, as runs of consecutive ones. */
  blocks(namespace: string, count: number, options?: BlocksOptions): Promise<BlocksAnswer>;
  /** What an ID says. */
  decode(namespace: string, id: string, options?: DecodeOptions): Promise<DecodedId>;
  blocksOrProblem(
    namespace: string,
    count: number,
    options?: BlocksOptions,
  ): Promise<Answer<BlocksAnswer>>;
  decodeOrProblem(
    namespace: string,
    id: string,
    options?: DecodeOptions,
  ): Promise<Answer<DecodedId>>;
}
