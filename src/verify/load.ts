import type { Checker } from "./checker.ts";
import type { Dialect, HttpRequest } from "./dialects.ts";
import type { HttpSender } from "./http-sender.ts";
import type { Moment } from "./time-check.ts";

export interface LoadPlan {
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
  readonly connections: number;
  readonly timeoutMs: number;
  /** One request for each source of the checker's rules. */
  readonly requests: readonly HttpRequest[];
  /** The order of the sources, repeated. */
  readonly turns: readonly number[];
}

export interface LoadParts {
  readonly checker: Checker;
  readonly sender: Pick<HttpSender, "send">;
  readonly dialect: Pick<Dialect, "read">;
  /** Ends the sending. Open requests may still end. */
  readonly stop: AbortSignal;
}

/**
 * Sends a request every 1000 / rate ms, however slow the answers are, and reports requests and outcomes to the checker.
 * A request that could not be sent for `timeoutMs` is skipped, so that a stalled server does not get the whole backlog
 * at once.
 */
export class Load {
  readonly #plan: LoadPlan;
  readonly #parts: LoadParts;
  readonly #startMs = performance.now();
  readonly #faults: unknown[] = [];
  #sendingMs: number;
  #inFlight = 0;
  #wake = (): void => {};

  constructor(plan: LoadPlan, parts: LoadParts) {
    this.#plan = plan;
    this.#parts = parts;
    this.#sendingMs = plan.seconds * 1000;
    parts.stop.addEventListener("abort", () => this.#wake());
  }

  /**
   * Resolves after all requests have ended. The result is the time during which requests were sent, in ms: as planned,
   * or until the last request that had to wait, or until the stop.
   */
  async run(): Promise<number> {
    const { rate, seconds, connections, timeoutMs, turns } = this.#plan;
    const { checker, stop } = this.#parts;
    const total = rate * seconds;
    const spacingMs = 1000 / rate;
    let number = 0;
    while (number < total && !stop.aborted && this.#faults.length === 0) {
      const lateMs = this.#now().ms - number * spacingMs;
      if (lateMs < 0) await this.#pause(-lateMs);
      else if (lateMs > timeoutMs) {
        checker.skip(1);
        number += 1;
      } else if (this.#inFlight === connections) await this.#pause(timeoutMs - lateMs);
      else {
        const ended = this.#send(turns[number % turns.length] ?? 0, number * spacingMs);
        ended.catch((error) => this.#faults.push(error));
        number += 1;
      }
    }
    if (number < total) {
      this.#sendingMs = this.#now().ms;
      const due = Math.min(total, Math.floor(this.#sendingMs / spacingMs) + 1);
      checker.skip(Math.max(0, due - number));
    }
    while (this.#inFlight > 0) await this.#pause(timeoutMs);
    if (this.#faults.length > 0) throw this.#faults[0];
    return this.#sendingMs;
  }

  async #send(source: number, dueMs: number): Promise<void> {
    const { checker, sender, dialect } = this.#parts;
    const request = this.#plan.requests[source];
    if (!request) throw new RangeError(`unknown source ${source}`);
    const at = this.#now();
    this.#sendingMs = Math.max(this.#sendingMs, at.ms);
    const sent = checker.sent(source, dueMs, at);
    this.#inFlight += 1;
    const received = await sender.send(request);
    this.#inFlight -= 1;
    if (this.#inFlight === 0 || this.#inFlight === this.#plan.connections - 1) this.#wake();
    const outcome = received.kind === "answer" ? dialect.read(received) : received;
    checker.ended(sent, outcome, this.#now());
  }

  /** Waits for a time, an answer, or the stop. */
  async #pause(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, Math.max(1, ms));
    });
    clearTimeout(timer);
  }

  #now(): Moment {
    return { ms: performance.now() - this.#startMs, unixMs: Date.now() };
  }
}
