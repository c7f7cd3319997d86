/** 50 hosts, 32 worker IDs, one desk, for 45 minutes of simulated time. */
import type { LayoutSpec } from "../../../src/core/layout/layout.ts";
import type { Policy } from "../../../src/core/layout/policy.ts";
import { Checker } from "./checker.ts";
import { Desk, type DeskFault } from "./desk.ts";
import { type Doings, Host } from "./host.ts";
import { MemoryStore, type StoreFault } from "./memory-store.ts";
import { Network } from "./network.ts";
import { World } from "./world.ts";

const START_MS = 1_790_000_000_000;
const YEAR_MS = 365 * 86_400_000;
const HOSTS = 50;
/** Hosts in pairs on one store, and in pairs under one name. */
const SHARED_STORES = 12;
const SAME_NAMES = 20;
/** One host in so many is a Worker. */
const WORKER_EVERY = 5;
const TTLS_MS = [5000, 5000, 60_000, 60_000, 20_000, 120_000];
export const TTL_MAX_MS = 120_000;
/** How long mishaps happen, and how long the quiet time after them is. */
const WILD_MS = 40 * 60_000;
const CALM_MS = 5 * 60_000;

export interface WorldPlan {
  readonly spec: LayoutSpec;
  readonly policy: Policy;
  readonly deskFault?: DeskFault;
  readonly storeFault?: StoreFault;
}

export interface WorldReport {
  readonly count: number;
  readonly leases: number;
  readonly workers: ReadonlySet<number>;
  readonly doings: Doings;
  /** Puts that were carried out, but failed or never returned. */
  readonly putsInDoubt: number;
  readonly network: Network;
  /** Hosts that stamped in the last minute. */
  readonly stamping: number;
  /** The end of the lease that ends last, ms from the end of the world. */
  readonly furthestEndMs: number;
}

/** Runs a world to its end, and checks everything as it happens. Throws with the seed if a promise is broken. */
export async function runLeaseWorld(seed: number, plan: WorldPlan): Promise<WorldReport> {
  try {
    return await run(seed, plan);
  } catch (error) {
    const message = error instanceof Error ? error.message : `${error}`;
    throw new Error(`${message} (seed ${seed})`, { cause: error });
  }
}

async function run(seed: number, plan: WorldPlan): Promise<WorldReport> {
  const world = new World(seed, START_MS);
  const desk = new Desk(plan.spec, plan.policy, plan.deskFault);
  const checker = new Checker(plan.spec, desk);
  const doings: Doings = {
    crashes: 0,
    crashesAfterStamping: 0,
    closes: 0,
    pauses: 0,
    clockSteps: 0,
    requests: 0,
    refusals: new Map(),
  };
  const hosts = makeHosts(world, plan, doings, checker);
  const network = new Network(world, desk, () => {
    const { actor } = world;
    if (!(actor instanceof Host)) throw new Error("nobody asks");
    return { owner: actor.plan.owner, isCutOff: actor.cutOffUntilMs > world.nowMs };
  });
  for (const host of hosts) host.start(world.random.between(0, 30_000));
  mishaps(world, network);
  await world.run(WILD_MS, network.fetch);
  for (const host of hosts) {
    Object.assign(host, { isWild: false, pausedUntilMs: 0, cutOffUntilMs: 0 });
  }
  Object.assign(network, { isDown: false, isBad: false, deskAheadMs: 0, callerAheadMs: 0 });
  await world.run(CALM_MS, network.fetch);
  checker.finish();
  const { layout, records } = desk;
  const furthestTick = Math.max(...records.map(({ lease }) => lease.notAfterTick));
  return {
    count: checker.count,
    leases: records.length,
    workers: new Set(records.map(({ lease }) => lease.worker)),
    doings,
    putsInDoubt: hosts.reduce((sum, { plan: { store } }) => sum + (store?.inDoubt ?? 0), 0),
    network,
    stamping: hosts.filter(({ stampedAtMs }) => stampedAtMs > world.nowMs - 60_000).length,
    furthestEndMs: layout.epochMs + furthestTick * layout.tickMs - world.nowMs,
  };
}

function makeHosts(world: World, plan: WorldPlan, doings: Doings, checker: Checker): Host[] {
  const stores: MemoryStore[] = [];
  return Array.from({ length: HOSTS }, (_, index) => {
    // The first hosts share a store with their neighbour; the second half has no store.
    const owner = index < SHARED_STORES ? index - (index % 2) : index;
    const store =
      index < HOSTS / 2 ? (stores[owner] ?? new MemoryStore(world, plan.storeFault)) : undefined;
    if (store) stores[owner] = store;
    const holder = index < SAME_NAMES ? `pod-${index % 10}` : `pod-${index}`;
    const ttlMs = TTLS_MS[index % TTLS_MS.length] ?? 60_000;
    const isStoreOwn = index >= SHARED_STORES && plan.storeFault === undefined;
    const isWorker = index % WORKER_EVERY === 0;
    const made = { owner, holder, ttlMs, store, isStoreOwn, isWorker };
    return new Host(world, made, doings, (id) => checker.take(id, owner));
  });
}

/** Mishaps of all hosts: the service goes down for minutes, clocks jump. */
function mishaps(world: World, network: Network): void {
  const { random } = world;
  const every = (least: number, most: number, happen: () => void): void => {
    world.after(random.between(least, most), () => {
      if (network.isBad) happen();
      every(least, most, happen);
    });
  };
  every(300_000, 900_000, () => {
    network.isDown = true;
    world.after(random.spread(10_000, 240_000), () => {
      network.isDown = false;
    });
  });
  every(120_000, 600_000, () => {
    // A year ahead, or by so little that nobody notices; and back.
    network.deskAheadMs = random.isOneOf(2) ? YEAR_MS : random.between(-60_000, 60_000);
    network.callerAheadMs = random.between(-2000, 2000);
    world.after(random.spread(100, 60_000), () => {
      network.deskAheadMs = 0;
      network.callerAheadMs = 0;
    });
  });
}
