/** The requests of the load, and how their answers are read. */
import * as v from "valibot";
import { type Run, runsOf } from "./history.ts";
import type { Input } from "./http.ts";

/** The content of a response: IDs, or a worker ID leased for some ms. */
export interface Acknowledged {
  readonly what: "ids" | "lease";
  /** No ID may repeat within it: a namespace, or one leased worker ID of a namespace. */
  readonly space: string;
  readonly step: number;
  readonly runs: readonly Run[];
}

export interface Kind {
  readonly input: Input;
  /** Its IDs are greater than all that were acknowledged on the same line before it was sent. */
  readonly line?: string;
  /** True if the first part of a response is worth as much as the whole. */
  readonly isStream?: boolean;
  readonly read: (body: string) => Acknowledged;
}

/** The built-in time-ordered namespaces. */
export const SNOWFLAKES = ["default", "twitter", "leaf", "js53", "node"] as const;
/** With these, any two requests to one shard are ordered; with the others, lanes are crossed unless order is strict. */
export const ONE_LANE: readonly string[] = ["default", "twitter", "leaf"];

/** A segment namespace of our own. */
export const NUMBERS = "numbers";
const NUMBERS_STEP = 3;
export const MAKE_NUMBERS: Input = {
  method: "PUT",
  path: `/v1/namespaces/${NUMBERS}`,
  // Beyond what a JS number holds.
  body: {
    kind: "segment",
    step: 500,
    start: "9007199254740990",
    delta: NUMBERS_STEP,
    remainder: 1,
  },
};

const Ids = v.object({ ids: v.array(v.pipe(v.string(), v.regex(/^\d+$/))) });
const Blocks = v.object({
  blocks: v.array(
    v.object({
      first: v.pipe(v.string(), v.regex(/^\d+$/)),
      count: v.pipe(v.number(), v.safeInteger()),
      step: v.optional(v.number(), 1),
    }),
  ),
});
const Lease = v.object({
  worker: v.pipe(v.number(), v.safeInteger()),
  notBefore: v.pipe(v.number(), v.safeInteger()),
  notAfter: v.pipe(v.number(), v.safeInteger()),
});

function stepOf(namespace: string): number {
  return namespace === NUMBERS ? NUMBERS_STEP : 1;
}

/** IDs as JSON. */
export function idsOf(namespace: string, query = "", line?: string): Kind {
  const step = stepOf(namespace);
  const read = (body: string): Acknowledged => {
    const { ids } = v.parse(Ids, JSON.parse(body));
    return { what: "ids", space: namespace, step, runs: runsOf(ids.map(BigInt), step) };
  };
  const input: Input = { method: "GET", path: `/v1/ids/${namespace}?${query}` };
  return { input, read, ...(line !== undefined && { line: `${namespace} ${line}` }) };
}

/** A stream of IDs, one a line. */
function streamOf(namespace: string, count: number): Kind {
  const step = stepOf(namespace);
  const read = (body: string): Acknowledged => {
    // After the last line's end, a part of a number may follow.
    const ids = body.split("\n").slice(0, -1).map(BigInt);
    return { what: "ids", space: namespace, step, runs: runsOf(ids, step) };
  };
  const path = `/v1/ids/${namespace}?format=text&count=${count}`;
  return { input: { method: "POST", path }, read, isStream: true };
}

function blocksOf(namespace: string, count: number): Kind {
  const read = (body: string): Acknowledged => {
    const { blocks } = v.parse(Blocks, JSON.parse(body));
    const step = stepOf(namespace);
    if (blocks.some((block) => block.step !== step)) throw new Error(`a step other than ${step}`);
    const runs = blocks.map((block) => ({ first: BigInt(block.first), count: block.count }));
    return { what: "ids", space: namespace, step, runs };
  };
  return { input: { method: "GET", path: `/v1/blocks/${namespace}?count=${count}` }, read };
}

/** A leased worker ID: no other lease may have its ms. */
export function leaseOf(namespace: string): Kind {
  const read = (body: string): Acknowledged => {
    const { worker, notBefore, notAfter } = v.parse(Lease, JSON.parse(body));
    const count = notAfter - notBefore;
    // After the clock went back: the lease covers no ID.
    const runs = count > 0 ? [{ first: BigInt(notBefore), count }] : [];
    return { what: "lease", space: `lease of ${namespace}/${worker}`, step: 1, runs };
  };
  const path = `/v1/leases/${namespace}`;
  return { input: { method: "POST", path, body: { holder: "crash-test", ttlMs: 5000 } }, read };
}

/** All kinds of requests to one time-ordered namespace, single ones more often than others. */
function snowflakeLoad(namespace: string): Kind[] {
  const single = idsOf(namespace);
  const strict = idsOf(namespace, "shard=0&order=strict", "shard=0, strict");
  const ordered = ONE_LANE.includes(namespace) ? "shard=1" : undefined;
  return [
    ...[single, single, single, single, single, single],
    ...[strict, strict, idsOf(namespace, "shard=2&order=strict&count=10", "shard=2, strict")],
    ...[idsOf(namespace, "shard=1", ordered), idsOf(namespace, "shard=1&count=100", ordered)],
    ...[idsOf(namespace, "key=ann", "key=ann"), idsOf(namespace, "key=bob&count=2", "key=bob")],
    ...[idsOf(namespace, "count=100"), idsOf(namespace, "count=1000")],
    ...[streamOf(namespace, 5000), blocksOf(namespace, 2000), leaseOf(namespace)],
  ];
}

function numbersLoad(): Kind[] {
  const single = idsOf(NUMBERS);
  const strict = idsOf(NUMBERS, "order=strict", "strict");
  return [
    ...[single, single, single, single, strict, strict],
    ...[idsOf(NUMBERS, "count=100"), streamOf(NUMBERS, 3000), blocksOf(NUMBERS, 700)],
    idsOf(NUMBERS, "order=strict&count=5", "strict"),
  ];
}

/** The requests of the load, one at random each time. */
export const LOAD: readonly Kind[] = [...SNOWFLAKES.flatMap(snowflakeLoad), ...numbersLoad()];
