/** A machine that runs one minting process after another. It makes IDs, crashes, pauses, and has a wrong clock. */
import { EdgeflakeError } from "../../../src/client/errors.ts";
import { Minter } from "../../../src/client/minter.ts";
import type { MemoryStore } from "./memory-store.ts";
import type { Actor, World } from "./world.ts";

const HOUR_MS = 3_600_000;
/** How long a request of a Worker may last after it began, in ms. */
const REQUEST_MAX_MS = 10_000;

export interface HostPlan {
  /** Its identity for the desk and the checker: hosts with one store are one. */
  readonly owner: number;
  readonly holder: string;
  readonly ttlMs: number;
  readonly store: MemoryStore | undefined;
  /** Nobody else writes to its store, so it must not lose the store. */
  readonly isStoreOwn: boolean;
  /** A Worker: each call is a request, and work that outlives it never settles. */
  readonly isWorker: boolean;
}

export interface Doings {
  crashes: number;
  crashesAfterStamping: number;
  closes: number;
  pauses: number;
  clockSteps: number;
  /** Requests of a Worker that ended. */
  requests: number;
  readonly refusals: Map<string, number>;
}

export class Host implements Actor {
  skewMs: number;
  pausedUntilMs = 0;
  cutOffUntilMs = 0;
  /** Mishaps may happen. */
  isWild = true;
  readonly plan: HostPlan;
  readonly #world: World;
  readonly #take: (id: string) => void;
  readonly #doings: Doings;
  #minter: Minter | undefined;
  /** Counts its processes: all but the last have ended. */
  #process = 0;
  #straysBefore = 0;
  stampedAtMs = 0;

  constructor(world: World, plan: HostPlan, doings: Doings, take: (id: string) => void) {
    this.plan = plan;
    this.#world = world;
    this.#doings = doings;
    this.#take = take;
    this.skewMs = world.random.between(-HOUR_MS, HOUR_MS);
  }

  /** Starts a process after that time. */
  start(afterMs: number): void {
    this.#process += 1;
    this.#straysBefore = this.plan.store?.strays ?? 0;
    this.#request(afterMs, (end) => this.#open(end));
  }

  /** Runs as this process. In a Worker, its timers and responses are cut off some time after `end`. */
  #request(afterMs: number, run: (end: () => void) => void): void {
    const process = this.#process;
    let untilMs = Number.POSITIVE_INFINITY;
    const end = (): void => {
      if (!this.plan.isWorker) return;
      this.#doings.requests += 1;
      untilMs = this.#world.nowMs + this.#world.random.spread(1, REQUEST_MAX_MS);
    };
    const isAlive = () => this.#process === process && this.#world.nowMs <= untilMs;
    this.#world.afterAs(this, isAlive, afterMs, () => run(end));
  }

  #open(end: () => void): void {
    this.#world.touch();
    const { holder, ttlMs, store } = this.plan;
    const process = this.#process;
    const options = { url: "http://ids.test", namespace: "orders", holder, ttlMs };
    let hasFailed = false;
    const own = store?.of(() => this.#process === process && !hasFailed);
    const { random } = this.#world;
    const reply = this.#world.replier();
    Minter.open({ ...options, store: own }).then(
      (minter) => {
        this.#minter = minter;
        reply(0, () => {
          end();
          this.#next(0);
        });
      },
      (error: unknown) => {
        hasFailed = true;
        if (error instanceof EdgeflakeError) this.#count(error.code);
        reply(random.between(100, 10_000), () => this.#open(end));
      },
    );
  }

  #next(afterMs: number): void {
    this.#request(afterMs, (end) => {
      end();
      this.#act();
    });
  }

  #act(): void {
    const { random } = this.#world;
    this.#world.touch();
    this.#next(random.spread(100, 12_000));
    const minter = this.#minter;
    if (!minter) return;
    if (
      minter.storeLost &&
      this.plan.isStoreOwn &&
      this.plan.store?.strays === this.#straysBefore
    ) {
      throw new Error(`broken: host ${this.plan.owner} lost a store that nobody took`);
    }
    if (!this.isWild || !random.isOneOf(25)) this.#stamp(minter);
    else if (random.isOneOf(3)) this.#end(minter);
    else this.#suffer();
  }

  /** Pauses, loses its connection, or has its clock set. */
  #suffer(): void {
    const { random, nowMs } = this.#world;
    const kind = random.between(0, 3);
    if (kind === 0) {
      this.#doings.pauses += 1;
      this.pausedUntilMs = nowMs + random.spread(1000, HOUR_MS);
    } else if (kind === 1) {
      this.cutOffUntilMs = nowMs + random.spread(1000, 300_000);
    } else {
      this.#doings.clockSteps += 1;
      const stepMs = random.spread(1, HOUR_MS) * (kind === 2 ? 1 : -1);
      this.skewMs = Math.max(-HOUR_MS, Math.min(HOUR_MS, this.skewMs + stepMs));
    }
  }

  #end(minter: Minter): void {
    const { random } = this.#world;
    const laterMs = random.spread(1, 60_000);
    if (random.isOneOf(2)) {
      this.#doings.closes += 1;
      this.#world.touch();
      void minter.close().catch((error: unknown) => this.#world.fail(error));
      this.#demand(() => [minter.next()]);
      // It may end before its close has finished.
      this.start(random.isOneOf(4) ? 1 : laterMs + 15_000);
      return;
    }
    if (random.isOneOf(2)) {
      this.#stamp(minter);
      this.#doings.crashesAfterStamping += 1;
    }
    this.#doings.crashes += 1;
    this.#minter = undefined;
    this.plan.store?.crash();
    this.start(random.isOneOf(2) ? 1 : laterMs);
  }

  #stamp(minter: Minter): void {
    const { random } = this.#world;
    const count = random.spread(1, 40);
    const kind = random.between(0, 9);
    if (kind === 0) {
      this.#world.touch();
      const ready = minter.ready().then(
        () => this.#demand(() => [minter.next()]),
        (error: unknown) => this.#refused(error),
      );
      ready.catch((error: unknown) => this.#world.fail(error));
    } else if (kind < 4) this.#demand(() => minter.take(count));
    else {
      for (let left = count; left > 0; left -= 1) {
        const isOpen = this.#demand(() => [left % 2 ? minter.next() : `${minter.nextBigInt()}`]);
        if (!isOpen) return;
      }
    }
  }

  #demand(ids: () => string[]): boolean {
    try {
      for (const id of ids()) this.#take(id);
      this.stampedAtMs = this.#world.nowMs;
      return true;
    } catch (error) {
      this.#refused(error);
      return false;
    }
  }

  /** The errors that next() may throw; any other fails the test. */
  #refused(error: unknown): void {
    if (!(error instanceof EdgeflakeError)) throw error;
    const { code, retryAfterMs, definite } = error;
    this.#count(code);
    const isSaturated = code === "shard_saturated";
    if (!isSaturated && code !== "lease_lost" && code !== "closed") throw error;
    if (!definite || (isSaturated && !(Number(retryAfterMs) > 0))) throw error;
  }

  #count(code: string): void {
    const { refusals } = this.#doings;
    refusals.set(code, (refusals.get(code) ?? 0) + 1);
  }
}
