/** How a segment is, under the names of Leaf's table; its one object counts as shard 0. */
import type { Context } from "hono";
import type { SegmentStatus } from "../../objects/segments.ts";
import { segmentStatus } from "../../service/calls/segment-call.ts";
import type { SegmentNamespace } from "../../service/registry/namespaces.ts";
import type { NamespaceEnv } from "../middleware/app-env.ts";
import { refused } from "../reply/problem.ts";

/** As one of a list: an object that cannot say how it is must not fail the list. */
export async function segmentListed(c: Context<NamespaceEnv>, namespace: SegmentNamespace) {
  const reply = await segmentStatus(c.env.SEGMENTS, namespace);
  if (reply.ok) return statusBody(namespace, reply.status);
  const { code, detail } = reply.refusal;
  return { shard: 0, fault: { code, detail } };
}

/** By itself. */
export async function segmentAlone(
  c: Context<NamespaceEnv>,
  namespace: SegmentNamespace,
): Promise<Response> {
  const reply = await segmentStatus(c.env.SEGMENTS, namespace);
  return reply.ok ? c.json(statusBody(namespace, reply.status)) : refused(c, reply.refusal);
}

function statusBody({ definition }: SegmentNamespace, status: SegmentStatus) {
  const { maxId, updatedMs, tally, refusals } = status;
  const { kind: _, ...settings } = definition;
  const { last, ...counters } = tally;
  return {
    shard: 0,
    max_id: maxId,
    ...settings,
    update_time: updatedMs === undefined ? null : new Date(updatedMs).toISOString(),
    fetches: last.map(({ atMs, from, until }) => {
      return { time: new Date(atMs).toISOString(), from, until };
    }),
    counters: { ...counters, refusals },
  };
}
