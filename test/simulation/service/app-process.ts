/** Processes outside of the platform that use the published client or minter; they crash and start again. */
import type { Evaluate, Product } from "./bundle.ts";
import type { History, Source, Space } from "./history.ts";
import type { HttpAnswer, Isolate } from "./isolate.ts";
import { Machine } from "./machine.ts";
import type { Network } from "./network.ts";
import { Process } from "./process.ts";
import { runsOf } from "./runs.ts";
import type { World } from "./world.ts";

const URL_BASE = "http://edgeflake.test";
/** How often it does something, how long it lives, and how long it stays down, in ms. */
const ACT_MS = [10, 2000] as const;
const LIFE_MS = [5000, 120_000] as const;
const DOWN_MS = [1, 20_000] as const;
const BURST_MAX = 80;
/** How long a minter is kept open, how soon another one is opened, and for how long it leases, in ms. */
const OPEN_MS = [1000, 200_000] as const;
const REOPEN_MS = [1, 3000] as const;
const TTL_MS = 10_000;

export interface Surroundings {
  readonly world: World;
  readonly network: Network;
  readonly history: History;
  readonly isolates: readonly Isolate[];
  readonly evaluate: Evaluate;
}

abstract class AppProcess {
  readonly machine: Machine;
  protected readonly around: Surroundings;
  protected readonly space: Space;
  /** IDs that it got. */
  got = 0;
  /** From now on it neither crashes nor sends requests. */
  isSpared = false;
  isDone = false;

  constructor(around: Surroundings, space: Space) {
    this.around = around;
    this.space = space;
    this.machine = new Machine(around.world);
  }

  /** Lives, crashes, and starts again. */
  start(): void {
    const { world, evaluate } = this.around;
    const { random } = world;
    this.machine.restarted();
    const process = new Process(world, this.machine, evaluate, (url, init) =>
      this.#fetch(process, url, init),
    );
    this.begin(process);
    process.after(random.spread(...LIFE_MS), () => {
      if (this.isSpared) return;
      process.isAlive = false;
      world.after(random.spread(...DOWN_MS), () => this.start());
    });
  }

  get name(): string {
    return `${this.constructor.name} of ${this.space.name}`;
  }

  protected abstract begin(process: Process): void;

  /** Does something now and then for as long as the process lives, and until it says false. */
  protected again(process: Process, act: () => boolean): void {
    process.after(this.around.world.random.spread(...ACT_MS), () => {
      if (!this.isDone && act()) this.again(process, act);
    });
  }

  protected take(process: Process, ids: readonly string[], source: Source): void {
    // Results of a process that has ended are lost.
    if (!process.isAlive) return;
    this.got += ids.length;
    this.around.history.got(this.space, runsOf(ids), source);
  }

  /** A failed call. Failures are expected here, but they must have a code; required successes are counted elsewhere. */
  protected readonly failed = (error: unknown): void => {
    if (error instanceof Error && "code" in error && error.code !== "internal") return;
    this.around.world.broken(`A1: ${this.name} failed without a code: ${error}`, error);
  };

  #fetch(process: Process, url: string, { method, headers, body, signal }: RequestInit) {
    const { world, network, isolates } = this.around;
    const isolate = world.random.pick(isolates);
    return new Promise<Response>((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      const init = { method: method ?? "GET", headers: headers ?? {}, body: body ?? null };
      network.carry(
        (answer) => isolate.fetch(url, init, answer),
        (outcome) =>
          process.machine.stall.message(() => {
            if (!process.isAlive) return;
            if (!outcome.ok) return reject(new TypeError("fetch failed", { cause: outcome.error }));
            const { text, ...answered } = outcome.value as HttpAnswer;
            resolve(new Response(answered.status === 204 ? null : text, answered));
          }),
      );
    });
  }
}

/** Uses `edgeflake/client`. */
export class ClientProcess extends AppProcess {
  protected override begin(process: Process): void {
    const { Client } = process.product;
    const client = new Client({ url: URL_BASE, namespace: this.space.name });
    this.again(process, () => {
      this.#act(process, client);
      return true;
    });
  }

  #act(process: Process, client: Product["Client"]["prototype"]): void {
    const { world, history } = this.around;
    const { random } = world;
    const { name } = this.space;
    if (random.isOneOf(8)) {
      const key = `client-${random.between(1, 3)}`;
      const order = `${name} ${key}`;
      const above = history.highest(order);
      client.take(random.spread(1, 500), { key }).then((ids) => {
        this.take(process, ids, "asked");
        if (process.isAlive) history.inOrder(order, above, runsOf(ids));
      }, this.failed);
      return;
    }
    const next = async (): Promise<void> => {
      for (let left = random.spread(1, BURST_MAX); left > 0; left -= 1) {
        const id = client.next();
        if (typeof id === "string") this.take(process, [id], "memory");
        else this.take(process, [await id], "asked");
      }
    };
    next().catch(this.failed);
  }
}

/** Uses `edgeflake/minter`. */
export class MinterProcess extends AppProcess {
  protected override begin(process: Process): void {
    if (this.isDone) return;
    const { Minter } = process.product;
    const { name } = this.space;
    const options = { url: URL_BASE, namespace: name, holder: "simulated", ttlMs: TTL_MS };
    Minter.open(options).then(
      (minter) => this.#live(process, minter),
      (error) => {
        this.failed(error);
        this.#beginAgain(process);
      },
    );
  }

  #beginAgain(process: Process): void {
    process.after(this.around.world.random.spread(...REOPEN_MS), () => this.begin(process));
  }

  #live(process: Process, minter: Product["Minter"]["prototype"]): void {
    const { random } = this.around.world;
    const untilMs = this.around.world.nowMs + random.spread(...OPEN_MS);
    this.again(process, () => {
      if (this.around.world.nowMs < untilMs) this.#stamp(process, minter);
      else {
        minter.close().catch(this.failed);
        this.#beginAgain(process);
        return false;
      }
      return true;
    });
  }

  #stamp(process: Process, minter: Product["Minter"]["prototype"]): void {
    const { random } = this.around.world;
    try {
      if (random.isOneOf(4)) this.take(process, minter.take(random.spread(1, 400)), "minted");
      else {
        for (let left = random.spread(1, BURST_MAX); left > 0; left -= 1) {
          this.take(process, [minter.next()], "minted");
        }
      }
    } catch (error) {
      // Closed by its lease or by the clock.
      this.failed(error);
    }
  }
}
