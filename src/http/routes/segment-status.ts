/** The status of a segment, with the names of Leaf's table. Its single object counts as shard 0. */
import type { Context } from "hono";
import type { SegmentStatus } from "../../objects/segments.ts";
import { segmentStatus } from "../../service/calls/segment-call.ts";
import type { SegmentNamespace } from "../../service/registry/namespaces.ts";
import type { NamespaceEnv } from "../middleware/app-env.ts";
import { refused } from "../reply/problem.ts";

/** The status in a list. A failing object must not fail the list. */
export async function segmentListed(c: Context<NamespaceEnv>, namespace: SegmentNamespace) {
  const reply = await segmentStatus(c.env.SEGMENTS, namespace);
  if (reply.ok) return statusBody(namespace, reply.status);
  const { code, detail } = reply.refusal;
  return { shard: 0, fault: { code, detail } };
}

/** The status as a response of its own. */
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
