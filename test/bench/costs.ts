/** Costs of serving other than CPU time: rows, calls, unused IDs, memory, and the latency at a moderate rate. */
import { setTimeout as delay } from "node:timers/promises";
import { BATCHES, CONNECTIONS, ROWS, STREAM_PATH } from "./http-rows.ts";
import { Load, loadAtRate } from "./load.ts";
import type { Rig } from "./rig.ts";
import { Server } from "./server.ts";
import { makeNamespace, readCounters } from "./service.ts";

const COUNTED_SHARDS = 8;
/** Requests before the first reading, and after the second. */
const AROUND = 3000;

/**
 * The costs of so many single IDs at full load in a namespace of their own. Both readings are under load: each then
 * has about as many prefetched IDs that are not served yet.
 */
export async function countCost(rig: Rig, name: "fresh" | "strict", count: number) {
  const server = rig.server(name);
  const namespace = `counted-${name}`;
  await makeNamespace(server, namespace, COUNTED_SHARDS);
  const load = new Load({
    url: server.url(),
    paths: [`/v1/ids/${namespace}?order=${name}`],
    connections: CONNECTIONS,
    requests: count + 2 * AROUND,
  });
  const readAt = async (least: number) => {
    while (load.served < least) await delay(1);
    const { served } = load;
    return { served, ...(await readCounters(server, namespace)) };
  };
  const before = await readAt(AROUND);
  const after = await readAt(AROUND + count);
  await load.done;
  const served = after.served - before.served;
  return {
    name: `single, ${name}`,
    served,
    prefetchedPerServed: (after.issued - before.issued) / served,
    rowsPerMillion: ((after.writes - before.writes) / served) * 1e6,
    callsPerMillion: ((after.grants - before.grants) / served) * 1e6,
  };
}

/** Enough streams, one after another, for the garbage collector to run. */
const STREAMS = 3;

/**
 * The peak memory above idle, in MB, of text streams in a process of their own: a process after load has so much
 * that a stream finds room in it. Idle is after a text of one ID. Undefined without Linux's /proc.
 */
export async function streamMegabytes(): Promise<number | undefined> {
  const server = await Server.start("open");
  const read = (path: string, requests: number) =>
    new Load({ url: server.url(), paths: [path], connections: 1, requests }).done;
  try {
    await makeNamespace(server, BATCHES, 64);
    await read(`/v1/ids/${BATCHES}?count=1&format=text`, 1);
    const idle = server.memory();
    server.resetPeak();
    await read(STREAM_PATH, STREAMS);
    const after = server.memory();
    return idle && after && (after.peakBytes - idle.bytes) / 1e6;
  } finally {
    await server.stop();
  }
}

/** Single fresh IDs at a rate that leaves the service idle most of the time. */
export async function measureAtRate(rig: Rig, perSecond: number, requests: number) {
  const server = rig.server("fresh");
  const before = server.usage();
  const url = `${server.url()}${ROWS.fresh.paths[0]}`;
  const latencies = await loadAtRate(url, perSecond, requests);
  const after = server.usage();
  return {
    perSecond,
    p50Ms: latencies.percentile(50) / 1000,
    p99Ms: latencies.percentile(99) / 1000,
    cpuUs: after && before && ((after.cpuMs - before.cpuMs) * 1000) / requests,
  };
}
