/** The whole service in one simulated world: shards, isolates, callers, clients and minters, and all that can befall them. */

import { readGrantReply } from "../../../src/core/grant-reply.ts";
import { PRESETS } from "../../../src/core/presets.ts";
import { readSegmentReply } from "../../../src/core/segment-reply.ts";
import type { WorkerLease } from "../../../src/core/worker-lease.ts";
import { ClientProcess, MinterProcess, type Surroundings } from "./app-process.ts";
import type { Evaluate } from "./bundle.ts";
import { type Asked, Caller } from "./caller.ts";
import type { Disk } from "./disk.ts";
import type { Left } from "./durable-object.ts";
import { History, type Space } from "./history.ts";
import { type Mishap, Mishaps } from "./mishaps.ts";
import { Platform } from "./platform.ts";
import { World } from "./world.ts";

const START_MS = 1_790_000_000_000;
const CALLERS = 12;
/** Per namespace. */
const CLIENTS = 2;
const MINTERS = 2;
/**
 * The end of a world, in ms: its clocks become right and what is late arrives; then all is well, and all must be
 * served; then nobody asks any more, and nobody may still wait.
 */
const MENDING_MS = 40_000;
const WELL_MS = 15_000;
const QUIET_MS = 20_000;
const FOREVER_MS = 365 * 86_400_000;

/** Of eight shards, two are asked by name. */
const SHARDS = 8;

const SPACES: readonly Space[] = [
  ...[...PRESETS].map(([name, { layout, policy }]) => ({ name, layout, policy })),
  { name: "segment" },
];

export interface ServiceReport {
  readonly seed: number;
  readonly events: number;
  readonly worldMs: number;
  readonly acknowledged: number;
  readonly minted: number;
  readonly grants: number;
  readonly ordered: number;
  readonly asked: Asked;
  readonly mishaps: Readonly<Record<Mishap, number>>;
  readonly network: Readonly<Record<string, number>>;
  readonly disks: Readonly<Record<string, number>>;
}

/**
 * Runs a world until so many events have happened, and then to a good end.
 * `strands`: an instance that is cut off its storage does not notice, it reads a replica on. Order is not held then:
 * a shard's older instance may answer from below its own mark (S2 rests on that reading's failing).
 * Throws what was broken, with the seed.
 */
export async function runServiceWorld(
  seed: number,
  evaluate: Evaluate,
  eventsMin: number,
  { strands = false }: { readonly strands?: boolean } = {},
): Promise<ServiceReport> {
  const world = new World(seed, START_MS);
  const history = new History(world, { keepsOrder: !strands });
  const platform = new Platform(world, evaluate, strands, (left) => listen(history, left));
  const { network, isolates } = platform;
  const around: Surroundings = { world, network, history, isolates, evaluate };
  const asked: Asked = { requests: 0, open: 0, refusals: new Map() };
  const callers = Array.from(
    { length: CALLERS },
    () => new Caller(world, network, history, { isolates, spaces: SPACES, asked }),
  );
  const apps = appsOf(around);
  const mishaps = new Mishaps(
    world,
    platform,
    apps.map(({ machine }) => machine),
  );
  for (const one of [...callers, ...apps]) one.start();
  mishaps.begin();
  await world.run(FOREVER_MS, () => world.events >= eventsMin);
  mishaps.end();
  await endWell(world, callers, apps, asked);
  return {
    seed,
    events: world.events,
    worldMs: world.nowMs - START_MS,
    acknowledged: history.acknowledged,
    minted: history.minted,
    grants: history.grants,
    ordered: history.ordered,
    asked,
    mishaps: mishaps.seen,
    network: network.seen,
    disks: { ...platform.disks },
  };
}

/** Once all is mended, everybody is served, nobody is refused, and nobody waits for ever. */
async function endWell(
  world: World,
  callers: readonly Caller[],
  apps: readonly (ClientProcess | MinterProcess)[],
  asked: Asked,
): Promise<void> {
  for (const app of apps) app.isSpared = true;
  await world.run(MENDING_MS);
  const refusedBefore = refusedOf(asked);
  const gotBefore = new Map(apps.map((app) => [app, app.got]));
  await world.run(WELL_MS);
  const refused = refusedOf(asked) - refusedBefore;
  if (refused > 0) world.broken(`${refused} requests were refused while all was well`);
  for (const app of apps) {
    if (app.got === gotBefore.get(app)) world.broken(`${app.name} got nothing while all was well`);
  }
  for (const one of [...callers, ...apps]) one.isDone = true;
  await world.run(QUIET_MS);
  if (asked.open > 0) world.broken(`${asked.open} requests were never answered`);
  await world.run(0);
}

function refusedOf({ refusals }: Asked): number {
  return [...refusals.values()].reduce((sum, times) => sum + times, 0);
}

function appsOf(around: Surroundings) {
  return SPACES.flatMap((space) => [
    ...Array.from({ length: CLIENTS }, () => new ClientProcess(around, space)),
    ...(space.layout
      ? Array.from({ length: MINTERS }, () => new MinterProcess(around, space))
      : []),
  ]);
}

/** Writes down what leaves an object, held against what is on its disk then. */
function listen(history: History, { object, method, args, value, nowMs }: Left): void {
  const { className, name, disk } = object;
  if (className === "Shard" && method === "grant") {
    const { result } = readGrantReply(`${value}`);
    if (!result.ok) return;
    const space = spaceOf(name.slice(0, name.lastIndexOf("/")));
    for (const grant of result.grants) {
      history.granted(name, grant, markOf(disk, grant.lane));
      if (nowMs !== undefined) history.leads(space, grant, nowMs);
    }
  }
  if (className === "Segments" && (method === "nextSegment" || method === "nextNumbers")) {
    const reply = readSegmentReply(`${value}`);
    // The same Idempotency-Key gets the same numbers.
    const isRepeatable = method === "nextNumbers" && args[2] !== "";
    if (reply.ok) history.gaveSegment(name, reply.segment, maxIdOf(disk), isRepeatable);
  }
  if (className === "Leases" && (method === "acquire" || method === "renew")) {
    const reply = value as { readonly ok: boolean; readonly lease?: WorkerLease };
    if (reply.ok && reply.lease) history.leased(spaceOf(name), SHARDS, reply.lease);
  }
}

function markOf(disk: Disk, lane: number): number {
  const rows = disk.rows("lane", `lane = ${lane}`) as { mark: number }[];
  return rows[0]?.mark ?? 0;
}

function maxIdOf(disk: Disk): bigint {
  const rows = disk.rows("segment") as { maxId: string }[];
  return BigInt(rows[0]?.maxId ?? 0);
}

function spaceOf(name: string): Space {
  const space = SPACES.find((one) => one.name === name);
  if (!space) throw new Error(`there is no namespace ${name}`);
  return space;
}
