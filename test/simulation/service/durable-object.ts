/**
 * A Durable Object as the platform runs it, usually with one instance. For a while it may have two: the older one shares
 * the storage or is cut off from it. Evictions, deployments, lost writes and the instance itself end instances. The
 * object may be slow to start, or dead.
 */
import { type Answer, Instance, type InstancePlan, type Outcome } from "./instance.ts";
import type { Machine } from "./machine.ts";
import type { Process } from "./process.ts";
import type { World } from "./world.ts";

/** A call as it left its caller: its result is as old as that. */
export interface Call {
  readonly method: string;
  readonly args: readonly unknown[];
  /** The caller's. */
  readonly from: Machine;
  /** The world's time. */
  readonly sentAtMs: number;
}

/** A reply that leaves an object: from then on its content counts as issued. */
export interface Left {
  readonly object: DurableObject;
  readonly call: Call;
  readonly value: unknown;
  /** The instance's clock; undefined if that jumped while the call was open. */
  readonly nowMs: number | undefined;
}

/** Observes an object. */
export interface Listener {
  left(left: Left): void;
  /** An instance is about to end itself. */
  aborted(object: DurableObject, instance: Instance, reason: string): void;
  /** A call found the object dead. */
  missed(object: DurableObject, call: Call): void;
}

/** How long two instances may be alive at once, in ms. */
const OVERLAP_MS = [10, 5000] as const;
/** The time of a slow start, in ms, and how rare it is: one in so many. */
const COLD_START_MS = [100, 30_000] as const;
const COLD_START_ONE_IN = 50;
/** The time after which a call to a dead, slow object throws, in ms. */
const SLOW_MS = [100, 4500] as const;

/** The ways in which an object is dead: each call throws at once, throws late, or never returns. */
export const DEATHS = ["throws", "throws late", "is silent"] as const;

export interface ObjectsSeen {
  coldStarts: number;
  /** Calls that waited for an instance that ended, and were served by the next. */
  pastRestart: number;
  missed: number;
}

export interface ObjectPlan extends InstancePlan {
  /** An instance without its storage continues with a replica, instead of failing. */
  readonly strands: boolean;
  readonly seen: ObjectsSeen;
}

export class DurableObject {
  readonly plan: ObjectPlan;
  /** How the object is dead now; undefined if it works. */
  death: (typeof DEATHS)[number] | undefined;
  /** All starts are quick. */
  isWarm = false;
  readonly #world: World;
  readonly #host: () => Process;
  readonly #listener: Listener;
  #current: Instance | undefined;
  #older: Instance | undefined;

  constructor(world: World, plan: ObjectPlan, host: () => Process, listener: Listener) {
    this.plan = plan;
    this.#world = world;
    this.#host = host;
    this.#listener = listener;
  }

  /** The arrival time of the oldest open call; Infinity without one. */
  get waitsSinceMs(): number {
    const instances = [this.#current, this.#older];
    return Math.min(...instances.map((one) => one?.waitsSinceMs ?? Number.POSITIVE_INFINITY));
  }

  /** A call arrives. While there are two instances, either one may get it. */
  call(call: Call, answer: Answer): void {
    if (this.death) {
      this.plan.seen.missed += 1;
      this.#listener.missed(this, call);
      if (this.death === "is silent") return;
      const afterMs = this.death === "throws" ? 0 : this.#world.random.between(...SLOW_MS);
      this.#world.after(afterMs, () => answer(failed("the object is dead")));
      return;
    }
    const instance = this.#instance();
    instance.process.machine.stall.message(() => {
      instance.stall.message(() => this.#deliver(instance, call, answer));
    });
  }

  /** Evicts the object: the next call starts it again. */
  evict(): void {
    this.#current?.end("evicted");
    this.#current = undefined;
    this.#older?.end("evicted");
    this.#older = undefined;
  }

  /** Starts another instance while this one lives, with or without its storage. */
  supersede(
    isShared = this.#world.random.isOneOf(2),
    overlapMs = this.#world.random.spread(...OVERLAP_MS),
  ): void {
    const older = this.#current;
    if (!older?.isAlive || this.#older?.isAlive) return;
    if (!isShared) {
      const { disk, strands } = this.plan;
      // Unflushed writes of an instance that is cut off are lost.
      disk.crash();
      if (strands) older.strandOn(disk.replica());
      else older.isCutOff = true;
    }
    this.#older = older;
    this.#current = undefined;
    this.#world.after(overlapMs, () => older.end("superseded"));
  }

  /** Pauses the newest instance: calls to it wait. */
  stall(forMs: number): void {
    if (this.#current?.isAlive) this.#current.stall.begin(forMs);
  }

  /** Ends all pauses. */
  wake(): void {
    this.#current?.stall.end();
    this.#older?.stall.end();
  }

  #deliver(instance: Instance, call: Call, answer: Answer): void {
    if (!instance.isAlive || !instance.process.isAlive) {
      // The platform passes the calls that waited for that instance to the next one.
      this.plan.seen.pastRestart += 1;
      this.call(call, answer);
      return;
    }
    const { machine } = instance.process;
    const { jumps } = machine;
    instance.call(call.method, call.args, (outcome) => {
      if (outcome.ok) {
        const nowMs = machine.jumps === jumps ? machine.now() : undefined;
        this.#listener.left({ object: this, call, value: outcome.value, nowMs });
      }
      answer(outcome);
    });
  }

  #instance(): Instance {
    const older = this.#older;
    const isOlderAlive = older?.isAlive && older.process.isAlive;
    if (isOlderAlive && this.#world.random.isOneOf(2)) return older;
    const current = this.#current;
    if (current?.isAlive && current.process.isAlive) return current;
    this.#current = this.#start();
    if (isOlderAlive) {
      older.hadCompany = true;
      this.#current.hadCompany = true;
    }
    return this.#current;
  }

  #start(): Instance {
    const { random } = this.#world;
    const host = this.#host();
    host.machine.restarted();
    const instance = new Instance(this.#world, host, this.plan, (one, reason) =>
      this.#listener.aborted(this, one, reason),
    );
    if (!this.isWarm && random.isOneOf(COLD_START_ONE_IN)) {
      this.plan.seen.coldStarts += 1;
      instance.stall.begin(random.spread(...COLD_START_MS));
    }
    return instance;
  }
}

function failed(reason: string): Outcome {
  return { ok: false, error: new Error(reason) };
}
