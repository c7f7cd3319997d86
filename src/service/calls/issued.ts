import type { Block } from "../../core/blocks/block.ts";
import type { Refusal } from "../../core/refusal.ts";

/** IDs of one shard. */
export interface Granted {
  readonly ok: true;
  readonly shard: number;
  readonly blocks: readonly Block[];
}

/** IDs of one shard, or a refusal. */
export type Issued =
  | Granted
  | {
      readonly ok: false;
      readonly refusal: Refusal;
      /** True: rejected before anything was granted. False: IDs may have been skipped. */
      readonly definite: boolean;
      /** Sum of the waits at shards, in ms. */
      readonly waitedMs: number;
    };
