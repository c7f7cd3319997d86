/** What the command writes to: standard streams, and the progress on one of them. */
import type { Checker } from "./checker.ts";
import { PROGRESS_EVERY_MS } from "./limits.ts";
import { figure } from "./report-text.ts";

/**
 * A standard stream that may have been closed, or be a file on a full disk: what it can't take is lost, and stops
 * nothing. Without this, the stream's error would end the process in the middle of a run.
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

  /** When all was written: what it failed with, if it did. */
  async settled(): Promise<Error | undefined> {
    await this.#written;
    return this.#error;
  }

  #fail(error: Error): void {
    this.#error ??= error;
  }
}

/** Where progress is written: standard error. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  /** Of the terminal. */
  readonly columns?: number;
  write(text: string): unknown;
}

/** Back to the line's start, and away with what is on it. */
const REWRITE = "\r\x1b[K";

/** Of a terminal that does not say. */
const COLUMNS_DEFAULT = 80;

/** Tells each second how a run goes: on one line of a terminal, on lines of their own elsewhere. */
export class Progress {
  readonly #output: ProgressOutput;
  readonly #checker: Checker;
  readonly #timer: NodeJS.Timeout;
  readonly #startMs = performance.now();
  #acknowledged = 0;

  constructor(output: ProgressOutput, checker: Checker) {
    this.#output = output;
    this.#checker = checker;
    this.#timer = setInterval(() => this.#tell(), PROGRESS_EVERY_MS);
  }

  /** Ends it, and leaves the terminal's line empty. */
  end(): void {
    clearInterval(this.#timer);
    if (this.#output.isTTY) this.#output.write(REWRITE);
  }

  #tell(): void {
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
    // A line that wraps could not be rewritten.
    this.#output.write(isTTY ? REWRITE + line.slice(0, columns - 1) : `${line}\n`);
  }
}
