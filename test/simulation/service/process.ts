/** A process of a simulated world: the product with a clock, timers and randomness of its own, which end with it. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Evaluate, Product, Surroundings } from "./bundle.ts";
import type { Machine } from "./machine.ts";
import type { World } from "./world.ts";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export class Process {
  readonly product: Product;
  readonly machine: Machine;
  isAlive = true;
  readonly #world: World;

  constructor(world: World, machine: Machine, evaluate: Evaluate, fetch: Fetch = noFetch) {
    this.#world = world;
    this.machine = machine;
    this.product = evaluate(this.#surroundings(fetch));
  }

  /** Runs a callback in this process after that time and any pause, unless the process has ended by then. */
  after(ms: number, happen: () => void): void {
    this.#world.after(ms, () => {
      this.machine.stall.timer(() => {
        if (this.isAlive) happen();
      });
    });
  }

  #surroundings(fetch: Fetch): Surroundings {
    const { now } = this.machine;
    const cancelled = new Set<unknown>();
    const clear = (timer: unknown): void => void cancelled.add(timer);
    const begin = (run: () => void, ms: number, repeats: boolean): object => {
      const timer = {};
      const fires = (): void => {
        if (cancelled.delete(timer)) return;
        run();
        if (repeats) this.after(ms, fires);
      };
      this.after(ms, fires);
      return timer;
    };
    return {
      Date: dateAt(now),
      Math: mathWith(this.#world.random.next),
      // Nobody sets this clock.
      performance: { now: () => this.#world.nowMs },
      scheduler: { wait: (ms, { signal } = {}) => this.#wait(ms, signal) },
      setTimeout: (run, ms) => begin(run, ms, false),
      setInterval: (run, ms) => begin(run, ms, true),
      clearTimeout: clear,
      clearInterval: clear,
      fetch,
      crypto: cryptoWith(this.#world.random.next),
      // Requests fail on purpose, and each of those logs a line.
      console: { log: () => undefined, warn: () => undefined, error: () => undefined },
    };
  }

  #wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      this.after(ms, resolve);
    });
  }
}

function noFetch(): Promise<Response> {
  throw new Error("this process has no way out");
}

function dateAt(now: () => number): DateConstructor {
  return new Proxy(Date, {
    get: (date, name) => (name === "now" ? now : Reflect.get(date, name)),
    construct: (date, given) => Reflect.construct(date, given.length === 0 ? [now()] : given),
  });
}

function mathWith(random: () => number): Math {
  return Object.create(Math, { random: { value: random } });
}

/** As much of Web Crypto as the product uses. */
function cryptoWith(random: () => number): object {
  const byte = (): number => Math.floor(random() * 256);
  return {
    getRandomValues: (bytes: Uint8Array) => {
      for (let at = 0; at < bytes.length; at += 1) bytes[at] = byte();
      return bytes;
    },
    randomUUID: () => Buffer.from(Array.from({ length: 16 }, byte)).toString("hex"),
    subtle: {
      timingSafeEqual,
      digest: async (_: string, bytes: Uint8Array) =>
        createHash("sha256").update(bytes).digest().buffer,
    },
  };
}
