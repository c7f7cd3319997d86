/** Requests of the bench to Edgeflake besides load: namespaces, a key, counters. */
import * as v from "valibot";
import { ADMIN_KEY, type Server } from "./server.ts";

/** A layout with room for 1,024 shards: half of its worker IDs. */
const WIDE = {
  timestampBits: 41,
  datacenterBits: 0,
  workerBits: 11,
  laneBits: 0,
  sequenceBits: 11,
  epochMs: 1_735_689_600_000,
  tickMs: 1,
};
const SHARDS_PAGE = 32;

async function ask(server: Server, method: string, path: string, json?: object): Promise<unknown> {
  const response = await fetch(`${server.url()}${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
    ...(json && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** In one region, so that any of its shards may be picked. */
export async function makeNamespace(
  server: Server,
  name: string,
  shards: number,
  wide = false,
): Promise<void> {
  const form = wide ? { layout: WIDE } : { preset: "default" };
  const json = { kind: "snowflake", ...form, shards, regions: ["enam"] };
  await ask(server, "PUT", `/v1/namespaces/${name}`, json);
}

/** The text of a new key that may issue. */
export async function makeKey(server: Server): Promise<string> {
  const made = await ask(server, "POST", "/v1/keys", { name: "bench", scopes: ["issue"] });
  return v.parse(v.object({ key: v.string() }), made).key;
}

const Counters = v.object({ issued: v.number(), grants: v.number(), writes: v.number() });
const ShardsPage = v.object({ shards: v.array(v.object({ counters: Counters })) });

/** Sums over a namespace's shards, 32 at most: IDs granted, calls that granted some, and rows written. */
export async function readCounters(
  server: Server,
  namespace: string,
): Promise<v.InferOutput<typeof Counters>> {
  const path = `/v1/shards/${namespace}?limit=${SHARDS_PAGE}`;
  const { shards } = v.parse(ShardsPage, await ask(server, "GET", path));
  const sumOf = (name: "issued" | "grants" | "writes") =>
    shards.reduce((sum, { counters }) => sum + counters[name], 0);
  return { issued: sumOf("issued"), grants: sumOf("grants"), writes: sumOf("writes") };
}
