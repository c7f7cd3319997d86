import type { SegmentObjects } from "../../../src/service/calls/segment-call.ts";
import { segmentsOf } from "../segments.ts";

/** A call of a segment's object, as the caller made it. */
export interface SegmentCall {
  readonly namespace: string;
  readonly method: "nextSegment" | "nextNumbers";
  readonly spec: string;
  /** The width of a segment, or the count of numbers. */
  readonly count: number;
  readonly key: string;
  /** 0 unless the call carries it. */
  readonly callerNowMs: number;
}

/** Segment objects, and a record of their calls: the real ones, or others that answer as `answer` does. */
export function recordedSegments(answer: (call: SegmentCall) => Promise<string> = realSegments) {
  const calls: SegmentCall[] = [];
  const called = (call: SegmentCall): Promise<string> => {
    calls.push(call);
    return answer(call);
  };
  const getByName = (namespace: string) => ({
    nextSegment: (spec: string, count: number) =>
      called({ namespace, method: "nextSegment", spec, count, key: "", callerNowMs: 0 }),
    nextNumbers: (spec: string, count: number, key: string, callerNowMs: number) =>
      called({ namespace, method: "nextNumbers", spec, count, key, callerNowMs }),
  });
  /** The calls: method and count. */
  const asked = () => calls.map(({ method, count }) => [method, count]);
  // Only what callers use of the binding.
  return { segments: { getByName } as unknown as SegmentObjects, calls, asked };
}

/** The answer of the object itself. */
export async function realSegments(call: SegmentCall): Promise<string> {
  const { namespace, method, spec, count, key, callerNowMs } = call;
  const stub = segmentsOf(namespace);
  return method === "nextSegment"
    ? await stub.nextSegment(spec, count)
    : await stub.nextNumbers(spec, count, key, callerNowMs);
}
