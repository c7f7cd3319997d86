/** Every route of the service, and what the OpenAPI document says of it. */
import { DECODE_QUERY } from "../http/decode.ts";
import { BLOCKS_QUERY, IDS_QUERY } from "../http/issue-query.ts";
import { KEYS_QUERY, KeyBody } from "../http/keys.ts";
import { NamespaceBody } from "../http/namespace-body.ts";
import { NAMESPACES_QUERY } from "../http/namespaces.ts";
import type { ProblemCode } from "../http/problem.ts";
import { RANGE_QUERY } from "../http/range.ts";
import { SHARDS_QUERY } from "../http/shards.ts";
import { DIALECTS } from "./dialects.ts";
import { LEASING } from "./leasing.ts";
import type { Operation, Operations } from "./operation.ts";
import { READING, WRITING } from "./problems.ts";
import { EXAMPLES, NOTES } from "./texts.ts";

const ISSUING: readonly ProblemCode[] = [
  "invalid_parameter",
  "invalid_body",
  "unknown_namespace",
  "layout_conflict",
  "namespace_retired",
  "rate_limited",
  "timestamp_exhausted",
  "clock_before_epoch",
  "clock_behind",
  "clock_disagreement",
  "exhausted",
  "idempotency_conflict",
  "shard_saturated",
  "shard_overloaded",
  "shard_unavailable",
  "registry_unavailable",
];
const ids = {
  tag: "Issuing",
  summary: "IDs, as JSON or one a line as text",
  query: IDS_QUERY,
  headers: [NOTES.idempotencyKey],
  answers: {
    200: { schema: "Ids", also: "text/plain", example: EXAMPLES.ids, headers: NOTES.issuedHeaders },
  },
  errors: ISSUING,
};
const blocks = {
  tag: "Issuing",
  summary: "Runs of consecutive IDs, for callers that count themselves",
  query: BLOCKS_QUERY,
  headers: [NOTES.idempotencyKey],
  answers: { 200: { schema: "Blocks", example: EXAMPLES.blocks, headers: NOTES.issuedHeaders } },
  errors: ISSUING,
};

/** A static asset, which a deployment may leave out. */
function page(id: string, summary: string, also: string): Operation {
  const answers = { 200: { also } };
  return { id, tag: "Operating", summary, answers, errors: ["not_found"], open: true };
}

/** Path, method and what is to be said of it. */
export const OPERATIONS: Operations = {
  "/v1/ids/{namespace}": { get: { id: "getIds", ...ids }, post: { id: "postIds", ...ids } },
  "/v1/blocks/{namespace}": {
    get: { id: "getBlocks", ...blocks },
    post: { id: "postBlocks", ...blocks },
  },
  "/v1/decode/{namespace}/{id}": {
    get: {
      id: "decodeId",
      tag: "Reading",
      summary: "What an ID says",
      query: DECODE_QUERY,
      answers: { 200: { schema: "Decoded" } },
      errors: READING,
    },
  },
  "/v1/range/{namespace}": {
    get: {
      id: "getRange",
      tag: "Reading",
      summary: "The smallest and largest ID whose time is in [from, until)",
      query: RANGE_QUERY,
      answers: { 200: { schema: "Range" } },
      errors: [...READING, "wrong_kind"],
    },
  },
  "/v1/shards/{namespace}": {
    get: {
      id: "listShards",
      tag: "Operating",
      summary: "How the shards are; asking wakes them",
      query: SHARDS_QUERY,
      answers: { 200: { schema: "Shards" } },
      errors: [...READING, "layout_conflict", "shard_overloaded", "shard_unavailable"],
    },
  },
  "/v1/shards/{namespace}/{shard}": {
    get: {
      id: "getShard",
      tag: "Operating",
      summary: "How one shard is",
      answers: { 200: { schema: "AnyShard" } },
      errors: [...READING, "not_found", "layout_conflict", "shard_overloaded", "shard_unavailable"],
    },
  },
  "/v1/namespaces": {
    get: {
      id: "listNamespaces",
      tag: "Administering",
      summary: "Built-in and own namespaces",
      query: NAMESPACES_QUERY,
      answers: { 200: { schema: "Namespaces" } },
      errors: ["invalid_parameter", "registry_unavailable"],
    },
  },
  "/v1/namespaces/{namespace}": {
    get: {
      id: "getNamespace",
      tag: "Administering",
      summary: "One namespace",
      answers: { 200: { schema: "Namespace" } },
      errors: READING,
    },
    put: {
      id: "putNamespace",
      tag: "Administering",
      summary: "Creates a namespace, or changes its policy or adds shards",
      body: NamespaceBody,
      bodyExample: EXAMPLES.namespaceBody,
      answers: { 200: { schema: "Namespace" }, 201: { schema: "Namespace" } },
      errors: [...WRITING, "builtin_namespace", "layout_conflict", "namespace_retired"],
    },
    delete: {
      id: "retireNamespace",
      tag: "Administering",
      summary: "Retires a namespace and its name for ever",
      answers: { 204: {} },
      errors: [...READING, "builtin_namespace"],
    },
  },
  ...LEASING,
  "/v1/keys": {
    post: {
      id: "createKey",
      tag: "Administering",
      summary: "Makes an API key; its text is shown this once",
      body: KeyBody,
      bodyExample: EXAMPLES.keyBody,
      answers: { 201: { schema: "NewKey" } },
      errors: WRITING,
    },
    get: {
      id: "listKeys",
      tag: "Administering",
      summary: "The API keys, without their texts",
      query: KEYS_QUERY,
      answers: { 200: { schema: "Keys" } },
      errors: ["invalid_parameter", "registry_unavailable"],
    },
  },
  "/v1/keys/{id}": {
    delete: {
      id: "revokeKey",
      tag: "Administering",
      summary: "Revokes an API key, everywhere within 30 s",
      answers: { 204: {} },
      errors: ["invalid_parameter", "not_found", "registry_unavailable"],
    },
  },
  ...DIALECTS,
  "/healthz": {
    get: {
      id: "getHealth",
      tag: "Operating",
      summary: "Whether the service answers",
      answers: { 200: { schema: "Health" } },
      errors: [],
      open: true,
    },
  },
  "/openapi.json": { get: page("getOpenApi", "This document", "application/json") },
  "/": { get: page("getConsole", "The console, a page for people", "text/html") },
  "/docs": { get: page("getDocs", "This document as a page", "text/html") },
};
