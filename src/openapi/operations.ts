/** Every route of the service, as the OpenAPI document describes it. */

import { PATCH_TYPES } from "../http/parse/body.ts";
import { NamespaceBody, NamespacePatchBody } from "../http/parse/namespace-body.ts";
import { KEYS_QUERY, KeyBody } from "../http/routes/keys.ts";
import { LEASES_QUERY, LeaseBody, RELEASE_QUERY, RenewalBody } from "../http/routes/leases.ts";
import { NAMESPACES_QUERY } from "../http/routes/namespaces.ts";
import { RANGE_QUERY } from "../http/routes/range.ts";
import { SHARDS_QUERY } from "../http/routes/shards.ts";
import { DECODE_QUERY } from "../service/issue/decode.ts";
import { BLOCKS_QUERY, IDS_QUERY } from "../service/issue/issue-request.ts";
import { DIALECTS } from "./dialects.ts";
import { BODIES, NAMESPACES } from "./examples.ts";
import { type Operation, type Operations, op } from "./operation.ts";
import { DESK, FENCING, ISSUING, READING, WRITING } from "./problems.ts";
import { NOTES } from "./texts.ts";

const ids = {
  tag: "Issuing",
  scope: "issue",
  description: "Issues IDs, as JSON, or as text with one ID per line",
  query: IDS_QUERY,
  headers: [NOTES.idempotencyKey],
  answers: {
    200: {
      schema: "Ids",
      also: "text/plain",
      alsoExample: "250271962675298304\n250271962675298305\n",
      headers: NOTES.issuedHeaders,
    },
  },
  errors: ISSUING,
} as const;
const blocks = {
  tag: "Issuing",
  scope: "issue",
  description: "Issues blocks: runs of consecutive IDs that the caller counts through",
  query: BLOCKS_QUERY,
  headers: [NOTES.idempotencyKey],
  answers: { 200: { schema: "Blocks", headers: NOTES.issuedHeaders } },
  errors: ISSUING,
} as const;

/** A static asset. A deployment may omit it. */
function page(id: string, description: string, also: string): Operation {
  const answers = { 200: { also } };
  return { id, tag: "Operating", description, answers, errors: ["not_found"], open: true };
}

/** All operations by path and method. */
export const OPERATIONS: Operations = {
  "/v1/ids/{namespace}": { get: { id: "getIds", ...ids }, post: { id: "postIds", ...ids } },
  "/v1/blocks/{namespace}": {
    get: { id: "getBlocks", ...blocks },
    post: { id: "postBlocks", ...blocks },
  },
  "/v1/decode/{namespace}/{id}": {
    get: op("decodeId", "Reading", "Decodes an ID", {
      scope: "read",
      query: DECODE_QUERY,
      answers: { 200: { schema: "Decoded" } },
      errors: READING,
    }),
  },
  "/v1/range/{namespace}": {
    get: op(
      "getRange",
      "Reading",
      "Returns the smallest and largest ID whose time is in [from, until)",
      {
        scope: "read",
        query: RANGE_QUERY,
        answers: { 200: { schema: "Range" } },
        errors: [...READING, "wrong_kind"],
      },
    ),
  },
  "/v1/shards/{namespace}": {
    get: op("listShards", "Operating", "Lists the status of the shards; the request wakes them", {
      scope: "read",
      query: SHARDS_QUERY,
      answers: { 200: { schema: "Shards" } },
      errors: [
        ...READING,
        "layout_conflict",
        "shard_overloaded",
        "shard_unavailable",
        "platform_limit",
      ],
    }),
  },
  "/v1/shards/{namespace}/{shard}": {
    get: op("getShard", "Operating", "Returns the status of one shard", {
      scope: "read",
      answers: { 200: { schema: "AnyShard" } },
      errors: [
        ...READING,
        "not_found",
        "layout_conflict",
        "shard_overloaded",
        "shard_unavailable",
        "platform_limit",
      ],
    }),
  },
  "/v1/namespaces": {
    get: op("listNamespaces", "Administering", "Lists namespaces", {
      scope: "read",
      query: NAMESPACES_QUERY,
      answers: { 200: { schema: "Namespaces" } },
      errors: ["invalid_parameter", "registry_unavailable"],
    }),
  },
  "/v1/namespaces/{namespace}": {
    get: op("getNamespace", "Administering", "Returns a namespace", {
      scope: "read",
      answers: { 200: { schema: "Namespace" } },
      errors: READING,
    }),
    put: op(
      "putNamespace",
      "Administering",
      "Creates a namespace, changes its policy, or adds shards",
      {
        scope: "admin",
        body: NamespaceBody,
        bodyVariants: NAMESPACES,
        answers: { 200: { schema: "Namespace" }, 201: { schema: "Namespace" } },
        errors: [...WRITING, "builtin_namespace", "layout_conflict", "namespace_retired"],
      },
    ),
    patch: op(
      "patchNamespace",
      "Administering",
      "Changes only those fields of a namespace that the body has",
      {
        scope: "admin",
        body: NamespacePatchBody,
        bodyExample: BODIES.namespacePatch,
        bodyTypes: PATCH_TYPES,
        answers: { 200: { schema: "Namespace" } },
        errors: [
          ...WRITING,
          ...READING,
          "builtin_namespace",
          "layout_conflict",
          "namespace_retired",
        ],
      },
    ),
    delete: op("retireNamespace", "Administering", "Retires a namespace and its name for ever", {
      scope: "admin",
      answers: { 204: {} },
      errors: [...READING, "builtin_namespace"],
    }),
  },
  "/v1/leases/{namespace}": {
    post: op("acquireLease", "Leasing", "Leases a worker ID", {
      scope: "lease",
      headers: [NOTES.idempotencyKey],
      body: LeaseBody,
      bodyExample: { holder: "pod-7", ttlMs: 60_000 },
      answers: { 201: { schema: "Lease" } },
      errors: [...FENCING, "idempotency_conflict", "no_worker_free"],
    }),
    get: op("listLeases", "Leasing", "Lists the last lease of each worker ID", {
      scope: "lease",
      query: LEASES_QUERY,
      answers: { 200: { schema: "Leases" } },
      errors: [...READING, ...DESK],
    }),
  },
  "/v1/leases/{namespace}/{worker}": {
    put: op(
      "renewLease",
      "Leasing",
      "Renews a lease; without a body, for the same ttlMs as before",
      {
        scope: "lease",
        headers: [NOTES.leaseToken],
        body: RenewalBody,
        isBodyOptional: true,
        bodyExample: { ttlMs: 60_000 },
        answers: { 200: { schema: "Lease" } },
        errors: [...FENCING, "lease_lost", "not_found"],
      },
    ),
    delete: op("releaseLease", "Leasing", "Releases a lease", {
      scope: "lease",
      query: RELEASE_QUERY,
      headers: [NOTES.leaseToken],
      answers: { 204: {} },
      errors: [...READING, ...DESK, "lease_lost", "not_found"],
    }),
  },
  "/v1/keys": {
    post: op(
      "createKey",
      "Administering",
      "Creates an API key; the key itself is shown only in this response",
      {
        scope: "admin",
        body: KeyBody,
        bodyExample: BODIES.key,
        answers: { 201: { schema: "NewKey" } },
        errors: WRITING,
      },
    ),
    get: op("listKeys", "Administering", "Lists API keys, without the keys themselves", {
      scope: "admin",
      query: KEYS_QUERY,
      answers: { 200: { schema: "Keys" } },
      errors: ["invalid_parameter", "registry_unavailable"],
    }),
  },
  "/v1/keys/{id}": {
    delete: op(
      "revokeKey",
      "Administering",
      "Revokes an API key; takes effect everywhere within 30 s",
      {
        scope: "admin",
        answers: { 204: {} },
        errors: ["invalid_parameter", "not_found", "registry_unavailable"],
      },
    ),
  },
  ...DIALECTS,
  "/healthz": {
    get: op("getHealth", "Operating", "Checks that the service answers", {
      answers: { 200: { schema: "Health" } },
      errors: [],
      open: true,
    }),
  },
  "/openapi.json": { get: page("getOpenApi", "This document", "application/json") },
  "/": { get: page("getConsole", "The console, as a page", "text/html") },
  "/docs": { get: page("getDocs", "This document as a page", "text/html") },
};
