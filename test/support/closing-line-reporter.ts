import type { Reporter, TestModule } from "vitest/node";

/** Ends the run with `N passed, N failed`, one line that any script can read. */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    // A file that does not load, or an error outside of any test, fails the run too.
    let failed = errors.length;
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") passed += 1;
        if (state === "failed") failed += 1;
      }
    }
    process.once("exit", () => process.stdout.write(`${passed} passed, ${failed} failed\n`));
  }
}
