/**
 * Work in the background, one piece at a time. What failed is tried again after a while.
 *
 * Invariants, each proved by the tests with the same number:
 *  J1 The claim of a piece lapses after a fixed time: in a Worker a piece that the end of its request cut off never
 *     settles, and the next request takes over. Nobody awaits it: all that is kept of it is plain data.
 *  J2 A piece that comes back after the next one began, or after `drop`, changes nothing.
 *  J3 A clock that was set back holds nothing up: an age that is negative is over.
 */
import { EdgeflakeError } from "./errors.ts";
import type { WaitUntil } from "./minter-options.ts";
import { type Check, Turns } from "./turns.ts";

/** What failed is tried again after this, in ms, unless the service says otherwise. */
const RETRY_MS = 1000;

export class Job {
  readonly #limitMs: number;
  readonly #restMaxMs: number;
  readonly #waitUntil: WaitUntil | undefined;
  readonly #turns = new Turns();
  /** Nothing begins from then on, by performance.now(), for that long: a piece has its claim, or the last one failed. */
  #heldAtMs = 0;
  #heldForMs = 0;
  #failure: unknown;

  /** `limitMs`: when a claim lapses, later than a piece's own deadlines. What failed is left alone for `restMaxMs` at most. */
  constructor(limitMs: number, restMaxMs: number, waitUntil: WaitUntil | undefined) {
    this.#limitMs = limitMs;
    this.#restMaxMs = restMaxMs;
    this.#waitUntil = waitUntil;
  }

  /** Why the last piece failed; undefined if it did not. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Begins a piece of work, unless one is under way or has failed just now. */
  begin(work: (check: Check) => Promise<unknown>): void {
    if (this.#isHeld()) return;
    const check = this.#turns.next();
    this.#hold(this.#limitMs);
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
        // It came back too late (J2).
      });
    try {
      this.#waitUntil?.(ended);
    } catch {
      // Outside of a request there is nothing to keep alive.
    }
  }

  /** Gives up the piece that is under way, if there is one. */
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
