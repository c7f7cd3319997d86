/** The bodies that the service answers, as JSON Schema (2020-12, as in OpenAPI 3.1). */
import { ENCODINGS } from "../core/codec.ts";
import { PROBLEM_KINDS } from "../http/problem.ts";

/** JSON Schema is open-ended; this is any of it. */
export type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: "string" };
const whole: Schema = { type: "integer", minimum: 0 };
const instant: Schema = { type: "string", format: "date-time" };
const idText: Schema = { type: "string", pattern: "^[0-9A-Za-z]{1,19}$" };

const numberText: Schema = { type: "string", pattern: "^[0-9]{1,19}$" };

/** An object with these fields, all required but those of `optional`. */
function object(
  fields: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(fields).filter((name) => !optional.includes(name));
  return { type: "object", properties: fields, required, additionalProperties: false };
}

function list(items: Schema): Schema {
  return { type: "array", items };
}

function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** TinyID's envelope: code 200, or 5 and 6 with null for data. */
function tinyId(data: Schema): Schema {
  return object({
    data: { anyOf: [data, { type: "null" }] },
    code: { enum: [200, 5, 6] },
    message: text,
  });
}

const layoutFields = {
  timestampBits: whole,
  datacenterBits: whole,
  workerBits: whole,
  laneBits: whole,
  sequenceBits: whole,
  epochMs: whole,
  tickMs: { enum: [1, 10, 1000] },
  lanePlace: { enum: ["aboveWorker", "belowWorker"] },
  laneUse: { enum: ["always", "back"] },
};

const policyFields = {
  maxStepBackMs: whole,
  maxBorrowMs: whole,
  maxWaitMs: whole,
  randomStart: whole,
  reserveMs: whole,
  freshForMs: whole,
};

const keyFields = {
  id: text,
  name: text,
  scopes: list(text),
  namespaces: list(text),
  expiresAt: instant,
  createdAt: instant,
};

const segmentFields = {
  step: { type: "integer", minimum: 1 },
  start: numberText,
  max: numberText,
  delta: { type: "integer", minimum: 1 },
  remainder: whole,
  description: text,
};

export const SCHEMAS: Readonly<Record<string, Schema>> = {
  Health: object({ status: { const: "ok" } }),
  Ids: object({ ids: list({ anyOf: [idText, { type: "integer", minimum: 0 }] }) }),
  Blocks: object({
    blocks: list(
      object(
        {
          first: idText,
          count: { type: "integer", minimum: 1 },
          step: { type: "integer", minimum: 1, description: "Distance of IDs; of segments only" },
        },
        ["step"],
      ),
    ),
    shard: whole,
    freshForMs: whole,
  }),
  Decoded: { anyOf: [ref("DecodedSnowflake"), ref("DecodedNumber")] },
  DecodedNumber: object({ id: idText, kind: { const: "segment" }, value: idText }),
  DecodedSnowflake: object(
    {
      id: idText,
      kind: { const: "snowflake" },
      time: { type: ["string", "null"], format: "date-time" },
      unixMs: { type: "integer" },
      tick: whole,
      datacenter: whole,
      worker: whole,
      shard: whole,
      lane: whole,
      sequence: whole,
      encodings: object(Object.fromEntries(ENCODINGS.map((encoding) => [encoding, idText]))),
    },
    ["datacenter"],
  ),
  Range: object({ first: idText, last: idText }),
  Shard: object({
    shard: whole,
    region: text,
    clock: { ...whole, description: "The shard's clock, unix ms" },
    lanes: list(object({ lane: whole, next: whole, mark: whole, lead: whole, leadMs: whole })),
    counters: object({
      issued: whole,
      grants: whole,
      waits: whole,
      rollbacks: whole,
      writes: whole,
      maxLeadMs: whole,
      writesPerIssued: { type: "number", minimum: 0 },
      refusals: { type: "object", additionalProperties: whole },
    }),
  }),
  ShardFault: object({ shard: whole, region: text, fault: object({ code: text, detail: text }) }, [
    "region",
  ]),
  Segment: object({
    shard: { const: 0 },
    max_id: { ...numberText, description: "The lowest number not yet given out" },
    ...segmentFields,
    update_time: { type: ["string", "null"], format: "date-time" },
    fetches: list(object({ time: instant, from: numberText, until: numberText })),
    counters: object({
      issued: whole,
      fetches: whole,
      exact: whole,
      repeats: whole,
      refusals: { type: "object", additionalProperties: whole },
    }),
  }),
  Shards: object(
    {
      shards: list({ anyOf: [ref("Shard"), ref("Segment"), ref("ShardFault")] }),
      cursor: text,
    },
    ["cursor"],
  ),
  AnyShard: { anyOf: [ref("Shard"), ref("Segment")] },
  Namespace: { anyOf: [ref("SnowflakeNamespace"), ref("SegmentNamespace")] },
  SegmentNamespace: object(
    {
      name: text,
      kind: { const: "segment" },
      ...segmentFields,
      builtIn: { type: "boolean" },
      retired: { type: "boolean" },
      createdAt: instant,
    },
    ["createdAt"],
  ),
  SnowflakeNamespace: object(
    {
      name: text,
      kind: { const: "snowflake" },
      preset: text,
      layout: object(layoutFields, ["lanePlace", "laneUse"]),
      policy: object(policyFields),
      shards: whole,
      regions: list(text),
      keyShards: whole,
      builtIn: { type: "boolean" },
      retired: { type: "boolean" },
      createdAt: instant,
    },
    ["createdAt"],
  ),
  Lease: object({
    namespace: text,
    worker: whole,
    token: text,
    holder: text,
    ttlMs: whole,
    notBefore: { ...whole, description: "Unix ms of the first tick that may be stamped" },
    notAfter: { ...whole, description: "Unix ms of the first tick that may not" },
    renewAfter: { ...whole, description: "Unix ms from which to renew" },
    now: { ...whole, description: "The lease desk's clock, unix ms" },
    layout: object(layoutFields, ["lanePlace", "laneUse"]),
    policy: object(policyFields),
  }),
  Leases: object(
    {
      leases: list(
        object({
          worker: whole,
          holder: text,
          state: { enum: ["held", "expired", "released"] },
          notBefore: whole,
          notAfter: whole,
          leftMs: whole,
          restedMs: whole,
        }),
      ),
      cursor: text,
    },
    ["cursor"],
  ),
  Namespaces: object({ namespaces: list(ref("Namespace")), cursor: text }, ["cursor"]),
  Key: object(keyFields, ["name", "namespaces", "expiresAt"]),
  NewKey: object({ key: text, ...keyFields }, ["name", "namespaces", "expiresAt"]),
  Keys: object({ keys: list(ref("Key")), cursor: text }, ["cursor"]),
  LeafError: object({
    timestamp: whole,
    status: { type: "integer" },
    error: text,
    exception: text,
    message: text,
    path: text,
  }),
  LeafDecoded: object({ timestamp: text, sequenceId: text, workerId: text, errorMsg: text }, [
    "timestamp",
    "sequenceId",
    "workerId",
    "errorMsg",
  ]),
  TinyIds: tinyId({ type: "array", items: { type: "integer" } }),
  TinySegment: tinyId(
    object({
      maxId: { type: "integer" },
      loadingId: { type: "integer" },
      currentId: { type: "integer" },
      delta: whole,
      remainder: whole,
    }),
  ),
  Problem: object(
    {
      type: { type: "string", description: "/docs#{code}" },
      title: text,
      status: { type: "integer" },
      detail: text,
      code: { enum: Object.keys(PROBLEM_KINDS) },
      requestId: text,
      definite: {
        type: "boolean",
        description: "true: refused before anything was granted; false: IDs may have been skipped",
      },
      retryAfterMs: whole,
      errors: list(object({ parameter: text, field: text, detail: text }, ["parameter", "field"])),
      conflict: object({ stored: { type: "object" }, wished: { type: "object" } }),
    },
    ["retryAfterMs", "errors", "conflict"],
  ),
};
