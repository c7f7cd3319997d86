import type { Answer, BlocksOptions, DecodeOptions, IdOptions } from "../core/binding.ts";
import type { BlocksAnswer } from "../core/blocks/blocks-answer.ts";
import type { DecodedId } from "../core/layout/decoded.ts";

/**
 * The type of a Cloudflare service binding with `entrypoint = "Edgeflake"`. A rejected call throws an `Error` with the
 * properties of {@linkcode RpcProblem}. Between two `wrangler dev` processes such an error keeps only its message, so
 * use the methods that end in `OrProblem` there: they return the problem as a value.
 *
 * @example
 * ```ts
 * interface Env {
 *   IDS: EdgeflakeBinding;
 * }
 * const id = await env.IDS.nextId("orders");
 * ```
 */
export interface EdgeflakeBinding {
  /** Gets one ID, as a text in `options.encoding`. */
  nextId(namespace: string, options?: IdOptions): Promise<string>;
  /** Gets `count` IDs (1 to 10,000), as texts in `options.encoding`. */
  nextIds(namespace: string, count: number, options?: IdOptions): Promise<string[]>;
  /** Gets `count` IDs (1 to 1,000,000), as blocks of consecutive IDs. */
  blocks(namespace: string, count: number, options?: BlocksOptions): Promise<BlocksAnswer>;
  /** Reads an ID with the layout of the namespace: its time, shard and sequence. */
  decode(namespace: string, id: string, options?: DecodeOptions): Promise<DecodedId>;
  /** Gets `count` IDs (1 to 1,000,000) as blocks, as `blocks` does; returns a problem instead of throwing it. */
  blocksOrProblem(
    namespace: string,
    count: number,
    options?: BlocksOptions,
  ): Promise<Answer<BlocksAnswer>>;
  /** Reads an ID, as `decode` does; returns a problem instead of throwing it. */
  decodeOrProblem(
    namespace: string,
    id: string,
    options?: DecodeOptions,
  ): Promise<Answer<DecodedId>>;
}
