/** Broken promises and failures of a run: counted, with the first few examples. */
import { EXAMPLES_MAX, FAILURE_CODES_MAX, SERVER_TEXT_MAX } from "./limits.ts";

/** How often a promise was broken, and the first examples. */
export class Findings {
  count = 0;
  readonly examples: string[] = [];

  add(example: () => string): void {
    this.count += 1;
    if (this.examples.length < EXAMPLES_MAX) this.examples.push(example());
  }
}

/** Codes beyond FAILURE_CODES_MAX are counted together. */
const OTHER = "other";

/** Failed requests by code. */
export class Failures {
  readonly #tallies = new Map<string, { definite: number; indefinite: number; example: string }>();
  readonly count = { definite: 0, indefinite: 0 };

  add(kind: "definite" | "indefinite", code: string, detail = ""): void {
    const known = this.#tallies.has(shown(code)) || this.#tallies.size < FAILURE_CODES_MAX;
    const name = known ? shown(code) : OTHER;
    const tally = this.#tallies.get(name) ?? { definite: 0, indefinite: 0, example: "" };
    this.count[kind] += 1;
    tally[kind] += 1;
    tally.example ||= shown(detail);
    this.#tallies.set(name, tally);
  }

  /** The most frequent first. `example`: the text of the first such failure that had one. */
  list() {
    const failures = [...this.#tallies].map(([code, tally]) => ({ code, ...tally }));
    return failures.sort((a, b) => b.definite + b.indefinite - a.definite - a.indefinite);
  }
}

/** A server's text made safe to show: short, on one line, without control characters. */
export function shown(text: string): string {
  const start = text.slice(0, SERVER_TEXT_MAX + 1).replace(/[^\x20-\x7e]/g, "?");
  return start.length > SERVER_TEXT_MAX ? `${start.slice(0, SERVER_TEXT_MAX)}...` : start;
}
