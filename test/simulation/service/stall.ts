/** A part of the world that may pause. After a pause, the delayed events happen at once, timers before messages. */
import type { World } from "./world.ts";

export class Stall {
  readonly #world: World;
  #sinceMs = 0;
  #untilMs = 0;
  #stoodMs = 0;
  readonly #timers: (() => void)[] = [];
  readonly #messages: (() => void)[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  get #isOn(): boolean {
    return this.#untilMs > 0;
  }

  /** The total time of its pauses, in ms. */
  get stoodMs(): number {
    return this.#stoodMs + (this.#isOn ? this.#world.nowMs - this.#sinceMs : 0);
  }

  begin(forMs: number): void {
    if (!this.#isOn) this.#sinceMs = this.#world.nowMs;
    this.#untilMs = Math.max(this.#untilMs, this.#world.nowMs + forMs);
    this.#world.after(forMs, () => {
      if (this.#world.nowMs >= this.#untilMs) this.end();
    });
  }

  end(): void {
    if (!this.#isOn) return;
    this.#stoodMs = this.stoodMs;
    this.#untilMs = 0;
    const held = [...this.#timers.splice(0), ...this.#messages.splice(0)];
    for (const happen of held) this.#world.after(0, happen);
  }

  /** Runs a timer's callback, after the pause if there is one. */
  timer(happen: () => void): void {
    if (this.#isOn) this.#timers.push(happen);
    else happen();
  }

  /** A call or an answer arrives. */
  message(happen: () => void): void {
    if (this.#isOn) this.#messages.push(happen);
    else happen();
  }
}
