import { Hono } from "hono";
import * as v from "valibot";
import type { ShardStatus } from "../../objects/shard-status.ts";
import { type StatusResult, shardStatus } from "../../service/calls/shard-status.ts";
import { SHARDS_PAGE_MAX } from "../../service/limits.ts";
import { parseQuery } from "../../service/params.ts";
import type { SnowflakeNamespace } from "../../service/registry/namespaces.ts";
import { anyWholeText, wholeText } from "../../service/schema.ts";
import type { NamespaceEnv } from "../middleware/app-env.ts";
import { withNamespace } from "../middleware/namespace.ts";
import { invalidParameters, problem, refused } from "../reply/problem.ts";
import { segmentAlone, segmentListed } from "./segment-status.ts";

export const SHARDS_QUERY = {
  limit: v.optional(wholeText(1, SHARDS_PAGE_MAX)),
  cursor: v.optional(anyWholeText),
};

/** `GET /v1/shards/{namespace}` and `/{shard}`: return the status of shards. A request wakes them. */
export const shards = new Hono<NamespaceEnv>();

shards.get("/:namespace", withNamespace("read"), async (c) => {
  const namespace = c.get("namespace");
  const { values, errors } = parseQuery(c.req, SHARDS_QUERY);
  if (errors.length > 0) return invalidParameters(c, errors);
  const { limit = SHARDS_PAGE_MAX, cursor = 0 } = values;
  if (namespace.kind === "segment") {
    return c.json({ shards: cursor === 0 ? [await segmentListed(c, namespace)] : [] });
  }
  const end = Math.min(namespace.shards, cursor + limit);
  const page = Array.from({ length: Math.max(0, end - cursor) }, (_, index) => cursor + index);
  const results = await Promise.all(
    page.map((shard) => shardStatus(c.env.SHARD, namespace, shard)),
  );
  const next = end < namespace.shards ? { cursor: `${end}` } : {};
  return c.json({
    shards: results.map((result) =>
      // One failing shard must not hide the others.
      result.ok ? statusBody(namespace, result.region, result.status) : faultBody(result),
    ),
    ...next,
  });
});

shards.get("/:namespace/:shard", withNamespace("read"), async (c) => {
  const namespace = c.get("namespace");
  const { errors } = parseQuery(c.req, {});
  if (errors.length > 0) return invalidParameters(c, errors);
  const shard = v.safeParse(anyWholeText, c.req.param("shard"));
  if (!shard.success || shard.output >= namespace.shards) {
    const detail = `The shards of ${namespace.name} are 0 to ${namespace.shards - 1}.`;
    return problem(c, { code: "not_found", detail });
  }
  if (namespace.kind === "segment") return await segmentAlone(c, namespace);
  const result = await shardStatus(c.env.SHARD, namespace, shard.output);
  if (!result.ok) return refused(c, result.refusal);
  return c.json(statusBody(namespace, result.region, result.status));
});

function faultBody({
  shard,
  region,
  refusal: { code, detail },
}: Extract<StatusResult, { ok: false }>) {
  return { shard, region, fault: { code, detail } };
}

function statusBody(
  { layout: { tickMs } }: SnowflakeNamespace,
  region: string,
  status: ShardStatus,
) {
  const { maxLeadTicks, ...counters } = status.counters;
  const writesPerIssued = counters.issued === 0 ? 0 : counters.writes / counters.issued;
  return {
    shard: status.shard,
    region,
    clock: status.nowMs,
    lanes: status.lanes.map(({ lane, next, mark, leadTicks }) => {
      return { lane, next, mark, lead: leadTicks, leadMs: leadTicks * tickMs };
    }),
    counters: { ...counters, maxLeadMs: maxLeadTicks * tickMs, writesPerIssued },
  };
}
