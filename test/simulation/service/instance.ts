/** One instance of a Durable Object: its class, its storage, and its open calls. */
import type { SQLInputValue } from "node:sqlite";
import type { Disk } from "./disk.ts";
import type { Process } from "./process.ts";
import { Stall } from "./stall.ts";
import type { World } from "./world.ts";

export type Outcome =
  | { readonly ok: true; readonly value: unknown; readonly served?: Served }
  | { readonly ok: false; readonly error: Error; readonly served?: Served };

/** How an isolate served a request. */
export interface Served {
  /** True if it made no call. */
  readonly isFromMemory: boolean;
  /** Its duration without the isolate's own stalls, in ms. */
  readonly awakeMs: number;
}

export type Answer = (outcome: Outcome) => void;

/** An instance's class by its name in the product. */
export type ClassName = "Shard" | "Segments" | "Leases" | "Registry";

export interface InstancePlan {
  readonly className: ClassName;
  readonly name: string;
  readonly disk: Disk;
}

/** The platform's arguments for an instance. */
interface Context {
  readonly id: { readonly name: string };
  readonly storage: {
    readonly sql: { exec(sql: string, ...bindings: SQLInputValue[]): object };
    transactionSync<Value>(write: () => Value): Value;
  };
  abort(reason: string): void;
}

export class Instance {
  readonly process: Process;
  /** Delays calls, like a slow start. Its timers are those of its machine. */
  readonly stall: Stall;
  isAlive = true;
  /** Its storage belongs to another instance now: each use of it fails. */
  isCutOff = false;
  /** Another instance of the object was alive at the same time. */
  hadCompany = false;
  #disk: Disk;
  readonly #object: object;
  readonly #aborted: (reason: string) => void;
  readonly #world: World;
  /** The arrival time of each open call. */
  readonly #open = new Map<Answer, number>();

  /** `aborted` is called just before the instance ends itself. */
  constructor(
    world: World,
    process: Process,
    { className, name, disk }: InstancePlan,
    aborted: (instance: Instance, reason: string) => void,
  ) {
    this.#world = world;
    this.process = process;
    this.stall = new Stall(world);
    this.#disk = disk;
    this.#aborted = (reason) => aborted(this, reason);
    // The class expects the platform's types; a world has only the part that the product uses.
    const Class = process.product[className] as new (context: Context, env: object) => object;
    this.#object = new Class(this.#context(name), {});
  }

  /** The arrival time of the oldest open call; Infinity without one. */
  get waitsSinceMs(): number {
    const [sinceMs = Number.POSITIVE_INFINITY] = this.#open.values();
    return sinceMs;
  }

  call(method: string, args: readonly unknown[], answer: Answer): void {
    this.#open.set(answer, this.#world.nowMs);
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

  /** Lets it continue with a replica of the disk that nobody else writes. */
  strandOn(replica: Disk): void {
    this.#disk = replica;
  }

  /** Ends the instance: open calls fail, and unflushed writes are lost. */
  end(reason: string): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    if (!this.isCutOff) this.#disk.crash();
    for (const answer of this.#open.keys()) answer({ ok: false, error: new Error(reason) });
    this.#open.clear();
    this.stall.end();
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
      abort: (reason) => {
        if (this.isAlive) this.#aborted(reason);
        this.end(reason);
      },
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

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(`${error}`);
}
