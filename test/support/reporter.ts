import type { Reporter, TestModule, TestSpecification } from "vitest/node";

/** How the lines begin that the runtime writes about requests that fail: its log, exceptions and warnings. */
const RUNTIME_LINES = /^(\{"requestId"|uncaught exception; |Uncaught |A header value for )/;
/** Of those, the last ones are enough to explain a failure. */
const RUNTIME_LINES_KEPT = 100;

interface Tally {
  passed: number;
  failed: number;
}

/**
 * One line for each project that is done, and at the end `N passed, N failed`, which any script can read. Tests fail
 * requests on purpose: the lines that the runtime writes about them are shown only if a test fails.
 */
export default class RunReporter implements Reporter {
  readonly #filesLeft = new Map<string, number>();
  readonly #tallies = new Map<string, Tally>();
  readonly #runtimeLines: string[] = [];

  onInit(): void {
    for (const stream of [process.stdout, process.stderr]) {
      const write = stream.write.bind(stream);
      stream.write = (chunk: string | Uint8Array, ...more: never[]): boolean =>
        typeof chunk === "string" && RUNTIME_LINES.test(chunk)
          ? this.#keep(chunk)
          : write(chunk, ...more);
    }
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    for (const { project } of specifications) {
      this.#filesLeft.set(project.name, (this.#filesLeft.get(project.name) ?? 0) + 1);
    }
  }

  onTestModuleEnd(module: TestModule): void {
    const { name } = module.project;
    const tally = this.#tallies.get(name) ?? { passed: 0, failed: 0 };
    this.#tallies.set(name, tally);
    // A file that does not load fails the run too.
    tally.failed += module.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === "passed") tally.passed += 1;
      if (state === "failed") tally.failed += 1;
    }
    const left = (this.#filesLeft.get(name) ?? 0) - 1;
    this.#filesLeft.set(name, left);
    if (left === 0 && tally.passed + tally.failed > 0)
      process.stdout.write(`${name}: ${lineOf(tally)}\n`);
  }

  onTestRunEnd(_: readonly TestModule[], errors: readonly unknown[]): void {
    // An error outside of any test fails the run too.
    const sum: Tally = { passed: 0, failed: errors.length };
    for (const { passed, failed } of this.#tallies.values()) {
      sum.passed += passed;
      sum.failed += failed;
    }
    process.once("exit", () => {
      if (sum.failed > 0) process.stdout.write(this.#runtimeLines.join(""));
      process.stdout.write(`${lineOf(sum)}\n`);
    });
  }

  #keep(lines: string): true {
    this.#runtimeLines.push(lines);
    if (this.#runtimeLines.length > RUNTIME_LINES_KEPT) this.#runtimeLines.shift();
    return true;
  }
}

function lineOf({ passed, failed }: Tally): string {
  return `${passed} passed, ${failed} failed`;
}
