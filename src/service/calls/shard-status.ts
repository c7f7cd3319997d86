import type { Refusal } from "../../core/refusal.ts";
import type { Region } from "../../core/regions.ts";
import type { ShardStatus, StatusReply } from "../../objects/shard-status.ts";
import { callObject } from "../object-call.ts";
import { regionOf, type SnowflakeNamespace } from "../registry/namespaces.ts";
import { type Shards, stubOf } from "./shards.ts";

/** The status of one shard, or the refusal if it did not answer. */
export type StatusResult =
  | { readonly ok: true; readonly region: Region; readonly status: ShardStatus }
  | {
      readonly ok: false;
      readonly shard: number;
      readonly region: Region;
      readonly refusal: Refusal;
    };

/** Requests the status of one shard. Wakes the object, writes nothing. */
export function shardStatus(
  shards: Shards,
  namespace: SnowflakeNamespace,
  shard: number,
): Promise<StatusResult> {
  const region = regionOf(namespace, shard);
  const fail = (refusal: Refusal): StatusResult => ({ ok: false, shard, region, refusal });
  return callObject<StatusReply, StatusResult>({
    what: `Shard ${shard} of ${namespace.name}`,
    call: () => stubOf(shards, namespace, shard).status(namespace.lineSpec),
    read: (reply) => (reply.ok ? { ok: true, region, status: reply.status } : fail(reply.refusal)),
    fail,
  });
}
