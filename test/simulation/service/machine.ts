/**
 * A machine, which may stand for a while, with its clock: one that drifts, is set forward and back, and may then show
 * the same time until it has caught up.
 */
import { Stall } from "./stall.ts";
import type { World } from "./world.ts";

/** How much faster or slower than the world's a clock may run, in parts per million: crystals are within 100, worn ones 10 times that. */
const DRIFT_PPM_MAX = 1000;

export class Machine {
  /** Its processes stand with it; its clock goes on. */
  readonly stall: Stall;
  /** How often what the clock shows has jumped. */
  jumps = 0;
  /** What the clock is ahead of the world's by its having been set, in ms. */
  #aheadMs: number;
  readonly #world: World;
  readonly #rate: number;
  readonly #startMs: number;
  /** Set back, it stands still, as that of an object in workerd does. */
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

  /** Date.now() of its processes. During an event it stands still, as in deployed Workers between I/O. */
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
