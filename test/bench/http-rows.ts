/** The HTTP rows, from the least that a Worker can do to Edgeflake. */
import type { WorkerName } from "./server.ts";

/** By their Worker. Each is a process of its own, so that its CPU time and its garbage are its own. */
export const SERVERS = {
  baselines: ["light", "noop", "rowPerId", "constantBatch"],
  keys: ["keys"],
  open: [
    "fresh",
    "strict",
    "batches",
    "shards1",
    "shards64",
    "shards1024",
    "namespaces100",
    "namespaces1000",
  ],
} as const satisfies Readonly<Record<WorkerName, readonly string[]>>;
type ServerName = (typeof SERVERS)[WorkerName][number];

export interface HttpRow {
  readonly name: string;
  readonly server: ServerName;
  /** Asked for in turn. */
  readonly paths: readonly string[];
  /** In one round of the quick form. */
  readonly requests: number;
  readonly connections: number;
  readonly socket?: string;
  /** IDs of one answer. */
  readonly ids?: number;
}

export const CONNECTIONS = 16;
/** Of 64 shards, since one shard gives at most 4,096 IDs per ms. */
export const BATCHES = "bench";
/** The namespace of the rows about shards. */
export const WIDE = "wide";
export const STREAM_PATH = `/v1/ids/${BATCHES}?count=1000000&format=text`;
const FRESH = "/v1/ids/default";

function row(
  name: string,
  server: ServerName,
  path: string | readonly string[],
  requests: number,
  more: { readonly socket?: string; readonly ids?: number; readonly connections?: number } = {},
): HttpRow {
  const paths = typeof path === "string" ? [path] : path;
  return { name, server, paths, requests, connections: CONNECTIONS, ...more };
}

function single(name: string, server: ServerName, path: HttpRow["paths"] | string, many = 2000) {
  return row(name, server, path, many, { ids: 1 });
}

function batch(name: string, path: string, ids: number, requests: number) {
  return row(name, "batches", `/v1/${path}`, requests, { ids });
}

function inTurn(count: number, path: (index: number) => string): string[] {
  return Array.from({ length: count }, (_, index) => path(index));
}

const shard = (index: number) => `/v1/ids/${WIDE}?shard=${index}`;
const namespace = (index: number) => `/v1/ids/n${index}`;

/** A row is next to its baseline, so that both see the same state of the machine. */
export const ROWS = {
  bare: row("bare fetch handler", "light", "/", 2000, { socket: "bare" }),
  hello: row("Hono hello", "light", "/hello", 2000),
  jsonHeaders: row("Hono JSON constant, our headers", "light", "/json-headers", 2000),
  fresh: single("single, fresh", "fresh", FRESH),
  json: row("Hono JSON constant", "light", "/json", 2000),
  freshWithKey: single("single, fresh, key auth", "keys", FRESH),
  noopHeaders: row("no-op RPC, our headers, arguments", "noop", "/noop-headers", 1000),
  noop: row("Hono → no-op RPC", "noop", "/noop", 1000),
  strict: single("single, strict", "strict", `${FRESH}?order=strict`, 1000),
  rowPerId: row("row-per-ID Durable Object", "rowPerId", "/row", 400, { ids: 1 }),
  batch1000: batch("batch 1,000 JSON", `ids/${BATCHES}?count=1000`, 1000, 800),
  blocks: batch("blocks of 1,000", `blocks/${BATCHES}?count=1000`, 1000, 800),
  batch10000: batch("batch 10,000 JSON", `ids/${BATCHES}?count=10000`, 10_000, 400),
  constantBatch: row("no-op RPC, constant 10,000", "constantBatch", "/batch", 400, { ids: 10_000 }),
  stream: row("text stream 1,000,000", "batches", STREAM_PATH, 6, {
    ids: 1_000_000,
    connections: 2,
  }),
  shards64: single("fresh, 64 shards in use", "shards64", `/v1/ids/${WIDE}`),
  shards1: single("fresh, 1 shard, 1 namespace", "shards1", `/v1/ids/${WIDE}`),
  shards1024: single("fresh, 1,024 shards in use", "shards1024", `/v1/ids/${WIDE}`),
  namespaces100: single("fresh, 100 namespaces in use", "namespaces100", namespace(0)),
  namespaces1000: single("fresh, 1,000 namespaces in use", "namespaces1000", namespace(0)),
  turn100: single("fresh, of 100 namespaces in turn", "namespaces100", inTurn(100, namespace), 320),
  turn1000: single("fresh, of 1,000 in turn", "namespaces1000", inTurn(1000, namespace), 96),
  pinned1: single("shard=N, of 1 shard", "shards1", inTurn(1, shard), 400),
  pinned64: single("shard=N, of 64 in turn", "shards64", inTurn(64, shard), 400),
  pinned1024: single("shard=N, of 1,024 in turn", "shards1024", inTurn(1024, shard), 96),
} as const;
export type RowId = keyof typeof ROWS;
