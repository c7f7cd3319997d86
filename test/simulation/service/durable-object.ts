/**
 * A Durable Object as the platform runs it: one instance at a time, or for a while two, of which the older one is
 * cut off its storage or shares it; ended by evictions, deployments, lost writes and by itself.
 */
import type { SQLInputValue } from "node:sqlite";
import type { Disk } from "./disk.ts";
import type { Process } from "./process.ts";
import type { World } from "./world.ts";

export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: Error };

export type Answer = (outcome: Outcome) => void;

/** An instance's class by its name in the product. */
export type ClassName = "Shard" | "Segments" | "Leases" | "Registry";

/** An answer as it leaves an object: from then on the world may know what is in it. */
export interface Left {
  readonly object: DurableObject;
  readonly method: string;
  readonly args: readonly unknown[];
  readonly value: unknown;
  /** The instance's clock; undefined where that jumped while the call was open. */
  readonly nowMs: number | undefined;
}

export type Listener = (left: Left) => void;

/** What the platform hands to an instance. */
interface Context {
  readonly id: { readonly name: string };
  readonly storage: {
    readonly sql: { exec(sql: string, ...bindings: SQLInputValue[]): object };
    transactionSync<Value>(write: () => Value): Value;
  };
  abort(reason: string): void;
}

class Instance {
  readonly process: Process;
  isAlive = true;
  /** Its storage is another's now: whatever it asks of it fails. */
  isCutOff = false;
  #disk: Disk;
  readonly #object: object;
  readonly #open = new Set<Answer>();

  constructor(process: Process, disk: Disk, className: ClassName, name: string, env: object) {
    this.process = process;
    this.#disk = disk;
    // The class takes the platform's own types, of which a world offers as much as the product uses.
    const Class = process.product[className] as new (context: Context, env: object) => object;
    this.#object = new Class(this.#context(name), env);
  }

  call(method: string, args: readonly unknown[], answer: Answer): void {
    this.#open.add(answer);
    const once: Answer = (outcome) => {
      if (this.#open.delete(answer)) answer(outcome);
    };
    const fails = (error: unknown): void => once({ ok: false, error: errorOf(error) });
    try {
      const run: unknown = Reflect.get(this.#object, method);
      if (typeof run !== "function") throw new TypeError(`there is no method ${method}`);
      const result: unknown = run.apply(this.#object, args);
      Promise.resolve(result).then((value) => {
        this.#disk.afterFlush((isFlushed) => {
          if (isFlushed) once({ ok: true, value });
          else fails(new Error("the object's write was lost"));
        });
      }, fails);
    } catch (error) {
      fails(error);
    }
  }

  /** It goes on by what it finds on a replica that nobody else writes. */
  strandOn(replica: Disk): void {
    this.#disk = replica;
  }

  /** Nothing more leaves it, and those who wait hear so. What it wrote and did not flush is lost. */
  end(reason: string): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    if (!this.isCutOff) this.#disk.crash();
    for (const answer of this.#open) answer({ ok: false, error: new Error(reason) });
    this.#open.clear();
  }

  #context(name: string): Context {
    return {
      id: { name },
      storage: {
        sql: { exec: (sql, ...bindings) => this.#exec(sql, bindings) },
        transactionSync: (write) => {
          this.#demandStorage();
          return this.#disk.atOnce(write);
        },
      },
      abort: (reason) => this.end(reason),
    };
  }

  #exec(sql: string, bindings: readonly SQLInputValue[]): object {
    this.#demandStorage();
    const { rows, changed } = this.#disk.run(sql, bindings);
    if (changed > 0) {
      this.#disk.afterFlush((isFlushed) => {
        if (!isFlushed) this.end("the object's write was lost");
      });
    }
    return { rowsWritten: changed, toArray: () => rows, one: () => rows[0] };
  }

  #demandStorage(): void {
    if (!this.isAlive || this.isCutOff) throw new Error("the object's storage is gone");
  }
}

/** How long two instances may be alive at once, in ms. */
const OVERLAP_MS = [10, 5000] as const;

interface ObjectPlan {
  readonly className: ClassName;
  readonly name: string;
  readonly disk: Disk;
  /** An instance that is cut off its storage reads a replica on, instead of failing. */
  readonly strands: boolean;
}

export class DurableObject {
  readonly className: ClassName;
  readonly name: string;
  readonly disk: Disk;
  readonly #world: World;
  readonly #host: () => Process;
  readonly #listener: Listener;
  readonly #strands: boolean;
  #current: Instance | undefined;
  #older: Instance | undefined;

  constructor(world: World, plan: ObjectPlan, host: () => Process, listener: Listener) {
    const { className, name, disk, strands } = plan;
    this.#strands = strands;
    this.className = className;
    this.name = name;
    this.disk = disk;
    this.#world = world;
    this.#host = host;
    this.#listener = listener;
  }

  /** A call arrives. While there are two instances, either one may get it. */
  call(method: string, args: unknown[], answer: Answer): void {
    const instance = this.#instance();
    const { machine } = instance.process;
    const { jumps } = machine;
    instance.call(method, args, (outcome) => {
      if (outcome.ok) {
        const nowMs = machine.jumps === jumps ? machine.now() : undefined;
        this.#listener({ object: this, method, args, value: outcome.value, nowMs });
      }
      answer(outcome);
    });
  }

  /** It is idle, or its machine is needed: the next call starts it anew. */
  evict(): void {
    this.#current?.end("evicted");
    this.#current = undefined;
    this.#older?.end("evicted");
    this.#older = undefined;
  }

  /** Another instance is started though this one lives on, with its storage or without. */
  supersede(): void {
    const older = this.#current;
    if (!older?.isAlive || this.#older?.isAlive) return;
    const isShared = this.#world.random.isOneOf(2);
    if (!isShared) {
      // What an instance wrote and did not flush before it was cut off never will be.
      this.disk.crash();
      if (this.#strands) older.strandOn(this.disk.replica());
      else older.isCutOff = true;
    }
    this.#older = older;
    this.#current = undefined;
    this.#world.after(this.#world.random.spread(...OVERLAP_MS), () => older.end("superseded"));
  }

  #instance(): Instance {
    const older = this.#older;
    if (older?.isAlive && older.process.isAlive && this.#world.random.isOneOf(2)) return older;
    const current = this.#current;
    if (current?.isAlive && current.process.isAlive) return current;
    const host = this.#host();
    host.machine.restarted();
    this.#current = new Instance(host, this.disk, this.className, this.name, {});
    return this.#current;
  }
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(`${error}`);
}
