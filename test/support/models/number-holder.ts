/** An isolate's numbers, requested below HTTP, and segment objects that answer on command. */
import { env } from "cloudflare:workers";
import { idAt } from "../../../src/core/blocks/block.ts";
import { defineNamespace, type NamespaceInput } from "../../../src/core/namespace/namespace.ts";
import type { RefusalCode } from "../../../src/core/refusal.ts";
import { writeSegmentReply } from "../../../src/core/segment/segment-reply.ts";
import type { Placement } from "../../../src/service/calls/pick-shard.ts";
import type { SegmentObjects } from "../../../src/service/calls/segment-call.ts";
import { takeIds } from "../../../src/service/issue/take.ts";
import { namespaceOf, type SegmentNamespace } from "../../../src/service/registry/namespaces.ts";
import { recordedSegments, type SegmentCall } from "../recorded/recorded-segments.ts";

const FRESH: Placement = { strict: false };
/** The step of a namespace that names none. */
export const STEP = 100;

let serial = 0;

/** A namespace of its own for each test, as the isolate keeps a buffer for each. */
export function someNamespace(
  input: Partial<NamespaceInput> = {},
  name?: string,
): SegmentNamespace {
  serial += 1;
  const defined = defineNamespace({ step: STEP, ...input, kind: "segment" });
  if (defined.kind !== "defined") throw new Error("not a namespace");
  const { definition } = defined;
  const namespace = namespaceOf({ name: name ?? `buffered-${serial}`, definition, createdMs: 0 });
  if (namespace.kind !== "segment") throw new Error("of another kind");
  return namespace;
}

/** Asks as requests do. `works`: what was left to waitUntil. */
export function holderOf(segments: SegmentObjects, namespace = someNamespace()) {
  const works: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void works.push(work);
  const take = async (count = 1, placement = FRESH) => {
    const source = { env: { ...env, SEGMENTS: segments }, namespace, placement, waitUntil };
    const begun = takeIds(source, count);
    const fromMemory = !("then" in begun);
    const issued = await begun;
    if (!issued.ok) throw new Error(issued.refusal.code);
    const ids = issued.blocks.flatMap((block) =>
      Array.from({ length: block.count }, (_, offset) => idAt(block, offset)),
    );
    return { ids, fromMemory };
  };
  /** So many single IDs, one after another. */
  const times = async (many: number): Promise<bigint[]> => {
    const ids: bigint[] = [];
    for (let made = 0; made < many; made += 1) ids.push(...(await take()).ids);
    return ids;
  };
  return { take, times, works, namespace };
}

/** Gives numbers from 1 on, each once. */
export function allocator() {
  let next = 1n;
  return ({ count }: SegmentCall): string => {
    const segment = { from: next, until: next + BigInt(count) };
    next = segment.until;
    return writeSegmentReply({ ok: true, segment });
  };
}

const refusal = (code: RefusalCode) =>
  writeSegmentReply({ ok: false, refusal: { code, detail: code } });

/** A segment that was asked for and is not answered yet. */
interface HeldFetch {
  readonly give: () => void;
  readonly refuse: (code: RefusalCode) => void;
  readonly fail: (error: Error) => void;
}

/** An object that answers exact counts and its first segment at once, and other segments on command. */
export function heldSegments(atOnce = 1) {
  const allocate = allocator();
  const held: HeldFetch[] = [];
  let fetches = 0;
  const recorded = recordedSegments((call) => {
    if (call.method === "nextNumbers") return Promise.resolve(allocate(call));
    fetches += 1;
    if (fetches <= atOnce) return Promise.resolve(allocate(call));
    return new Promise((resolve, reject) => {
      const give = () => resolve(allocate(call));
      held.push({ give, refuse: (code) => resolve(refusal(code)), fail: reject });
    });
  });
  return { ...recorded, held };
}
