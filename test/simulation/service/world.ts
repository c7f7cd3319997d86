/** Time of a simulated world. One event runs at a time, with all its work that does not wait. */

import { Random } from "../../support/random.ts";
import { EventQueue } from "../event-queue.ts";

interface Event {
  readonly atMs: number;
  readonly happen: () => void;
}

/** Other work of the process, such as the test runner's, runs after so many events. */
const EVENTS_A_TURN = 1000;
/** Node's ticks until the work of promises and streams is done: each tick runs after all promises of the last. */
const TICKS = 3;

/** Seeded: the same seed, the same world. Nothing in it waits for real time. */
export class World {
  readonly random: Random;
  nowMs: number;
  /** Events that have happened. */
  events = 0;
  readonly #queue = new EventQueue<Event>();
  #failure: Error | undefined;

  constructor(seed: number, nowMs: number) {
    this.random = new Random(seed);
    this.nowMs = nowMs;
  }

  /** Runs a callback after that time. */
  after(ms: number, happen: () => void): void {
    this.#queue.push({ atMs: this.nowMs + ms, happen });
  }

  /** A promise was broken: the world ends. The first one counts. */
  broken(what: string, cause?: unknown): void {
    this.#failure ??= new Error(`broken: ${what} (seed ${this.random.seed})`, { cause });
  }

  /** Runs the events of that time, or until `enough`. Throws if a promise was broken. */
  async run(forMs: number, enough: () => boolean = () => false): Promise<void> {
    const untilMs = this.nowMs + forMs;
    await settled();
    while (!enough()) {
      if (this.#failure) throw this.#failure;
      const event = this.#queue.pop();
      if (!event) break;
      if (event.atMs > untilMs) {
        this.#queue.push(event);
        break;
      }
      this.nowMs = event.atMs;
      this.events += 1;
      event.happen();
      await settled();
      if (this.events % EVENTS_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    if (!enough()) this.nowMs = untilMs;
    if (this.#failure) throw this.#failure;
  }
}

/** Waits for all work that settled promises start. */
async function settled(): Promise<void> {
  for (let tick = 0; tick < TICKS; tick += 1) {
    await new Promise<void>((resolve) => process.nextTick(resolve));
  }
}
