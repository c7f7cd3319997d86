/** What serving costs: rows written, Durable Object calls and leased IDs, at full load. */
import { setTimeout as delay } from "node:timers/promises";
import { CONNECTIONS } from "./http-rows.ts";
import type { Rig } from "./measurement.ts";
import { makeNamespace, readCounters, type ShardCounters } from "./service.ts";

const SHARDS = 8;

export interface CountedCost {
  readonly name: string;
  /** Single IDs served between the two readings. */
  readonly served: number;
  readonly leasedPerServed: number;
  /** Few: one more or less makes a difference where the time is short. */
  readonly rows: number;
  readonly rowsPerMillion: number;
  readonly callsPerMillion: number;
}

/** Own namespaces, so that nothing else moves their counters. */
const COUNTED = {
  fresh: { name: "single, fresh", socket: "fresh", namespace: "benchfresh", query: "" },
  strict: {
    name: "single, strict",
    socket: "strict",
    namespace: "benchstrict",
    query: "?order=strict",
  },
} as const;

export interface CountedCosts {
  readonly fresh: CountedCost;
  readonly strict: CountedCost;
}

export async function countCosts(
  rig: Rig,
  plan: { readonly warmUpMs: number; readonly countedMs: number },
): Promise<CountedCosts> {
  const fresh = await count(rig, plan, COUNTED.fresh);
  return { fresh, strict: await count(rig, plan, COUNTED.strict) };
}

interface Reading extends ShardCounters {
  readonly served: number;
}

/** Both readings are taken under load: what is leased ahead and not served yet is then about the same in both. */
async function count(
  rig: Rig,
  plan: { readonly warmUpMs: number; readonly countedMs: number },
  { name, socket, namespace, query }: (typeof COUNTED)[keyof typeof COUNTED],
): Promise<CountedCost> {
  const { workerd, generators } = rig;
  await makeNamespace(workerd, socket, namespace, SHARDS);
  const read = async (): Promise<Reading> => {
    const [counters, served] = await Promise.all([
      readCounters(workerd, socket, namespace),
      generators.servedSoFar(),
    ]);
    return { ...counters, served };
  };
  // Of a load that ends too early, the readings would be of an idle service.
  const slackMs = plan.warmUpMs;
  const load = generators.run({
    port: workerd.portOf(socket),
    path: `/v1/ids/${namespace}${query}`,
    headers: {},
    connections: CONNECTIONS,
    durationMs: plan.warmUpMs + plan.countedMs + slackMs,
  });
  const [before, after] = await Promise.race([
    readTwice(read, plan.warmUpMs, plan.countedMs),
    load.then(() => {
      throw new Error(`${name}: the load ended before its counters were read`);
    }),
  ]);
  await load;
  const served = after.served - before.served;
  const rows = after.writes - before.writes;
  return {
    name,
    served,
    leasedPerServed: (after.issued - before.issued) / served,
    rows,
    rowsPerMillion: (rows / served) * 1_000_000,
    callsPerMillion: ((after.grants - before.grants) / served) * 1_000_000,
  };
}

async function readTwice(
  read: () => Promise<Reading>,
  firstAfterMs: number,
  secondAfterMs: number,
): Promise<[Reading, Reading]> {
  await delay(firstAfterMs);
  const before = await read();
  await delay(secondAfterMs);
  return [before, await read()];
}
