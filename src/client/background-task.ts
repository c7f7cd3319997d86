/**
 * A task that runs in the background, one run at a time. A failed run is repeated after a pause.
 *
 * Invariants, each proved by the tests with the same number:
 *  J1 The claim of a run lapses after a fixed time: in a Worker, a run never settles if the end of its request cut it
 *     off. The next request then starts another. No caller awaits a run: only plain data is kept of it.
 *  J2 A run that returns after the next one began, or after `drop`, changes nothing.
 *  J3 A clock that was set back delays nothing: a claim or pause of negative age has lapsed.
 */
import { EdgeflakeError } from "./errors.ts";
import type { WaitUntil } from "./minter-options.ts";
import { type Check, Turns } from "./turns.ts";

/** The pause after a failed run, in ms, unless the service names another. */
const RETRY_MS = 1000;

export class BackgroundTask {
  readonly #claimMs: number;
  readonly #restMaxMs: number;
  readonly #waitUntil: WaitUntil | undefined;
  readonly #turns = new Turns();
  /** No run begins for `#heldForMs` after that, by performance.now(): one has the claim, or the last one failed. */
  #heldAtMs = 0;
  #heldForMs = 0;
  #failure: unknown;

  /** `claimMs`: how long a claim lasts, longer than a run's own deadlines. `restMaxMs`: the longest pause. */
  constructor(claimMs: number, restMaxMs: number, waitUntil: WaitUntil | undefined) {
    this.#claimMs = claimMs;
    this.#restMaxMs = restMaxMs;
    this.#waitUntil = waitUntil;
  }

  /** Why the last run failed; undefined if it did not. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Begins a run, unless one is under way or the pause after a failure lasts. */
  begin(work: (check: Check) => Promise<unknown>): void {
    if (this.#isHeld()) return;
    const check = this.#turns.next();
    this.#hold(this.#claimMs);
    const end = (failure: unknown, restMs: number): void => {
      check();
      this.#failure = failure;
      this.#hold(restMs);
    };
    const ended = work(check)
      .then(
        () => end(undefined, 0),
        (error: unknown) => {
          const { retryAfterMs = RETRY_MS } = error instanceof EdgeflakeError ? error : {};
          end(error, Math.min(retryAfterMs, this.#restMaxMs));
        },
      )
      .catch(() => {
        // The run returned too late (J2).
      });
    try {
      this.#waitUntil?.(ended);
    } catch {
      // Outside of a request, waitUntil throws: no response ends the work.
    }
  }

  /** Abandons the run that is under way, if any. */
  drop(): void {
    this.#turns.next();
    this.#hold(0);
  }

  #hold(forMs: number): void {
    this.#heldAtMs = performance.now();
    this.#heldForMs = forMs;
  }

  #isHeld(): boolean {
    const heldMs = performance.now() - this.#heldAtMs;
    return heldMs >= 0 && heldMs < this.#heldForMs;
  }
}
