/** Prose and examples of the OpenAPI document. */

import { LEASE_TOKEN_HEADER } from "../core/lease/worker-lease.ts";
import { NAMESPACE_NAME } from "../core/namespace/namespace.ts";
import type { ProblemCode } from "../core/problem.ts";
import type { Schema } from "./shapes.ts";

interface Notes {
  readonly about: string;
  readonly bearer: string;
  readonly token: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string>>;
  /** Defaults of query parameters, by name. That of `limit` is its maximum. */
  readonly parameterDefaults: Readonly<Record<string, unknown>>;
  readonly pathParameters: Readonly<Record<string, Schema>>;
  readonly idempotencyKey: Schema;
  readonly leaseToken: Schema;
  readonly issuedHeaders: Schema;
  readonly problemHeaders: Readonly<Record<string, Schema>>;
  readonly codes: Readonly<Record<ProblemCode, string>>;
}

export const NOTES: Notes = {
  about:
    "IDs are strings in JSON. Issuing works the same with GET and POST: parameters in the query, no body. Errors are RFC 9457 problem details.",
  bearer:
    "An API key or the admin key. Not needed if the deployment sets ACCESS=open. Scopes: issue, read, lease, admin.",
  token: "The same key in the query; only the routes of Leaf and TinyID accept it there.",
  tags: {
    Issuing: "IDs and blocks of IDs (scope issue)",
    Reading: "Decoding IDs, and ID ranges of times (scope read)",
    Administering: "Namespaces (reading: scope read) and API keys (scope admin)",
    Operating: "Shards (scope read), health and documentation (no key)",
    Leasing: "Worker IDs for processes that create IDs themselves (scope lease)",
    Dialects: "The routes of Meituan Leaf and Didi TinyID, for their clients (scope issue)",
  },
  parameters: {
    count:
      "Number of IDs; at most the number that an idle shard of the namespace can issue within maxWaitMs",
    encoding:
      "Text form of the ID; number only in layouts of at most 53 bits, and in segments whose max is at most 2^53 − 1",
    format: "json or text; overrides Accept. Text allows counts up to 1,000,000",
    shard: "The shard that issues, by its worker ID; key and shard are mutually exclusive",
    key: "IDs for one key strictly increase; at most 512 bytes; key and shard are mutually exclusive",
    order:
      "fresh: IDs may come from memory. strict: the IDs that one shard issues in strict order strictly increase; the header edgeflake-shard names it.",
    from: "Start of the time range, inclusive: ISO 8601 or unix ms",
    limit: "Items per page",
    cursor: "The cursor of the previous page",
    until:
      "End of the time range, exclusive: ISO 8601 or unix ms. For a release: start of the first tick without an ID",
    revoke: "true: revokes the lease without its token (scope admin)",
    token: "An API key, if the deployment uses keys. Only these routes accept a key in the query",
    snowflakeId: "An ID of the preset leaf",
    bizType: "The name of a namespace of the kind segment",
    batchSize: "Number of IDs; values above 100,000 count as 100,000",
  },
  parameterDefaults: {
    count: 1,
    encoding: "decimal",
    format: "json",
    order: "fresh",
    revoke: "false",
    batchSize: "1",
  },
  pathParameters: {
    namespace: {
      description: "The name of a namespace",
      schema: { type: "string", pattern: NAMESPACE_NAME.source },
    },
    id: {
      description: "An ID in the given encoding; for keys, the id of the key",
      schema: { type: "string" },
    },
    key: { description: "The name of a namespace", schema: { type: "string" } },
    worker: { description: "A leased worker ID", schema: { type: "integer", minimum: 0 } },
    shard: { description: "A worker ID", schema: { type: "integer", minimum: 0 } },
  },
  idempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "A request repeated with the same key gets the same response: segment IDs for 24 hours, a lease while it is held. A different request with the same key gets idempotency_conflict",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
  leaseToken: {
    name: LEASE_TOKEN_HEADER,
    in: "header",
    required: false,
    description: "The token of the lease; not needed with revoke=true",
    schema: { type: "string" },
  },
  issuedHeaders: {
    "edgeflake-shard": {
      description: "The shard that issued the IDs; absent on streams from several shards",
      schema: { type: "integer", minimum: 0 },
    },
  },
  problemHeaders: {
    401: { "www-authenticate": { schema: { type: "string" } } },
    403: {
      "retry-after": {
        description: "Seconds until a retry can succeed; absent if time does not help",
        schema: { type: "integer" },
      },
    },
    405: { allow: { schema: { type: "string" } } },
    429: {
      "retry-after": {
        description: "Seconds until a retry can succeed",
        schema: { type: "integer" },
      },
    },
    503: {
      "retry-after": {
        description: "Seconds until a retry can succeed",
        schema: { type: "integer" },
      },
    },
  },
  codes: {
    body_too_large: "Send a smaller body.",
    builtin_namespace: "Built-in namespaces can't be changed; create one with another name.",
    clock_before_epoch: "The machine's clock is wrong, or the epoch lies in the future.",
    clock_behind: "The clock went back; retry after retryAfterMs.",
    clock_disagreement: "The shard's clock is ahead of the caller's; retry after retryAfterMs.",
    exhausted: "The segment has issued all numbers up to its max; raise max, or request fewer.",
    forbidden:
      "Use a key that has the scope in detail and may use this namespace. If a key reached its lease limit: release leases, or raise the namespace's leasesPerKeyMax.",
    idempotency_conflict: "Repeat the original request, or send another Idempotency-Key.",
    internal: "Internal error; the log has a line with the requestId. IDs may have been skipped.",
    invalid_body: "errors lists every rejected field with its allowed values.",
    invalid_parameter: "errors lists every rejected parameter with its allowed values.",
    lease_lost: "Stop using this worker ID, and acquire another lease.",
    layout_conflict: "The request would change a fixed field; conflict shows both values.",
    method_not_allowed: "The Allow header lists the methods of this path.",
    namespace_retired: "The namespace is retired, and its name can't be reused.",
    no_worker_free: "Retry after retryAfterMs, or release unused leases.",
    not_configured: "Set ADMIN_KEY or ACCESS=open; detail says how.",
    not_found: "Check the path: it names nothing that exists.",
    platform_limit:
      "The Cloudflare account has reached a limit of its plan, or its spending limit; raise it, or retry after retryAfterMs.",
    rate_limited: "Too many IDs, requests or unknown keys in the period; retry after retryAfterMs.",
    registry_unavailable: "The registry does not answer; retry after retryAfterMs.",
    shard_overloaded: "The shard's queue is full; retry after retryAfterMs.",
    shard_unavailable: "The object failed or did not answer in time; retry after retryAfterMs.",
    shard_saturated:
      "The shard can't issue that many IDs within maxWaitMs; retry after retryAfterMs.",
    timestamp_exhausted: "The layout's time range is used up; move to another namespace.",
    unauthorized: "Send Authorization: Bearer KEY, with a valid key.",
    unknown_namespace: "No namespace has this name; create it with PUT /v1/namespaces/{namespace}.",
    unsupported_media_type: "Send application/json in UTF-8.",
    wrong_kind: "Segment namespaces have no times and no leases; use a snowflake namespace.",
  },
};
