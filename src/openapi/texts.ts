/** Prose and examples of the OpenAPI document. */

import { LEASE_TOKEN_HEADER } from "../core/lease/worker-lease.ts";
import { NAMESPACE_NAME } from "../core/namespace/namespace.ts";
import type { ProblemCode } from "../core/problem.ts";
import type { Schema } from "./shapes.ts";

export type Example = unknown;

interface Notes {
  readonly about: string;
  readonly bearer: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string>>;
  readonly pathParameters: Readonly<Record<string, Schema>>;
  readonly idempotencyKey: Schema;
  readonly leaseToken: Schema;
  readonly issuedHeaders: Schema;
  readonly problemHeaders: Readonly<Record<string, Schema>>;
  readonly codes: Readonly<Record<ProblemCode, string>>;
}

export const NOTES: Notes = {
  about:
    "IDs are strings in JSON. GET and POST are alike for issuing: parameters in the query, no body. Errors are RFC 9457 problem details.",
  bearer:
    "An API key, or the admin key. Not needed where the deployment has ACCESS=open. Scopes: issue, read, lease, admin.",
  tags: {
    Issuing: "IDs and blocks of IDs (scope issue)",
    Reading: "What IDs say (scope read)",
    Operating: "Shards (scope read), health and documentation (no key)",
    Leasing: "Worker IDs for processes that mint themselves (scope lease)",
    Dialects: "The routes of Meituan Leaf and Didi TinyID, for their clients (a key's scope issue)",
    Administering: "Namespaces (reading: scope read) and API keys (scope admin)",
  },
  parameters: {
    count: "How many IDs; at most what an idle line of the namespace opens at once",
    encoding: "How IDs are written; number only in layouts of at most 53 bits",
    format: "json or text; wins over Accept. Text takes counts up to 1,000,000",
    shard: "The worker ID to ask; not together with key",
    key: "IDs for one key strictly increase; not together with shard",
    order: "strict: IDs of the shard named in the answer strictly increase",
    from: "Begin of the time, inclusive: ISO 8601 or unix ms",
    limit: "How many a page",
    cursor: "The cursor of the page before",
    until:
      "End of the time, exclusive: ISO 8601 or unix ms; of a release, the begin of the first tick that was not stamped",
    revoke: "true: an administrator takes the lease back, without its token",
    token: "A key, where the deployment takes keys: only these routes take it here",
    snowflakeId: "An ID of the preset leaf",
    bizType: "The name of a namespace of the kind segment",
    batchSize: "How many IDs, default 1; above 100,000 it counts as that",
  },
  pathParameters: {
    namespace: {
      description: "A built-in or own namespace",
      schema: { type: "string", pattern: NAMESPACE_NAME.source },
    },
    id: {
      description: "An ID in the encoding asked for; of a key, its id",
      schema: { type: "string" },
    },
    key: { description: "The name of a namespace", schema: { type: "string" } },
    worker: { description: "A worker ID on lease", schema: { type: "integer", minimum: 0 } },
    shard: { description: "A worker ID", schema: { type: "integer", minimum: 0 } },
  },
  idempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "A request repeated with its key gets the same answer: numbers of segments for 24 hours, a lease while it is held. Another request with its key is idempotency_conflict",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
  leaseToken: {
    name: LEASE_TOKEN_HEADER,
    in: "header",
    required: false,
    description: "The token of the lease; not needed by an administrator who revokes",
    schema: { type: "string" },
  },
  issuedHeaders: {
    "edgeflake-shard": {
      description: "The shard that answered; absent on streams over several",
      schema: { type: "integer", minimum: 0 },
    },
  },
  problemHeaders: {
    401: { "www-authenticate": { schema: { type: "string" } } },
    403: {
      "retry-after": { description: "Whole seconds, if time helps", schema: { type: "integer" } },
    },
    405: { allow: { schema: { type: "string" } } },
    429: { "retry-after": { description: "Whole seconds", schema: { type: "integer" } } },
    503: { "retry-after": { description: "Whole seconds", schema: { type: "integer" } } },
  },
  codes: {
    body_too_large: "Send a smaller body.",
    builtin_namespace: "Built-in namespaces never change; make one of another name.",
    clock_before_epoch: "The machine's clock is wrong, or the epoch lies in the future.",
    clock_behind: "The clock went back; try again after retryAfterMs.",
    clock_disagreement: "The shard's clock is ahead of its caller's; try again after retryAfterMs.",
    exhausted: "The segment has given out all numbers up to its max; raise max, or ask for fewer.",
    forbidden:
      "Use a key with the scope that detail names, for this namespace. A key that has all worker IDs that it may lease: release some, or raise the namespace's leasesPerKeyMax.",
    idempotency_conflict: "Repeat a request as it was, or send another Idempotency-Key.",
    internal:
      "Something failed inside; the log has a line with the requestId. IDs may have been skipped.",
    invalid_body: "errors names every bad field, with what it takes.",
    invalid_parameter: "errors names every bad parameter, with what it takes.",
    lease_lost: "Stop stamping with this worker ID, and acquire another lease.",
    layout_conflict: "What never changes would; conflict shows both sides.",
    method_not_allowed: "Allow names the methods that this path takes.",
    namespace_retired: "The namespace is retired, and its name is never used again.",
    no_worker_free: "Try again after retryAfterMs, or release leases that nobody uses.",
    not_configured: "Set ADMIN_KEY, or ACCESS=open; detail says how.",
    not_found: "There is nothing at this path.",
    rate_limited: "Too many IDs in the period; try again after retryAfterMs.",
    registry_unavailable: "The registry does not answer; try again after retryAfterMs.",
    shard_overloaded: "The shard's queue is full; try again after retryAfterMs.",
    shard_unavailable: "The object failed or did not answer in time; try again after retryAfterMs.",
    shard_saturated: "The shard has no room within its wait; try again after retryAfterMs.",
    timestamp_exhausted: "The layout's time has run out; move to another namespace.",
    unauthorized: "Send Authorization: Bearer KEY, with a key that is in force.",
    unknown_namespace: "There is no namespace of that name.",
    unsupported_media_type: "Send application/json in UTF-8.",
    wrong_kind: "Numbers of a segment have no time; ask a snowflake namespace.",
  },
};

export const EXAMPLES = {
  ids: { ids: ["249811737438601216"] },
  blocks: { blocks: [{ first: "249811737665085440", count: 100 }], shard: 2, freshForMs: 250 },
  namespaceBody: { kind: "snowflake", preset: "default", policy: { maxWaitMs: 100 }, shards: 16 },
  namespacePatch: { policy: { maxStepBackMs: 14_400_000, maxWaitMs: null } },
  keyBody: { name: "shop", scopes: ["issue"], namespaces: ["orders"] },
} as const;
