/** What befalls a simulated world, each with a count of how often. */
import type { Machine } from "./machine.ts";
import type { Platform } from "./platform.ts";
import type { World } from "./world.ts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
/** A clock of the platform that is wrong further than that is one machine's alone: the others do not believe it. */
const COMMON_STEP_MAX_MS = 20_000;
const WILD_MS = [120_000, YEAR_MS] as const;
/** How long clocks are wrong, and disks fail, in ms. */
const WRONG_FOR_MS = [100, 20_000] as const;
const FAILING_FOR_MS = [1000, 15_000] as const;

/** Mean times between two, in ms. */
const EVERY_MS = {
  evictions: 300,
  supersessions: 100,
  isolateRestarts: 8000,
  deployments: 20_000,
  clocksSetBack: 8000,
  clocksSetForward: 10_000,
  wildClocks: 20_000,
  failingDisks: 20_000,
} as const;

export type Mishap = keyof typeof EVERY_MS;

export class Mishaps {
  readonly seen: Record<Mishap, number> = {
    evictions: 0,
    supersessions: 0,
    isolateRestarts: 0,
    deployments: 0,
    clocksSetBack: 0,
    clocksSetForward: 0,
    wildClocks: 0,
    failingDisks: 0,
  };
  readonly #world: World;
  readonly #platform: Platform;
  readonly #otherMachines: readonly Machine[];
  #isOver = false;

  constructor(world: World, platform: Platform, otherMachines: readonly Machine[]) {
    this.#world = world;
    this.#platform = platform;
    this.#otherMachines = otherMachines;
  }

  begin(): void {
    const { isolates, objectMachines } = this.#platform;
    const machines = [
      ...objectMachines,
      ...isolates.map(({ machine }) => machine),
      ...this.#otherMachines,
    ];
    const { random } = this.#world;
    // Until somebody has asked there are no objects.
    const anyObject = () => {
      const { objects } = this.#platform;
      return objects.length > 0 ? random.pick(objects) : undefined;
    };
    this.#every("evictions", () => anyObject()?.evict());
    this.#every("supersessions", () => anyObject()?.supersede());
    this.#every("isolateRestarts", () => random.pick(isolates).restart());
    this.#every("deployments", () => this.#platform.deploy());
    this.#every("clocksSetBack", () => {
      this.#step(random.pick(machines), -random.spread(1, HOUR_MS));
    });
    this.#every("clocksSetForward", () => {
      this.#step(random.pick(machines), random.spread(1, COMMON_STEP_MAX_MS));
    });
    this.#every("wildClocks", () => this.#goWild(random.pick(objectMachines)));
    this.#every("failingDisks", () => {
      this.#platform.failDisks(random.between(2, 20));
      this.#world.after(random.spread(...FAILING_FOR_MS), () => {
        this.#platform.failDisks(0);
      });
    });
  }

  /**
   * The last one: the clocks of all objects are wild once more. They are right again soon, disks and the network
   * work, and nobody ends anything: what is wrong then has to mend itself.
   */
  end(): void {
    this.#isOver = true;
    this.#platform.network.isBad = false;
    this.#platform.failDisks(0);
    for (const machine of this.#platform.objectMachines) this.#goWild(machine);
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

  #every(mishap: Mishap, happen: () => void): void {
    this.#world.after(this.#world.random.between(1, 2 * EVERY_MS[mishap]), () => {
      if (this.#isOver) return;
      this.seen[mishap] += 1;
      happen();
      this.#every(mishap, happen);
    });
  }
}
