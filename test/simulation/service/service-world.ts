/** The whole service in one simulated world: shards, isolates, callers, clients, minters, and all mishaps. */

import { PRESETS } from "../../../src/core/layout/presets.ts";
import { Answers } from "./answers.ts";
import { ClientProcess, MinterProcess, type Surroundings } from "./app-process.ts";
import type { Evaluate } from "./bundle.ts";
import { type Asked, Caller } from "./caller.ts";
import { DeadShardTrial } from "./dead-shards.ts";
import { History, type Space } from "./history.ts";
import { Mishaps } from "./mishaps.ts";
import { ObjectWatch } from "./object-watch.ts";
import { Platform } from "./platform.ts";
import { World } from "./world.ts";

const START_MS = 1_790_000_000_000;
const CALLERS = 8;
/** Per namespace. */
const CLIENTS = 2;
const MINTERS = 2;
/**
 * The end of a world, in ms: first its clocks become right and late messages arrive; then every request must be served;
 * then no caller sends requests any more, and none may still be open.
 */
const MENDING_MS = 40_000;
const WELL_MS = 15_000;
const QUIET_MS = 20_000;
const FOREVER_MS = 365 * 86_400_000;

/** Of eight shards, two get requests by name. */
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
  /** IDs from memory whose age was checked. */
  readonly aged: number;
  readonly mishaps: Readonly<Record<string, number>>;
  readonly network: Readonly<Record<string, number>>;
  readonly disks: Readonly<Record<string, number>>;
  readonly objects: Readonly<Record<string, number>>;
}

export interface ServiceOptions {
  /**
   * An instance that is cut off its storage does not notice, it reads a replica on. Order is not held then: a shard's
   * older instance may answer from below its own mark (S2 rests on that reading's failing).
   */
  readonly strands?: boolean;
  /** Clocks drift, but are never set, so that more can be checked. By default so with even seeds. */
  readonly clocksAreTrue?: boolean;
}

/** Runs a world for so many events, and then to its end. Throws with the seed if a promise was broken. */
export async function runServiceWorld(
  seed: number,
  evaluate: Evaluate,
  eventsMin: number,
  { strands = false, clocksAreTrue = seed % 2 === 0 }: ServiceOptions = {},
): Promise<ServiceReport> {
  const world = new World(seed, START_MS);
  const history = new History(world, { keepsOrder: !strands, clocksAreTrue });
  const plan = { spaces: SPACES, shards: SHARDS, clocksAreTrue };
  const watch = new ObjectWatch(world, history, plan);
  const platform = new Platform(world, evaluate, strands, watch);
  const { network, isolates } = platform;
  const answers = new Answers(world, clocksAreTrue);
  const asked: Asked = { requests: 0, open: 0, refusals: new Map() };
  const callers = Array.from(
    { length: CALLERS },
    () => new Caller(world, network, history, { isolates, spaces: SPACES, asked, answers }),
  );
  const apps = appsOf({ world, network, history, isolates, evaluate });
  const machines = apps.map(({ machine }) => machine);
  const mishaps = new Mishaps(world, platform, machines, clocksAreTrue);
  for (const one of [...callers, ...apps]) one.start();
  mishaps.begin();
  await world.run(FOREVER_MS, () => world.events >= eventsMin);
  mishaps.end();
  await endWell(world, callers, apps, asked);
  for (const { plan, waitsSinceMs } of platform.objects) {
    const isLost = waitsSinceMs < world.nowMs - QUIET_MS;
    if (isLost) world.broken(`a call of ${plan.className} ${plan.name} waits for ever`);
  }
  const trial = new DeadShardTrial(world, { platform, history, answers, spaces: SPACES });
  watch.onMissed = trial.missed;
  await trial.run();
  return {
    seed,
    events: world.events,
    worldMs: world.nowMs - START_MS,
    acknowledged: history.acknowledged,
    minted: history.minted,
    grants: history.grants,
    ordered: history.ordered,
    aged: history.aged,
    asked,
    mishaps: mishaps.seen,
    network: network.seen,
    disks: { ...platform.disks },
    objects: { ...platform.objectsSeen, ...watch.ends, triesOfDeadHomes: trial.tries },
  };
}

/** After the mishaps, every request is served, none is rejected, and none waits for ever. */
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
