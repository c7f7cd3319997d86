import type { Refusal } from "../core/errors.ts";
import type { Region } from "../core/regions.ts";
import type { ShardStatus, StatusReply } from "../objects/shard-status.ts";
import { regionOf, type SnowflakeNamespace } from "./namespaces.ts";
import { callShard, type Shards } from "./shard-call.ts";

/** How one shard is, or why it cannot say. */
export type StatusResult =
  | { readonly ok: true; readonly region: Region; readonly status: ShardStatus }
  | {
      readonly ok: false;
      readonly shard: number;
      readonly region: Region;
      readonly refusal: Refusal;
    };

/** Asks one shard how it is. Wakes the object, writes nothing. Throws where the object does. */
export async function shardStatus(
  shards: Shards,
  namespace: SnowflakeNamespace,
  shard: number,
): Promise<StatusResult> {
  const region = regionOf(namespace, shard);
  const result = await callShard<StatusReply>(shards, namespace, shard, (stub) =>
    stub.status(namespace.lineSpec),
  );
  if (!result.ok) return { ok: false, shard, region, refusal: result.refusal };
  if (!result.reply.ok) return { ok: false, shard, region, refusal: result.reply.refusal };
  return { ok: true, region, status: result.reply.status };
}
