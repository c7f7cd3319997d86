import type { Refusal } from "../core/errors.ts";
import type { Allocation } from "../core/segment.ts";
import { readSegmentReply } from "../core/segment-reply.ts";
import type { SegmentStatusReply, Segments } from "../objects/segments.ts";
import { CALL_TRIES_MAX } from "./limits.ts";
import type { SegmentNamespace } from "./namespaces.ts";
import { isOverloaded, overloaded } from "./shard-call.ts";

export type SegmentObjects = DurableObjectNamespace<Segments>;

/** The next `width` numbers of a namespace, of which every delta-th is an ID. Throws where the object does, twice. */
export async function fetchSegment(
  objects: SegmentObjects,
  namespace: SegmentNamespace,
  width: number,
): Promise<Allocation> {
  const { segmentSpec } = namespace;
  return callSegments(objects, namespace, CALL_TRIES_MAX, async (stub) =>
    readSegmentReply(await stub.nextSegment(segmentSpec, width)),
  );
}

/**
 * Just the next `count` IDs. Throws where the object does. A call that may have been carried out is repeated only
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
  return callSegments(objects, namespace, tries, async (stub) =>
    readSegmentReply(await stub.nextNumbers(segmentSpec, count, idempotencyKey)),
  );
}

/** How a segment's object is. Wakes it, writes nothing. Throws where the object does. */
export function segmentStatus(
  objects: SegmentObjects,
  namespace: SegmentNamespace,
): Promise<SegmentStatusReply> {
  return callSegments<SegmentStatusReply>(objects, namespace, CALL_TRIES_MAX, (stub) =>
    stub.status(namespace.segmentSpec),
  );
}

/** Calls the object, again on a new stub where it threw; one whose queue at the platform is full is left alone. */
async function callSegments<Reply>(
  objects: SegmentObjects,
  { name }: SegmentNamespace,
  tries: number,
  call: (stub: DurableObjectStub<Segments>) => Promise<Reply>,
): Promise<Reply | { readonly ok: false; readonly refusal: Refusal }> {
  for (let left = tries - 1; ; left -= 1) {
    try {
      return await call(objects.getByName(name));
    } catch (error) {
      if (isOverloaded(error)) return { ok: false, refusal: overloaded("The segment's object") };
      if (left === 0) throw error;
    }
  }
}
