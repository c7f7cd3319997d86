/** A store in memory that outlives processes. It is slow, fails now and then, and may have a chosen fault. */
import type { MinterStore } from "../../../src/client/minter-store.ts";
import type { World } from "./world.ts";

/** The faults of a broken store. */
export type StoreFault =
  | "puts without comparing"
  | "answers before it is durable"
  | "returns a lower mark";

/** More than the distance that a mark is written ahead. */
const LOWERED_MS = 20_000;
/** How long a store that answers too early takes to make a text durable, in ms. */
const SYNC_MS = 8000;

/** The failures of a put: it rejects before or after it is carried out, or never returns. */
const MISHAPS = ["before", "after", "never"] as const;

export class MemoryStore {
  readonly #world: World;
  readonly #fault: StoreFault | undefined;
  #text: string | undefined;
  #durable: string | undefined;
  /** Puts that failed or never returned, although they were carried out. */
  inDoubt = 0;
  /** Puts that were carried out after their minter had ended: the next minter sees another's text. */
  strays = 0;

  constructor(world: World, fault?: StoreFault) {
    this.#world = world;
    this.#fault = fault;
  }

  /** The store of one running minter. */
  of(isRunning: () => boolean): MinterStore {
    return {
      get: () => this.#get(),
      put: (text, expected) => this.#put(text, expected, isRunning),
    };
  }

  #get(): Promise<string | undefined> {
    this.#world.touch();
    return new Promise((resolve) => {
      this.#world.reply(this.#world.random.between(0, 5), () => {
        this.#world.touch();
        resolve(this.#shown());
      });
    });
  }

  #put(text: string, expected: string | undefined, isRunning: () => boolean): Promise<boolean> {
    const { random } = this.#world;
    const reply = this.#world.replier();
    this.#world.touch();
    return new Promise((resolve, reject) => {
      const ends = (end: () => void): void => {
        reply(random.between(0, 5), () => {
          this.#world.touch();
          end();
        });
      };
      const mishap = random.isOneOf(70) ? MISHAPS[random.between(0, 2)] : undefined;
      this.#world.after(random.isOneOf(100) ? random.spread(100, 20_000) : 2, () => {
        const matches = this.#fault === "puts without comparing" || this.#isStored(expected);
        const puts = matches && mishap !== "before";
        if (puts) {
          this.#write(text);
          if (mishap) this.inDoubt += 1;
          if (!isRunning()) this.strays += 1;
        }
        if (mishap === "never") return;
        if (mishap) ends(() => reject(new Error("the disk failed")));
        else ends(() => resolve(puts));
      });
    });
  }

  /** The machine crashes: texts that are not durable are lost. */
  crash(): void {
    if (this.#fault === "answers before it is durable") this.#text = this.#durable;
  }

  #write(text: string): void {
    this.#text = text;
    this.#world.after(SYNC_MS, () => {
      this.#durable = text;
    });
  }

  /** The stored text, or a faulty version of it. */
  #isStored(expected: string | undefined): boolean {
    return this.#text === expected || this.#shown() === expected;
  }

  #shown(): string | undefined {
    if (this.#fault !== "returns a lower mark" || this.#text === undefined) return this.#text;
    const { mark, lease, ...rest } = JSON.parse(this.#text);
    if (mark === undefined) return this.#text;
    // Still within its lease, or the minter would not resume it.
    const { notBefore, layout } = lease;
    const perMs = 2 ** layout.sequenceBits / layout.tickMs;
    const begin = (notBefore - layout.epochMs) * perMs;
    return JSON.stringify({ ...rest, lease, mark: Math.max(begin, mark - LOWERED_MS * perMs) });
  }
}
