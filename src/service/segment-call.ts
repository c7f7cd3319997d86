import type { Refusal } from "../core/errors.ts";
import type { Allocation } from "../core/segment.ts";
import { readSegmentReply } from "../core/segment-reply.ts";
import type { SegmentStatusReply, Segments } from "../objects/segments.ts";
import { CALL_TRIES_MAX } from "./limits.ts";
import type { SegmentNamespace } from "./namespaces.ts";
import { callObject } from "./object-call.ts";

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
  return typeof reply === "string" ? readSegmentReply(reply) : reply;
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
    stub.nextNumbers(segmentSpec, count, idempotencyKey),
  );
  return typeof reply === "string" ? readSegmentReply(reply) : reply;
}

/** How a segment's object is. Wakes it, writes nothing. */
export function segmentStatus(
  objects: SegmentObjects,
  namespace: SegmentNamespace,
): Promise<SegmentStatusReply> {
  return callSegments<SegmentStatusReply>(objects, namespace, CALL_TRIES_MAX, (stub) =>
    stub.status(namespace.segmentSpec),
  );
}

async function callSegments<Reply>(
  objects: SegmentObjects,
  { name }: SegmentNamespace,
  tries: number,
  call: (stub: DurableObjectStub<Segments>) => Promise<Reply>,
): Promise<Reply | { readonly ok: false; readonly refusal: Refusal }> {
  const result = await callObject(
    `The segment of ${name}`,
    () => call(objects.getByName(name)),
    tries,
  );
  return result.ok ? result.reply : { ok: false, refusal: result.refusal };
}
