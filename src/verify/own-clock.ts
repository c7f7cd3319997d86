import { CLOCKS_DIFFER_MAX_MS, OWN_STEP_LEAST_MS } from "./limits.ts";
import type { Moment } from "./moment.ts";

/** Whether this machine's clock was stepped during a run: it is held against one that never is. */
export class OwnClock {
  readonly #toleranceMs: number;
  #apartMs: number | undefined;
  #hasStepped = false;

  /** `boundMs`: the smallest distance of an ID from its request that is wrong; a step as large looks like one. */
  constructor(boundMs: number) {
    this.#toleranceMs = Math.max(OWN_STEP_LEAST_MS, Math.min(CLOCKS_DIFFER_MAX_MS, boundMs));
  }

  see({ ms, unixMs }: Moment): void {
    const apartMs = unixMs - ms;
    this.#apartMs ??= apartMs;
    if (Math.abs(apartMs - this.#apartMs) > this.#toleranceMs) this.#hasStepped = true;
  }

  /** Stays true, also where it was stepped back again. */
  get hasStepped(): boolean {
    return this.#hasStepped;
  }
}
