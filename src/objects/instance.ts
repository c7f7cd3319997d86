/** One instance of a Durable Object: what every class of object needs of it. */
import { type ClockEcho, type InstanceClock, isFrozen } from "../core/line/object-clock.ts";

/** 32 random bits tell the few instances of one object apart that a caller meets within seconds. */
const INSTANCES = 2 ** 32;

export class Instance {
  readonly #ctx: DurableObjectState;
  readonly #number = 1 + Math.floor(Math.random() * INSTANCES);

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  /** Reads its clock. */
  clock(): InstanceClock {
    return { instance: this.#number, nowMs: Date.now() };
  }

  /** Reads its clock, and ends the instance if the echo proves that it is frozen: the next one reads the true clock. */
  checkedClock(echo: ClockEcho): InstanceClock {
    const clock = this.clock();
    if (isFrozen(clock, echo)) this.end("this instance's clock is frozen");
    return clock;
  }

  /** Ends the instance: nothing more leaves it, and the next call starts another. */
  end(reason: string): never {
    console.error(JSON.stringify({ ended: reason }));
    this.#ctx.abort(reason);
    throw new Error(reason);
  }
}
