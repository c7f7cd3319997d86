/**
 * Time, timers and randomness of a simulated world. One event runs at a time, as one process with its own clock; all
 * that follows from it without waiting is done before the next. Nothing here waits for real time.
 */
import { vi } from "vitest";
import { Random } from "../../support/random.ts";
import { EventQueue } from "../event-queue.ts";

/** How late an interval's timer may fire, as a part of the interval: processes are busy. */
const INTERVAL_LATE_PARTS = 7;

/** A process, or the machine that it runs on. */
export interface Actor {
  /** Its clock minus the world's. */
  skewMs: number;
  /** Paused until then: later events wait. */
  pausedUntilMs: number;
}

interface Event {
  atMs: number;
  readonly actor: Actor | undefined;
  readonly isAlive: () => boolean;
  readonly run: () => void;
}

export class World {
  readonly random: Random;
  nowMs: number;
  /** Whose event is running. */
  actor: Actor | undefined;
  #isAlive: () => boolean = () => true;
  readonly #queue = new EventQueue<Event>();
  #isTouched = false;
  readonly #cancelled = new Set<number>();
  #timers = 0;
  #failure: unknown;

  constructor(seed: number, nowMs: number) {
    this.random = new Random(seed);
    this.nowMs = nowMs;
  }

  /** Registers promises that this event settles, or work that it begins, to wait for. */
  touch(): void {
    this.#isTouched = true;
  }

  fail(error: unknown): void {
    this.#failure ??= error;
  }

  /** Runs on time, as no process. */
  after(ms: number, run: () => void): void {
    this.#push({ atMs: this.nowMs + ms, actor: undefined, isAlive: () => true, run });
  }

  /** Runs as that process, unless it ended; later if it is paused. */
  afterAs(actor: Actor, isAlive: () => boolean, ms: number, run: () => void): void {
    this.#push({ atMs: this.nowMs + ms, actor, isAlive, run });
  }

  /** `afterAs` for the process whose event is running. */
  reply(ms: number, run: () => void): void {
    const { actor } = this;
    if (!actor) throw new Error("nobody's event is running");
    this.afterAs(actor, this.#isAlive, ms, run);
  }

  /** `reply`, for when something has happened elsewhere. */
  replier(): (ms: number, run: () => void) => void {
    const { actor } = this;
    const isAlive = this.#isAlive;
    if (!actor) throw new Error("nobody's event is running");
    return (ms, run) => this.afterAs(actor, isAlive, ms, run);
  }

  /** Runs all events until then. Throws the first failure. */
  async run(forMs: number, fetch: (url: string, init: RequestInit) => Promise<unknown>) {
    const untilMs = this.nowMs + forMs;
    const turn = setImmediate;
    const real = { now: Date.now, random: Math.random };
    this.#stub(fetch);
    try {
      for (
        let event = this.#queue.pop();
        event && event.atMs <= untilMs;
        event = this.#queue.pop()
      ) {
        this.nowMs = Math.max(this.nowMs, event.atMs);
        if (!event.isAlive()) continue;
        if (event.actor && event.actor.pausedUntilMs > this.nowMs) {
          event.atMs = event.actor.pausedUntilMs;
          this.#queue.push(event);
          continue;
        }
        this.actor = event.actor;
        this.#isAlive = event.isAlive;
        this.#isTouched = false;
        event.run();
        if (this.#isTouched) await new Promise((resolve) => turn(resolve));
        this.actor = undefined;
        if (this.#failure) throw this.#failure;
      }
    } finally {
      vi.unstubAllGlobals();
      Date.now = real.now;
      Math.random = real.random;
    }
  }

  #stub(fetch: (url: string, init: RequestInit) => Promise<unknown>): void {
    Date.now = () => Math.floor(this.nowMs + (this.actor?.skewMs ?? 0));
    Math.random = this.random.next;
    // Nobody sets it, and it does not advance in a pause.
    vi.stubGlobal("performance", { now: () => this.nowMs });
    vi.stubGlobal("fetch", fetch);
    vi.stubGlobal("setTimeout", (run: () => void, ms: number) => {
      this.touch();
      this.#timers += 1;
      const timer = this.#timers;
      this.reply(ms, () => {
        if (this.#cancelled.delete(timer)) return;
        this.touch();
        run();
      });
      return timer;
    });
    vi.stubGlobal("clearTimeout", (timer: number) => {
      this.#cancelled.add(timer);
    });
    vi.stubGlobal("setInterval", (run: () => void, ms: number) => {
      this.#timers += 1;
      const timer = this.#timers;
      const reply = this.replier();
      const again = (): void => {
        reply(ms * (1 + this.random.next() * INTERVAL_LATE_PARTS), () => {
          if (this.#cancelled.delete(timer)) return;
          this.touch();
          run();
          again();
        });
      };
      again();
      return timer;
    });
    vi.stubGlobal("clearInterval", (timer: number) => {
      this.#cancelled.add(timer);
    });
  }

  #push(event: Event): void {
    this.#queue.push(event);
  }
}
