/** The mishaps of a simulated world, each with its count. */
import { DEATHS, type DurableObject } from "./durable-object.ts";
import type { Machine } from "./machine.ts";
import type { Platform } from "./platform.ts";
import type { World } from "./world.ts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
/** If a platform clock is wrong by more than this, only one machine has it, and the others reject it. */
const COMMON_STEP_MAX_MS = 20_000;
const WILD_MS = [120_000, YEAR_MS] as const;
/** How long clocks are wrong, and disks fail, in ms. */
const WRONG_FOR_MS = [100, 20_000] as const;
const FAILING_FOR_MS = [1000, 15_000] as const;
/** How long machines and objects pause, and objects are dead, in ms. */
const STALLED_FOR_MS = [100, 30_000] as const;
const DEAD_FOR_MS = [1000, 30_000] as const;

/** Mean times between two, in ms. */
const EVERY_MS = {
  evictions: 300,
  supersessions: 100,
  isolateRestarts: 8000,
  deployments: 20_000,
  failingDisks: 20_000,
  stalledMachines: 2000,
  stalledObjects: 500,
  stallsOfAll: 20_000,
  deadShards: 2000,
} as const;
const CLOCKS_EVERY_MS = {
  clocksSetBack: 8000,
  clocksSetForward: 10_000,
  wildClocks: 20_000,
} as const;

export class Mishaps {
  readonly seen: Record<string, number> = {};
  readonly #world: World;
  readonly #platform: Platform;
  readonly #otherMachines: readonly Machine[];
  readonly #clocksAreTrue: boolean;
  #isOver = false;

  constructor(
    world: World,
    platform: Platform,
    otherMachines: readonly Machine[],
    clocksAreTrue: boolean,
  ) {
    this.#world = world;
    this.#platform = platform;
    this.#otherMachines = otherMachines;
    this.#clocksAreTrue = clocksAreTrue;
  }

  begin(): void {
    const { isolates } = this.#platform;
    const { random } = this.#world;
    this.#every("evictions", EVERY_MS, () => this.#anyObject()?.evict());
    this.#every("supersessions", EVERY_MS, () => this.#anyObject()?.supersede());
    this.#every("isolateRestarts", EVERY_MS, () => random.pick(isolates).restart());
    this.#every("deployments", EVERY_MS, () => this.#platform.deploy());
    this.#every("failingDisks", EVERY_MS, () => {
      this.#platform.failDisks(random.between(2, 20));
      this.#world.after(random.spread(...FAILING_FOR_MS), () => {
        this.#platform.failDisks(0);
      });
    });
    this.#stalls();
    if (!this.#clocksAreTrue) this.#wrongClocks();
  }

  /**
   * The last mishap: the clocks of all objects are wrong once more, unless clocks are true. Then clocks, disks and the
   * network work, pauses end, and nothing is killed: the service must recover by itself.
   */
  end(): void {
    this.#isOver = true;
    this.#platform.network.isBad = false;
    this.#platform.failDisks(0);
    this.#platform.wake();
    for (const machine of this.#otherMachines) machine.stall.end();
    if (this.#clocksAreTrue) return;
    for (const machine of this.#platform.objectMachines) this.#goWild(machine);
  }

  #stalls(): void {
    const { random } = this.#world;
    const forMs = (): number => random.spread(...STALLED_FOR_MS);
    const machines = this.#machines();
    this.#every("stalledMachines", EVERY_MS, () => random.pick(machines).stall.begin(forMs()));
    this.#every("stalledObjects", EVERY_MS, () => this.#anyObject()?.stall(forMs()));
    this.#every("stallsOfAll", EVERY_MS, () => {
      const allForMs = forMs();
      for (const machine of machines) machine.stall.begin(allForMs);
    });
    this.#every("deadShards", EVERY_MS, () => {
      const object = this.#anyObject();
      if (object?.plan.className !== "Shard") return;
      object.death = random.pick(DEATHS);
      this.#world.after(random.spread(...DEAD_FOR_MS), () => {
        object.death = undefined;
      });
    });
  }

  #wrongClocks(): void {
    const { random } = this.#world;
    const machines = this.#machines();
    this.#every("clocksSetBack", CLOCKS_EVERY_MS, () => {
      this.#step(random.pick(machines), -random.spread(1, HOUR_MS));
    });
    this.#every("clocksSetForward", CLOCKS_EVERY_MS, () => {
      this.#step(random.pick(machines), random.spread(1, COMMON_STEP_MAX_MS));
    });
    this.#every("wildClocks", CLOCKS_EVERY_MS, () => {
      this.#goWild(random.pick(this.#platform.objectMachines));
    });
  }

  #machines(): readonly Machine[] {
    const { isolates, objectMachines } = this.#platform;
    return [...objectMachines, ...isolates.map(({ machine }) => machine), ...this.#otherMachines];
  }

  /** Before the first request, no objects exist. */
  #anyObject(): DurableObject | undefined {
    const { objects } = this.#platform;
    return objects.length > 0 ? this.#world.random.pick(objects) : undefined;
  }

  #goWild(machine: Machine): void {
    this.#step(machine, this.#world.random.spread(...WILD_MS));
  }

  /** The clock is wrong for a while. */
  #step(machine: Machine, byMs: number): void {
    machine.step(byMs);
    this.#world.after(this.#world.random.spread(...WRONG_FOR_MS), () => {
      machine.step(-byMs);
    });
  }

  #every<Mishap extends string>(
    mishap: Mishap,
    everyMs: Readonly<Record<Mishap, number>>,
    happen: () => void,
  ): void {
    this.seen[mishap] ??= 0;
    this.#world.after(this.#world.random.between(1, 2 * everyMs[mishap]), () => {
      if (this.#isOver) return;
      this.seen[mishap] = (this.seen[mishap] ?? 0) + 1;
      happen();
      this.#every(mishap, everyMs, happen);
    });
  }
}
