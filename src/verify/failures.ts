import { FAILURE_CODES_MAX } from "./limits.ts";
import type { Failure } from "./report.ts";
import { shown } from "./server-text.ts";

interface Tally {
  definite: number;
  indefinite: number;
  example: string;
}

/** Codes beyond FAILURE_CODES_MAX are counted together. */
const OTHER = "other";

/** Failed requests by code. */
export class Failures {
  readonly #tallies = new Map<string, Tally>();

  add(kind: "definite" | "indefinite", code: string, detail: string): void {
    const known = this.#tallies.has(shown(code)) || this.#tallies.size < FAILURE_CODES_MAX;
    const name = known ? shown(code) : OTHER;
    const tally = this.#tallies.get(name) ?? { definite: 0, indefinite: 0, example: "" };
    tally[kind] += 1;
    tally.example ||= shown(detail);
    this.#tallies.set(name, tally);
  }

  of(kind: "definite" | "indefinite"): number {
    return [...this.#tallies.values()].reduce((sum, tally) => sum + tally[kind], 0);
  }

  /** Most first. */
  list(): Failure[] {
    const failures = [...this.#tallies].map(([code, tally]) => ({ code, ...tally }));
    const many = (one: Failure): number => one.definite + one.indefinite;
    return failures.sort((one, other) => many(other) - many(one));
  }
}
