/** What the bench asks of Edgeflake besides load: namespaces, a key, counters. */
import * as v from "valibot";
import { BATCH_NAMESPACE } from "./http-rows.ts";
import type { SocketName, WorkerdProcess } from "./workerd-process.ts";

/** As in workerd.capnp. */
const ADMIN_KEY = "the-admin-key-of-the-bench";
const BATCH_SHARDS = 64;

interface Asked {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly json?: unknown;
}

/** Answers the JSON; throws at any status but 2xx. */
async function ask(workerd: WorkerdProcess, socket: SocketName, asked: Asked): Promise<unknown> {
  const url = `http://127.0.0.1:${workerd.portOf(socket)}${asked.path}`;
  const response = await fetch(url, {
    method: asked.method,
    headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
    ...(asked.json !== undefined && { body: JSON.stringify(asked.json) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${asked.method} ${asked.path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** In one region, so that any of its shards may be picked. */
export async function makeNamespace(
  workerd: WorkerdProcess,
  socket: SocketName,
  name: string,
  shards: number,
): Promise<void> {
  const json = { kind: "snowflake", preset: "default", shards, regions: ["enam"] };
  await ask(workerd, socket, { method: "PUT", path: `/v1/namespaces/${name}`, json });
}

export function makeBatchNamespace(workerd: WorkerdProcess): Promise<void> {
  return makeNamespace(workerd, "batches", BATCH_NAMESPACE, BATCH_SHARDS);
}

/** Answers the text of a new key that may issue. */
export async function makeKey(workerd: WorkerdProcess): Promise<string> {
  const json = { name: "bench", scopes: ["issue"] };
  const made = await ask(workerd, "keys", { method: "POST", path: "/v1/keys", json });
  return v.parse(v.object({ key: v.string() }), made).key;
}

export interface ShardCounters {
  /** IDs granted, used or not. */
  readonly issued: number;
  /** Intervals granted: about one a call of the Durable Object. */
  readonly grants: number;
  /** Rows written. */
  readonly writes: number;
}

const ShardsPage = v.object({
  shards: v.array(
    v.object({
      counters: v.object({ issued: v.number(), grants: v.number(), writes: v.number() }),
    }),
  ),
});

/** The sums over a namespace's shards, 32 at most. */
export async function readCounters(
  workerd: WorkerdProcess,
  socket: SocketName,
  namespace: string,
): Promise<ShardCounters> {
  const path = `/v1/shards/${namespace}?limit=32`;
  const page = v.parse(ShardsPage, await ask(workerd, socket, { method: "GET", path }));
  const sum = { issued: 0, grants: 0, writes: 0 };
  for (const { counters } of page.shards) {
    sum.issued += counters.issued;
    sum.grants += counters.grants;
    sum.writes += counters.writes;
  }
  return sum;
}
