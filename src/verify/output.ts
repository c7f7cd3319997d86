/** The output of the command: standard streams, and the progress on one of them. */
import type { Checker } from "./checker.ts";
import { PROGRESS_EVERY_MS } from "./limits.ts";
import { figure } from "./report-text.ts";

/**
 * A standard stream that may be closed, or be a file on a full disk. A failed write is kept as an error; without this,
 * it would end the process in the middle of a run.
 */
export class Output {
  readonly #stream: NodeJS.WriteStream;
  #error: Error | undefined;
  #written: Promise<void> = Promise.resolve();

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    stream.on("error", (error) => this.#fail(error));
  }

  get isTTY(): boolean {
    return this.#stream.isTTY;
  }

  get columns(): number {
    return this.#stream.columns;
  }

  write(text: string): void {
    if (this.#error) return;
    this.#written = new Promise((resolve) => {
      this.#stream.write(text, (error) => {
        if (error) this.#fail(error);
        resolve();
      });
    });
  }

  /** Waits until all is written. Resolves to the first error, if any. */
  async settled(): Promise<Error | undefined> {
    await this.#written;
    return this.#error;
  }

  #fail(error: Error): void {
    this.#error ??= error;
  }
}

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

/** Writes the progress each second: on one line of a terminal, on separate lines elsewhere. */
export class Progress {
  readonly #output: ProgressOutput;
  readonly #checker: Checker;
  readonly #timer: NodeJS.Timeout;
  readonly #startMs = performance.now();
  #acknowledged = 0;

  constructor(output: ProgressOutput, checker: Checker) {
    this.#output = output;
    this.#checker = checker;
    this.#timer = setInterval(() => this.#write(), PROGRESS_EVERY_MS);
  }

  /** Stops, and clears the terminal's line. */
  end(): void {
    clearInterval(this.#timer);
    if (this.#output.isTTY) this.#output.write(REWRITE);
  }

  #write(): void {
    const { requests, fromSchedule } = this.#checker;
    const { sent, acknowledged, definite, indefinite, skipped } = requests;
    const elapsed = Math.round((performance.now() - this.#startMs) / 1000);
    const p99Ms = (fromSchedule.at(0.99) ?? 0) / 1000;
    const now = acknowledged - this.#acknowledged;
    this.#acknowledged = acknowledged;
    const line = [
      `${elapsed} s`,
      `${figure(sent)} sent`,
      `${figure(acknowledged)} acknowledged (+${figure(now)})`,
      `failed ${figure(definite)} definite, ${figure(indefinite)} indefinite`,
      `${figure(skipped)} skipped`,
      `p99 ${figure(p99Ms, 1)} ms`,
    ].join("  ");
    const { isTTY, columns = COLUMNS_DEFAULT } = this.#output;
    // A line that wraps can't be rewritten.
    this.#output.write(isTTY ? REWRITE + line.slice(0, columns - 1) : `${line}\n`);
  }
}
