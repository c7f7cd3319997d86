import { EdgeflakeError } from "./errors.ts";

/** What failed is tried again after this, in ms, unless the service says otherwise. */
const RETRY_MS = 1000;

/** Work in the background, one piece at a time, that never rejects: what failed is tried again after a while. */
export class Job {
  #running: Promise<void> | undefined;
  /** By performance.now(): clocks that are set tell nothing of how long ago something was. */
  #idleUntilMs = 0;
  #failure: unknown;

  /** Why the last piece failed; undefined where it did not. */
  get failure(): unknown {
    return this.#failure;
  }

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  /** Begins a piece of work, unless one is under way or has failed just now; left alone for `capMs` at most. */
  begin(work: () => Promise<unknown>, capMs: number): void {
    if (this.#running || performance.now() < this.#idleUntilMs) return;
    this.#running = work()
      .then(
        () => {
          this.#failure = undefined;
        },
        (error: unknown) => {
          const { retryAfterMs = RETRY_MS } = error instanceof EdgeflakeError ? error : {};
          this.#idleUntilMs = performance.now() + Math.min(retryAfterMs, capMs);
          this.#failure = error;
        },
      )
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Resolves once nothing is under way. */
  async ended(): Promise<void> {
    await this.#running;
  }
}
