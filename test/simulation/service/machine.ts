/**
 * A machine that may pause, with its clock. The clock drifts, is set forward and back, and may then show
 * the same time until it has caught up.
 */
import { Stall } from "./stall.ts";
import type { World } from "./world.ts";

/** How much faster or slower than the world's a clock may run, in parts per million: crystals are within 100, worn ones 10 times that. */
const DRIFT_PPM_MAX = 1000;

export class Machine {
  /** In a stall its processes pause; its clock continues. */
  readonly stall: Stall;
  /** How often the clock has jumped. */
  jumps = 0;
  /** How far the clock was set ahead of the world's, in ms. */
  #aheadMs: number;
  readonly #world: World;
  readonly #rate: number;
  readonly #startMs: number;
  /** If set back, it freezes, like the clock of an object in workerd. */
  readonly #neverGoesBack: boolean;
  #shownMs = 0;

  constructor(world: World) {
    const { random } = world;
    this.#world = world;
    this.stall = new Stall(world);
    this.#startMs = world.nowMs;
    this.#rate = 1 + random.between(-DRIFT_PPM_MAX, DRIFT_PPM_MAX) / 1e6;
    this.#neverGoesBack = random.isOneOf(2);
    this.#aheadMs = random.between(-50, 50);
  }

  /** Date.now() of its processes. It is frozen during an event, as in deployed Workers between I/O. */
  now = (): number => {
    const trueMs = this.#startMs + (this.#world.nowMs - this.#startMs) * this.#rate + this.#aheadMs;
    if (this.#neverGoesBack && trueMs < this.#shownMs) return this.#shownMs;
    this.#shownMs = Math.floor(trueMs);
    return this.#shownMs;
  };

  /** Sets the clock forward, or back. */
  step(byMs: number): void {
    this.#aheadMs += byMs;
    this.jumps += 1;
  }

  /** New processes, and new instances of objects, see the true clock again. */
  restarted(): void {
    this.#shownMs = 0;
    this.jumps += 1;
  }
}
