/** One instance of a Durable Object: its clock and its end, for all classes of objects. */
import { type ClockEcho, type InstanceClock, isFrozen } from "../core/line/object-clock.ts";

/** Range of instance numbers: 32 random bits distinguish the few instances that a caller meets within seconds. */
const INSTANCES = 2 ** 32;

export class Instance {
  readonly #ctx: DurableObjectState;
  readonly #number = 1 + Math.floor(Math.random() * INSTANCES);

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  /** Reads the instance's clock. */
  clock(): InstanceClock {
    return { instance: this.#number, nowMs: Date.now() };
  }

  /** Reads the clock. If the echo proves that it is frozen, ends the instance: the next one reads the true clock. */
  checkedClock(echo: ClockEcho): InstanceClock {
    const clock = this.clock();
    if (isFrozen(clock, echo)) this.end("this instance's clock is frozen");
    return clock;
  }

  /** Ends the instance: it sends no more replies, and the next call starts another. */
  end(reason: string): never {
    console.error(JSON.stringify({ ended: reason }));
    this.#ctx.abort(reason);
    throw new Error(reason);
  }
}
