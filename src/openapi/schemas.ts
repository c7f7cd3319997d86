/** Response bodies as JSON Schema (2020-12, as in OpenAPI 3.1). */
import { ENCODINGS } from "../core/codec.ts";
import { FIELD_TEXTS, SEGMENT_FIELDS, SHARD_FIELDS } from "../core/layout/fields.ts";
import { PROBLEM_KINDS } from "../core/problem.ts";
import { DIALECT_SCHEMAS } from "./dialect-schemas.ts";
import { LEASE_SCHEMAS } from "./lease-schemas.ts";
import {
  fieldsIn,
  flag,
  idText,
  instant,
  layout,
  list,
  numberText,
  object,
  policy,
  ref,
  type Schemas,
  text,
  whole,
} from "./shapes.ts";

const keyFields = {
  id: text,
  name: text,
  scopes: list(text),
  namespaces: list(text),
  expiresAt: instant,
  createdAt: instant,
};

const { shards, keyShards } = fieldsIn(SHARD_FIELDS);

/** Fields of both kinds of namespace. */
const common = { builtIn: flag, retired: flag, createdAt: instant };

const segmentFields = {
  ...fieldsIn(SEGMENT_FIELDS),
  start: { ...numberText, description: FIELD_TEXTS.start },
  max: { ...numberText, description: FIELD_TEXTS.max },
  description: text,
};

export const SCHEMAS: Schemas = {
  Health: object({ status: { const: "ok" } }),
  Ids: object({ ids: list({ anyOf: [idText, { type: "integer", minimum: 0 }] }) }),
  Blocks: object({
    blocks: list(
      object(
        {
          first: idText,
          count: { type: "integer", minimum: 1 },
          step: {
            type: "integer",
            minimum: 1,
            description: "Distance between IDs; only in segment namespaces",
          },
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
      time: {
        type: ["string", "null"],
        format: "date-time",
        description: "Null after the year 9999; see unixMs",
      },
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
    clock: { ...whole, description: "The shard's clock, in unix ms" },
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
    max_id: { ...numberText, description: "The lowest number not yet issued" },
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
      ...common,
    },
    ["createdAt"],
  ),
  SnowflakeNamespace: object(
    {
      name: text,
      kind: { const: "snowflake" },
      preset: text,
      layout,
      policy,
      shards,
      regions: list(text),
      keyShards,
      ...common,
    },
    ["createdAt"],
  ),
  ...LEASE_SCHEMAS,
  Namespaces: object({ namespaces: list(ref("Namespace")), cursor: text }, ["cursor"]),
  Key: object(keyFields, ["name", "namespaces", "expiresAt"]),
  NewKey: object({ key: text, ...keyFields }, ["name", "namespaces", "expiresAt"]),
  Keys: object({ keys: list(ref("Key")), cursor: text }, ["cursor"]),
  ...DIALECT_SCHEMAS,
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
        description: "true: rejected before any ID was issued; false: IDs may have been skipped",
      },
      retryAfterMs: whole,
      errors: list(
        object(
          {
            parameter: text,
            field: text,
            detail: text,
            min: { type: "number" },
            max: { type: "number" },
            allowed: list({ type: ["string", "number"] }),
          },
          ["parameter", "field", "min", "max", "allowed"],
        ),
      ),
      conflict: object({ stored: { type: "object" }, wished: { type: "object" } }),
    },
    ["retryAfterMs", "errors", "conflict"],
  ),
};
