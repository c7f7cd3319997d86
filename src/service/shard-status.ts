import type { Refusal } from "../core/errors.ts";
import type { ShardStatus, StatusReply } from "../objects/shard.ts";
import { type Namespace, regionOf } from "./namespaces.ts";
import { callShard, type Shards } from "./shard-call.ts";

export type StatusResult =
  | { readonly ok: true; readonly region: DurableObjectLocationHint; readonly status: ShardStatus }
  | { readonly ok: false; readonly refusal: Refusal };

/** Asks one shard how it is. Wakes the object, writes nothing. */
export async function shardStatus(
  shards: Shards,
  namespace: Namespace,
  shard: number,
): Promise<StatusResult> {
  const result = await callShard<StatusReply>(shards, namespace, shard, (stub) =>
    stub.status(namespace.lineSpec),
  );
  if (!result.ok) return result;
  if (!result.reply.ok) return result.reply;
  return { ok: true, region: regionOf(namespace, shard), status: result.reply.status };
}
