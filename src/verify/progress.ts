import type { Checker } from "./checker.ts";
import { PROGRESS_EVERY_MS } from "./limits.ts";
import { figure } from "./text-table.ts";

/** The stream for progress: standard error. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  /** Width of the terminal, in characters. */
  readonly columns?: number;
  write(text: string): unknown;
}

/** Returns to the start of the line and clears it. */
const REWRITE = "\r\x1b[K";

/** The width of a terminal that does not report one. */
const COLUMNS_DEFAULT = 80;

/**
 * Writes the progress each second: on one line of a terminal, on separate lines elsewhere. Returns a function that stops
 * it and clears the terminal's line.
 */
export function showProgress(output: ProgressOutput, checker: Checker): () => void {
  const startMs = performance.now();
  let before = 0;
  const timer = setInterval(() => {
    const { sent, acknowledged, definite, indefinite, skipped } = checker.requests;
    const line = [
      `${figure((performance.now() - startMs) / 1000)} s`,
      `${figure(sent)} sent`,
      `${figure(acknowledged)} acknowledged (+${figure(acknowledged - before)})`,
      `failed ${figure(definite)} definite, ${figure(indefinite)} indefinite`,
      `${figure(skipped)} skipped`,
      `p99 ${figure(checker.fromSchedule.percentile(99) / 1000, 1)} ms`,
    ].join("  ");
    before = acknowledged;
    const { isTTY, columns = COLUMNS_DEFAULT } = output;
    // A line that wraps can't be rewritten.
    output.write(isTTY ? REWRITE + line.slice(0, columns - 1) : `${line}\n`);
  }, PROGRESS_EVERY_MS);
  return () => {
    clearInterval(timer);
    if (output.isTTY) output.write(REWRITE);
  };
}
