import type { Refusal } from "../core/errors.ts";
import type { Region } from "../core/regions.ts";
import type { ShardStatus, StatusReply } from "../objects/shard-status.ts";
import { regionOf, type SnowflakeNamespace } from "./namespaces.ts";
import { callObject } from "./object-call.ts";
import { type Shards, stubOf } from "./shards.ts";

/** How one shard is, or why it cannot say. */
export type StatusResult =
  | { readonly ok: true; readonly region: Region; readonly status: ShardStatus }
  | {
      readonly ok: false;
      readonly shard: number;
      readonly region: Region;
      readonly refusal: Refusal;
    };

/** Asks one shard how it is. Wakes the object, writes nothing. */
export async function shardStatus(
  shards: Shards,
  namespace: SnowflakeNamespace,
  shard: number,
): Promise<StatusResult> {
  const region = regionOf(namespace, shard);
  const result = await callObject<StatusReply>(`Shard ${shard} of ${namespace.name}`, () =>
    stubOf(shards, namespace, shard).status(namespace.lineSpec),
  );
  if (!result.ok) return { ok: false, shard, region, refusal: result.refusal };
  if (!result.reply.ok) return { ok: false, shard, region, refusal: result.reply.refusal };
  return { ok: true, region, status: result.reply.status };
}
