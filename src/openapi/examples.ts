/** Examples of the OpenAPI document: recorded from a running service. A test checks them against their schemas. */
import type { Schemas } from "./shapes.ts";

export type Example = unknown;

const LAYOUT = {
  timestampBits: 41,
  datacenterBits: 0,
  workerBits: 10,
  laneBits: 0,
  sequenceBits: 12,
  epochMs: 1_735_689_600_000,
  tickMs: 1,
};
const POLICY = {
  maxStepBackMs: 3_600_000,
  maxBorrowMs: 1000,
  maxWaitMs: 100,
  randomStart: 0,
  reserveMs: 1000,
  freshForMs: 250,
  leaseTtlMaxMs: 600_000,
  leasesPerKeyMax: 256,
};
const ORDERS = {
  name: "orders",
  kind: "snowflake",
  preset: "default",
  layout: LAYOUT,
  policy: POLICY,
  shards: 16,
  regions: ["enam", "wnam", "weur", "apac"],
  keyShards: 16,
  builtIn: false,
  retired: false,
  createdAt: "2026-11-22T14:51:26.586Z",
};
const INVOICES = {
  name: "invoices",
  kind: "segment",
  step: 1000,
  start: "1",
  max: "9223372036854775807",
  delta: 1,
  remainder: 0,
  description: "Invoice numbers",
  builtIn: false,
  retired: false,
  createdAt: "2026-11-22T14:51:26.799Z",
};
const SHARD = {
  shard: 0,
  region: "enam",
  clock: 1_795_359_087_697,
  lanes: [{ lane: 0, next: 244_406_221_606_912, mark: 244_406_225_702_912, lead: 0, leadMs: 0 }],
  counters: {
    issued: 120_000,
    grants: 240,
    waits: 0,
    rollbacks: 0,
    writes: 12,
    refusals: {},
    maxLeadMs: 0,
    writesPerIssued: 0.0001,
  },
};
const KEY = {
  id: "C0PKzwCRkTRi",
  name: "shop",
  scopes: ["issue"],
  namespaces: ["orders"],
  createdAt: "2026-11-22T14:51:28.927Z",
};

/** The body of a successful response, by the name of its schema. */
export const ANSWERS: Schemas = {
  Health: { status: "ok" },
  Ids: { ids: ["250271961920323584", "250271961920323585", "250271961920323586"] },
  Blocks: {
    blocks: [{ first: "250271963392524288", count: 100 }],
    shard: 4,
    freshForMs: 250,
  },
  Range: { first: "132271570944000000", last: "143505594777599999" },
  Shards: { shards: [SHARD], cursor: "1" },
  Namespaces: { namespaces: [ORDERS] },
  Lease: {
    namespace: "orders",
    worker: 512,
    token: "uQO1aNAfXiEZlFVR9cEVLb7rMiw8oIDz",
    holder: "pod-7",
    ttlMs: 60_000,
    notBefore: 1_795_359_088_323,
    notAfter: 1_795_359_148_323,
    renewAfter: 1_795_359_118_323,
    now: 1_795_359_088_323,
    layout: LAYOUT,
    policy: POLICY,
  },
  Leases: {
    leases: [
      {
        worker: 512,
        holder: "pod-7",
        state: "held",
        notBefore: 1_795_359_088_323,
        notAfter: 1_795_359_148_323,
        leftMs: 59_939,
        restedMs: 0,
      },
    ],
  },
  NewKey: { key: "efk_T4eBu8epG6i6AiVk8ASY4QVMB5sry3mlJu1MiF", ...KEY },
  Keys: { keys: [KEY] },
  LeafError: {
    timestamp: 1_795_359_089_009,
    status: 500,
    error: "Internal Server Error",
    exception: "com.sankuai.inf.leaf.server.exception.LeafServerException",
    message: "Result{id=-2, status=EXCEPTION}",
    path: "/api/segment/get/nothing",
  },
  LeafDecoded: {
    timestamp: "1567733700834(2019-09-06 09:35:00.834)",
    sequenceId: "3448",
    workerId: "39",
  },
  TinyIds: { data: [4, 5], code: 200, message: "" },
  TinySegment: {
    data: { maxId: 2000, loadingId: 1200, currentId: 1000, delta: 1, remainder: 0 },
    code: 200,
    message: "",
  },
};

/** The same for schemas with several kinds of body: one of each kind. */
export const VARIANTS: Readonly<Record<string, Schemas>> = {
  Decoded: {
    snowflake: {
      id: "250271963954561024",
      kind: "snowflake",
      time: "2026-11-22T14:51:26.035Z",
      unixMs: 1_795_359_086_035,
      tick: 59_669_486_035,
      worker: 4,
      shard: 4,
      lane: 0,
      sequence: 0,
      encodings: {
        decimal: "250271963954561024",
        hex: "379250674c04000",
        base32: "6Y950STC0G00",
        base36: "1wga090jxce8",
        base58: "ahHd7Bb2mu",
        base62: "IUFOGwyIMa",
      },
    },
    segment: { id: "42", kind: "segment", value: "42" },
  },
  AnyShard: {
    snowflake: SHARD,
    segment: {
      shard: 0,
      max_id: "1001",
      step: 1000,
      delta: 1,
      remainder: 0,
      start: "1",
      max: "9223372036854775807",
      description: "Invoice numbers",
      update_time: "2026-11-22T14:51:27.402Z",
      fetches: [{ time: "2026-11-22T14:51:27.402Z", from: "1", until: "1001" }],
      counters: { issued: 1000, fetches: 1, exact: 0, repeats: 0, refusals: {} },
    },
  },
  Namespace: { snowflake: ORDERS, segment: INVOICES },
};

/** Values of parameters, by operationId. */
const PARAMETERS: Readonly<Record<string, Schemas[string]>> = {
  getIds: { namespace: "orders", count: 3 },
  getBlocks: { namespace: "orders", count: 100 },
  decodeId: { namespace: "orders", id: "250271963954561024" },
  getRange: { namespace: "orders", from: "2026-01-01", until: "2026-02-01" },
  listShards: { namespace: "orders", limit: 1 },
  getShard: { namespace: "orders", shard: 0 },
  getNamespace: { namespace: "orders" },
  putNamespace: { namespace: "orders" },
  patchNamespace: { namespace: "orders" },
  retireNamespace: { namespace: "orders" },
  acquireLease: { namespace: "orders" },
  listLeases: { namespace: "orders" },
  renewLease: {
    namespace: "orders",
    worker: 512,
    "edgeflake-lease-token": "uQO1aNAfXiEZlFVR9cEVLb7rMiw8oIDz",
  },
  releaseLease: {
    namespace: "orders",
    worker: 512,
    "edgeflake-lease-token": "uQO1aNAfXiEZlFVR9cEVLb7rMiw8oIDz",
  },
  revokeKey: { id: "C0PKzwCRkTRi" },
  leafSegment: { key: "invoices" },
  leafSnowflake: { key: "orders" },
  leafDecode: { snowflakeId: "1169786042799259000" },
  tinyNextId: { bizType: "invoices", batchSize: "2" },
  tinyNextIdSimple: { bizType: "invoices", batchSize: "2" },
  tinyNextSegmentId: { bizType: "invoices" },
  tinyNextSegmentIdSimple: { bizType: "invoices" },
};

/** Example values of an operation's parameters, by name. */
export function parameterExamples(operationId: string): Readonly<Record<string, Example>> {
  const id = operationId.replace(/ByPost$/, "").replace(/^post/, "get");
  return PARAMETERS[id] ?? {};
}

/** Bodies of requests that create a namespace. */
export const NAMESPACES: Schemas = {
  snowflake: { kind: "snowflake", preset: "default", policy: { maxWaitMs: 100 }, shards: 16 },
  segment: { kind: "segment", description: "Invoice numbers" },
};
/** Other bodies of requests. */
export const BODIES = {
  namespacePatch: { policy: { maxStepBackMs: 14_400_000, maxWaitMs: null } },
  key: { name: "shop", scopes: ["issue"], namespaces: ["orders"] },
} as const;
