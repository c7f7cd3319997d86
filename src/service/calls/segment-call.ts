import type { Allocation } from "../../core/segment/segment.ts";
import { readSegmentReply } from "../../core/segment/segment-reply.ts";
import type { SegmentStatusReply, Segments } from "../../objects/segments.ts";
import { CALL_TRIES_MAX } from "../limits.ts";
import { callObject, refusedBy } from "../object-call.ts";
import type { SegmentNamespace } from "../registry/namespaces.ts";

export type SegmentObjects = DurableObjectNamespace<Segments>;

/** Fetches the next `width` numbers of a namespace, of which every delta-th is an ID. */
export function fetchSegment(
  objects: SegmentObjects,
  namespace: SegmentNamespace,
  width: number,
): Promise<Allocation> {
  const { segmentSpec } = namespace;
  return allocate(objects, namespace, CALL_TRIES_MAX, (stub) =>
    stub.nextSegment(segmentSpec, width),
  );
}

/**
 * Fetches exactly the next `count` IDs. A call that may have succeeded is retried only with an Idempotency-Key, or if
 * numbers may be skipped (`skips`): otherwise a retry could leave a gap.
 */
export function fetchNumbers(
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
  return allocate(objects, namespace, tries, (stub) =>
    stub.nextNumbers(segmentSpec, count, idempotencyKey, Date.now()),
  );
}

/** The status of a segment object. Wakes the object, writes nothing. */
export function segmentStatus(
  objects: SegmentObjects,
  { name, segmentSpec }: SegmentNamespace,
): Promise<SegmentStatusReply> {
  return callObject<SegmentStatusReply, SegmentStatusReply>({
    what: whatOf(name),
    call: () => objects.getByName(name).status(segmentSpec),
    read: (reply) => reply,
    fail: refusedBy,
  });
}

/** Reads the object's reply as an allocation. */
function allocate(
  objects: SegmentObjects,
  { name }: SegmentNamespace,
  tries: number,
  call: (stub: DurableObjectStub<Segments>) => Promise<string>,
): Promise<Allocation> {
  return callObject<string, Allocation>({
    what: whatOf(name),
    call: () => call(objects.getByName(name)),
    read: (text, repeated) => {
      const allocation = readSegmentReply(text);
      return allocation.ok ? allocation : refusedBy(allocation.refusal, repeated);
    },
    fail: refusedBy,
    tries,
  });
}

function whatOf(name: string): string {
  return `The segment of ${name}`;
}
