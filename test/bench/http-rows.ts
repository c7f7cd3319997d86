/** What is measured over HTTP, from the least a Worker can do to what Edgeflake does. */
import type { SocketName } from "./workerd-process.ts";

export interface HttpRow {
  readonly id: string;
  readonly name: string;
  readonly socket: SocketName;
  readonly path: string;
  /** Send the key that may issue. */
  readonly withKey?: boolean;
  /** 16, unless said otherwise. */
  readonly connections?: number;
  /** IDs that one answer is worth; none, where it is worth none. */
  readonly ids?: number;
  /** Send at this rate, instead of as fast as the answers come. */
  readonly perSecond?: number;
}

export const CONNECTIONS = 16;
/** Of 64 shards in one region, since one shard gives at most 4,096 IDs per ms. */
export const BATCH_NAMESPACE = "bench";
export const STREAM_PATH = `/v1/ids/${BATCH_NAMESPACE}?count=1000000&format=text`;
export const SHORT_STREAM_PATH = `/v1/ids/${BATCH_NAMESPACE}?count=1&format=text`;

/** A row and what it is held against stand side by side, so that they see the same machine. */
const ROWS = [
  { id: "bare", name: "bare fetch handler", socket: "bare", path: "/" },
  { id: "hello", name: "Hono hello", socket: "honoHello", path: "/" },
  { id: "json", name: "Hono JSON constant", socket: "honoJson", path: "/" },
  {
    id: "jsonHeaders",
    name: "the same with our headers",
    socket: "honoJsonHeaders",
    path: "/",
  },
  { id: "fresh", name: "single, fresh", socket: "fresh", path: "/v1/ids/default", ids: 1 },
  {
    id: "freshWithKey",
    name: "single, fresh, key auth",
    socket: "keys",
    path: "/v1/ids/default",
    withKey: true,
    ids: 1,
  },
  { id: "noop", name: "Hono → no-op RPC", socket: "honoNoop", path: "/" },
  {
    id: "noopHeaders",
    name: "the same with our headers, arguments",
    socket: "honoNoopHeaders",
    path: "/",
  },
  {
    id: "strict",
    name: "single, strict",
    socket: "strict",
    path: "/v1/ids/default?order=strict",
    ids: 1,
  },
  { id: "rowPerId", name: "row-per-ID Durable Object", socket: "rowPerId", path: "/", ids: 1 },
  {
    id: "batch1000",
    name: "batch 1,000 JSON",
    socket: "batches",
    path: `/v1/ids/${BATCH_NAMESPACE}?count=1000`,
    ids: 1000,
  },
  {
    id: "batch10000",
    name: "batch 10,000 JSON",
    socket: "batches",
    path: `/v1/ids/${BATCH_NAMESPACE}?count=10000`,
    ids: 10_000,
  },
  {
    id: "constantBatch",
    name: "no-op RPC, constant 10,000",
    socket: "honoBatch",
    path: "/batch",
    ids: 10_000,
  },
  {
    id: "blocks",
    name: "blocks of 1,000",
    socket: "batches",
    path: `/v1/blocks/${BATCH_NAMESPACE}?count=1000`,
    ids: 1000,
  },
  {
    id: "stream",
    name: "text stream 1,000,000",
    socket: "batches",
    path: STREAM_PATH,
    connections: 2,
    ids: 1_000_000,
  },
  {
    id: "freshAtRate",
    name: "single, fresh, at 1,000/s",
    socket: "fresh",
    path: "/v1/ids/default",
    ids: 1,
    perSecond: 1000,
  },
] as const satisfies readonly HttpRow[];

export type RowId = (typeof ROWS)[number]["id"];
export const HTTP_ROWS: readonly (HttpRow & { readonly id: RowId })[] = ROWS;

/** Of requests a second, taken within each round; the targets carry the same ids. */
const RATIO_TABLE = [
  { id: "freshToJson", above: "fresh", below: "json" },
  { id: "freshWithKeyToJson", above: "freshWithKey", below: "json" },
  { id: "strictToNoop", above: "strict", below: "noop" },
  { id: "strictToRowPerId", above: "strict", below: "rowPerId" },
  { id: "batchToConstant", above: "batch10000", below: "constantBatch" },
] as const satisfies readonly { id: string; above: RowId; below: RowId }[];

export type RatioId = (typeof RATIO_TABLE)[number]["id"];
export const RATIOS: readonly {
  readonly id: RatioId;
  readonly above: RowId;
  readonly below: RowId;
}[] = RATIO_TABLE;
