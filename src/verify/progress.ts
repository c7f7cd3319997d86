import type { Checker } from "./checker.ts";
import { PROGRESS_EVERY_MS } from "./limits.ts";
import { figure } from "./text-table.ts";

/** Returns to the start of the line and clears it. */
const REWRITE = "\r\x1b[K";

/**
 * Writes the progress to standard error each second: on one line of a terminal, on separate lines elsewhere. Returns a
 * function that stops it and clears the terminal's line.
 */
export function showProgress(checker: Checker): () => void {
  const { stderr } = process;
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
    // A line that wraps can't be rewritten.
    stderr.write(stderr.isTTY ? REWRITE + line.slice(0, stderr.columns - 1) : `${line}\n`);
  }, PROGRESS_EVERY_MS);
  return () => {
    clearInterval(timer);
    if (stderr.isTTY) stderr.write(REWRITE);
  };
}
