import { EXAMPLES_MAX } from "./limits.ts";

/** How often a promise was broken, and the first examples. */
export class Findings {
  #count = 0;
  readonly #examples: string[] = [];

  add(example: () => string): void {
    this.#count += 1;
    if (this.#examples.length < EXAMPLES_MAX) this.#examples.push(example());
  }

  get count(): number {
    return this.#count;
  }

  get examples(): readonly string[] {
    return this.#examples;
  }
}
