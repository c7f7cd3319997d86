/** Something that may stand for a while: what is due meanwhile happens as soon as it goes on, timers before messages. */
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

  /** For how long it has stood in all, in ms. */
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

  /** A timer is due. */
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
