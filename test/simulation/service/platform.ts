/** The platform of a simulated world: machines, the objects on them, isolates of the Worker, and their mishaps. */
import type { Evaluate } from "./bundle.ts";
import { Disk, type DiskSeen } from "./disk.ts";
import { DurableObject, type Listener, type ObjectsSeen } from "./durable-object.ts";
import type { ClassName } from "./instance.ts";
import { Isolate } from "./isolate.ts";
import { Machine } from "./machine.ts";
import { Network } from "./network.ts";
import { Process } from "./process.ts";
import type { World } from "./world.ts";

/** Machines that objects live on, and isolates of the Worker, each on a machine of its own. */
const OBJECT_MACHINES = 4;
const ISOLATES = 4;

export class Platform {
  readonly network: Network;
  readonly objectMachines: readonly Machine[];
  readonly isolates: readonly Isolate[];
  readonly disks: DiskSeen = { writes: 0, failedWrites: 0, failedFlushes: 0, lostFlushes: 0 };
  readonly objectsSeen: ObjectsSeen = { coldStarts: 0, pastRestart: 0, missed: 0 };
  readonly #world: World;
  readonly #evaluate: Evaluate;
  readonly #listener: Listener;
  readonly #strands: boolean;
  readonly #objects = new Map<string, DurableObject>();
  #hosts: Process[] = [];
  #diskFailsOneIn = 0;
  #isWarm = false;

  /** `strands`: see DurableObject. */
  constructor(world: World, evaluate: Evaluate, strands: boolean, listener: Listener) {
    this.#strands = strands;
    this.#world = world;
    this.#evaluate = evaluate;
    this.#listener = listener;
    this.network = new Network(world);
    this.objectMachines = Array.from({ length: OBJECT_MACHINES }, () => new Machine(world));
    this.isolates = Array.from({ length: ISOLATES }, () => {
      const machine = new Machine(world);
      return new Isolate(world, machine, evaluate, this.#environment(machine));
    });
    this.#startHosts();
  }

  get objects(): readonly DurableObject[] {
    return [...this.#objects.values()];
  }

  /** One in so many writes fails from now on, and one in so many flushes; 0: none. */
  failDisks(oneIn: number): void {
    this.#diskFailsOneIn = oneIn;
    for (const { plan } of this.objects) plan.disk.failsOneIn = oneIn;
  }

  /** From now on no process pauses, starts are quick, and no object is dead. */
  wake(): void {
    this.#isWarm = true;
    for (const object of this.objects) {
      object.isWarm = true;
      object.death = undefined;
      object.wake();
    }
    for (const { machine } of this.isolates) machine.stall.end();
    for (const machine of this.objectMachines) machine.stall.end();
  }

  /** Deploys a new version: all objects and isolates start again. */
  deploy(): void {
    for (const object of this.objects) object.evict();
    this.#startHosts();
    for (const isolate of this.isolates) isolate.restart();
  }

  #startHosts(): void {
    for (const host of this.#hosts) host.isAlive = false;
    this.#hosts = this.objectMachines.map((machine) => {
      machine.restarted();
      return new Process(this.#world, machine, this.#evaluate);
    });
  }

  /** The surroundings of an isolate on that machine. */
  #environment(machine: Machine): object {
    const binding = (className: ClassName) => ({
      getByName: (name: string) => this.#stub(machine, this.object(className, name)),
    });
    return {
      ACCESS: "open",
      OPEN_HOSTS: "edgeflake.test",
      CORS_ORIGINS: "",
      SHARD: binding("Shard"),
      SEGMENTS: binding("Segments"),
      LEASES: binding("Leases"),
      REGISTRY: binding("Registry"),
    };
  }

  /** The object of that name, created on first use. */
  object(className: ClassName, name: string): DurableObject {
    const place = `${className} ${name}`;
    const known = this.#objects.get(place);
    if (known) return known;
    const disk = new Disk(this.#world, this.disks);
    disk.failsOneIn = this.#diskFailsOneIn;
    const plan = { className, name, disk, strands: this.#strands, seen: this.objectsSeen };
    const host = () => this.#world.random.pick(this.#hosts);
    const object = new DurableObject(this.#world, plan, host, this.#listener);
    object.isWarm = this.#isWarm;
    this.#objects.set(place, object);
    return object;
  }

  /** Each of its methods is a call over the network. */
  #stub(from: Machine, object: DurableObject): object {
    return new Proxy(
      {},
      {
        get:
          (_, method) =>
          (...args: unknown[]) =>
            new Promise((resolve, reject) => {
              const copied = args.every((arg) => Object(arg) !== arg)
                ? args
                : structuredClone(args);
              const sentAtMs = this.#world.nowMs;
              const call = { method: String(method), args: copied, from, sentAtMs };
              this.network.carry(
                (answer) => object.call(call, answer),
                (outcome) =>
                  from.stall.message(() => {
                    if (outcome.ok) resolve(outcome.value);
                    else reject(outcome.error);
                  }),
              );
            }),
      },
    );
  }
}
