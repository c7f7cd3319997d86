import type { Allocation } from "../core/segment.ts";
import { readSegmentReply } from "../core/segment-reply.ts";
import type { SegmentStatusReply, Segments } from "../objects/segments.ts";
import { CALL_TRIES_MAX } from "./limits.ts";
import type { SegmentNamespace } from "./namespaces.ts";
import { type CallResult, callObject, refusedBy } from "./object-call.ts";

export type SegmentObjects = DurableObjectNamespace<Segments>;

/** The next `width` numbers of a namespace, of which every delta-th is an ID. */
export async function fetchSegment(
  objects: SegmentObjects,
  namespace: SegmentNamespace,
  width: number,
): Promise<Allocation> {
  const { segmentSpec } = namespace;
  const reply = await callSegments(objects, namespace, CALL_TRIES_MAX, (stub) =>
    stub.nextSegment(segmentSpec, width),
  );
  return allocationIn(reply);
}

/**
 * Just the next `count` IDs. A call that may have been carried out is repeated only
 * with an Idempotency-Key, or where `skips` says that numbers may be lost: else a second try would leave a hole.
 */
export async function fetchNumbers(
  objects: SegmentObjects,
  namespace: SegmentNamespace,
  count: number,
  {
    idempotencyKey = "",
    skips,
  }: { readonly idempotencyKey?: string | undefined; readonly skips: boolean },
): Promise<Allocation> {
  const { segmentSpec } = namespace;
  const tries = skips || idempotencyKey !== "" ? CALL_TRIES_MAX : 1;
  const reply = await callSegments(objects, namespace, tries, (stub) =>
    stub.nextNumbers(segmentSpec, count, idempotencyKey, Date.now()),
  );
  return allocationIn(reply);
}

/** How a segment's object is. Wakes it, writes nothing. */
export async function segmentStatus(
  objects: SegmentObjects,
  namespace: SegmentNamespace,
): Promise<SegmentStatusReply> {
  const result = await callSegments<SegmentStatusReply>(
    objects,
    namespace,
    CALL_TRIES_MAX,
    (stub) => stub.status(namespace.segmentSpec),
  );
  return result.ok ? result.reply : result;
}

function callSegments<Reply>(
  objects: SegmentObjects,
  { name }: SegmentNamespace,
  tries: number,
  call: (stub: DurableObjectStub<Segments>) => Promise<Reply>,
): Promise<CallResult<Reply>> {
  return callObject(`The segment of ${name}`, () => call(objects.getByName(name)), tries);
}

function allocationIn(result: CallResult<string>): Allocation {
  if (!result.ok) return result;
  const allocation = readSegmentReply(result.reply);
  return allocation.ok ? allocation : refusedBy(allocation.refusal, result.repeated);
}
