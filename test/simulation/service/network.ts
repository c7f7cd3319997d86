/** The network between processes: slow, lossy and unordered. Sometimes it makes a call twice. */
import type { Answer } from "./instance.ts";
import type { World } from "./world.ts";

/** The time of a message in ms, and of a late message; between neighbours, less than 1 ms. */
const USUAL_MS = [0, 15] as const;
const LATE_MS = [100, 30_000] as const;
/** The time after which a caller gets the error of a lost call, in ms. */
const NOTICED_MS = [1, 10_000] as const;
/** One in so many messages, while the network is bad. */
const LATE_ONE_IN = 60;
const LOST_ONE_IN = 120;
const TWICE_ONE_IN = 120;
const OVERLOADED_ONE_IN = 400;

export class Network {
  readonly #world: World;
  isBad = true;
  /** All are neighbours. */
  isNear = false;
  readonly seen = { late: 0, lostCalls: 0, lostAnswers: 0, twice: 0, overloaded: 0 };

  constructor(world: World) {
    this.#world = world;
  }

  /** Carries a call there and its answer back. `deliver` may be called twice or never, `answer` is once. */
  carry(deliver: (answer: Answer) => void, answer: Answer): void {
    const { random } = this.#world;
    const isBad = this.isBad;
    if (isBad && random.isOneOf(OVERLOADED_ONE_IN)) {
      this.seen.overloaded += 1;
      const error = Object.assign(new Error("too many requests queued"), { overloaded: true });
      this.#after(() => answer({ ok: false, error }));
      return;
    }
    if (isBad && random.isOneOf(LOST_ONE_IN)) {
      this.seen.lostCalls += 1;
      this.#lose(answer);
      return;
    }
    let isAnswered = false;
    const back: Answer = (outcome) => {
      if (isAnswered) return;
      isAnswered = true;
      if (this.isBad && random.isOneOf(LOST_ONE_IN)) {
        this.seen.lostAnswers += 1;
        this.#lose(answer);
      } else this.#after(() => answer(outcome));
    };
    this.#after(() => deliver(back));
    if (isBad && random.isOneOf(TWICE_ONE_IN)) {
      this.seen.twice += 1;
      this.#after(() => deliver(back));
    }
  }

  #lose(answer: Answer): void {
    const error = new Error("network connection lost");
    this.#world.after(this.#world.random.spread(...NOTICED_MS), () => answer({ ok: false, error }));
  }

  #after(happen: () => void): void {
    const { random } = this.#world;
    const isLate = this.isBad && random.isOneOf(LATE_ONE_IN);
    if (isLate) this.seen.late += 1;
    const usualMs = this.isNear ? 0 : random.between(...USUAL_MS);
    this.#world.after(isLate ? random.spread(...LATE_MS) : usualMs, happen);
  }
}
