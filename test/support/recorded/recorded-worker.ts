import { env } from "cloudflare:workers";
import type { app } from "../../../src/http/app.ts";
import { worker } from "../../../src/http/worker.ts";
import { ask } from "../admin.ts";
import { NO_LIMITERS, send } from "../send.ts";
import { recordedShards } from "./recorded-shards.ts";

/** `send` with the real shards of all namespaces, and what they were asked for. */
export function recordedWorker(
  change: Partial<Record<keyof typeof NO_LIMITERS, RateLimit | undefined>> = NO_LIMITERS,
) {
  const { shards, calls } = recordedShards();
  const bindings: Env = Object.assign({ ...env, SHARD: shards }, change);
  const get = async (path: string, to: typeof worker | typeof app = worker) => {
    // The registry is read first, so that all a request leaves behind is what it leases.
    await ask(`/v1/namespaces/${new URL(path, "https://edgeflake.test").pathname.split("/")[3]}`);
    const before = calls.length;
    const answer = await send(to, path, { bindings });
    const { ids = [] }: { ids?: string[] } = JSON.parse(answer.text);
    const shard = Number(answer.headers.get("edgeflake-shard"));
    return { ...answer, ids, shard, asked: calls.slice(before) };
  };
  return { get, calls };
}
