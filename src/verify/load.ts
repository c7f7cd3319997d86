/** Requests at a steady rate: when each is due, and which of them are sent. */
import type { Checker } from "./checker.ts";
import type { Asking, Dialect, HttpRequest } from "./dialects.ts";
import type { HttpSender, Received } from "./http-sender.ts";
import { WAITING_LOOK_MS } from "./limits.ts";
import { type Outcome, tooLong } from "./outcome.ts";
import type { Moment } from "./time-check.ts";

export interface LoadPlan {
  readonly rate: number;
  readonly seconds: number;
  readonly connections: number;
  readonly timeoutMs: number;
}

/** Sends requests as they are due, and reports requests and outcomes to the checker. */
export class Load {
  readonly #plan: LoadPlan;
  readonly #checker: Checker;
  readonly #sender: HttpSender;
  readonly #dialect: Dialect;
  /** One request for each source of the checker's rules. */
  readonly #requests: readonly HttpRequest[];
  readonly #turns: readonly number[];
  readonly #pace: Pace;
  #startMs = 0;
  /** How long requests are sent, in ms: as planned, or until the last one that had to wait. */
  #sendingMs: number;
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;
  #onDone: () => void = () => {};

  /** `turns`: the order of the sources, repeated. */
  constructor(
    plan: LoadPlan,
    asking: Asking,
    turns: readonly number[],
    parts: { readonly checker: Checker; readonly sender: HttpSender; readonly dialect: Dialect },
  ) {
    this.#plan = plan;
    this.#sendingMs = plan.seconds * 1000;
    this.#checker = parts.checker;
    this.#sender = parts.sender;
    this.#dialect = parts.dialect;
    const { sources, requestsMax } = this.#checker.rules;
    this.#requests = sources.map((key) => parts.dialect.request(asking, key));
    this.#turns = turns;
    this.#pace = new Pace(plan.rate, requestsMax, plan.timeoutMs);
  }

  /** Resolves when all requests have ended, to how long requests were sent, in ms. */
  async run(): Promise<number> {
    this.#startMs = performance.now();
    await new Promise<void>((resolve) => {
      this.#onDone = resolve;
      this.#step();
    });
    clearTimeout(this.#timer);
    return this.#sendingMs;
  }

  /** Stops sending. Open requests may still end. */
  stop(): void {
    if (this.#pace.nextDueMs !== undefined) this.#sendingMs = this.#now().ms;
    this.#checker.skip(this.#pace.stop());
    this.#step();
  }

  #step(): void {
    clearTimeout(this.#timer);
    const nowMs = this.#now().ms;
    this.#checker.skip(this.#pace.advance(nowMs));
    while (this.#inFlight < this.#plan.connections) {
      const next = this.#pace.take();
      if (!next) break;
      this.#send(this.#turns[next.number % this.#turns.length] ?? 0, next.dueMs);
    }
    const { waiting, nextDueMs } = this.#pace;
    if (nextDueMs === undefined && waiting === 0) {
      if (this.#inFlight === 0) this.#onDone();
      return;
    }
    const dueInMs = nextDueMs === undefined ? WAITING_LOOK_MS : nextDueMs - nowMs;
    const laterMs = waiting > 0 ? Math.min(WAITING_LOOK_MS, dueInMs) : dueInMs;
    this.#timer = setTimeout(() => this.#step(), Math.max(1, laterMs));
  }

  #send(source: number, dueMs: number): void {
    const request = this.#requests[source];
    if (!request) throw new RangeError(`unknown source ${source}`);
    this.#inFlight += 1;
    const at = this.#now();
    this.#sendingMs = Math.max(this.#sendingMs, at.ms);
    const sent = this.#checker.sent(source, dueMs, at);
    this.#sender.send(request, (received) => {
      this.#inFlight -= 1;
      this.#checker.ended(sent, this.#outcomeOf(received), this.#now());
      if (this.#pace.waiting > 0 || this.#inFlight === 0) this.#step();
    });
  }

  #outcomeOf(received: Received): Outcome {
    if (received.kind === "answer") return this.#dialect.read(received.answer);
    if (received.kind === "too_long") return tooLong(received.status, received.start);
    return { kind: received.definite ? "definite" : "indefinite", code: received.code };
  }

  #now(): Moment {
    return { ms: performance.now() - this.#startMs, unixMs: Date.now() };
  }
}

/**
 * When requests are due: one every 1000 / rate ms, however slow the answers are. A request that could not be sent for
 * `waitMaxMs` is skipped, so that a stalled server does not get the whole backlog at once.
 *
 * Invariant: due = taken + skipped + waiting.
 */
export class Pace {
  readonly #spacingMs: number;
  readonly #total: number;
  readonly #waitMaxMs: number;
  /** Requests that are or were due; the first `#past` of them were taken or skipped. */
  #due = 0;
  #past = 0;

  /** `rate`: requests per second; `total`: all requests. Times are in ms since the first one was due. */
  constructor(rate: number, total: number, waitMaxMs: number) {
    this.#spacingMs = 1000 / rate;
    this.#total = total;
    this.#waitMaxMs = waitMaxMs;
  }

  /** Advances to a time, never back. Returns the number of requests that are skipped. */
  advance(nowMs: number): number {
    const due = Math.min(this.#total, Math.floor(nowMs / this.#spacingMs) + 1);
    this.#due = Math.max(this.#due, due);
    const past = this.#past;
    while (this.#past < this.#due && nowMs - this.#dueMsOf(this.#past) > this.#waitMaxMs) {
      this.#past += 1;
    }
    return this.#past - past;
  }

  /** The request that waited longest: its number, and when it was due. Undefined if none waits. */
  take(): { readonly number: number; readonly dueMs: number } | undefined {
    if (this.#past === this.#due) return undefined;
    const number = this.#past;
    this.#past += 1;
    return { number, dueMs: this.#dueMsOf(number) };
  }

  /** Skips all waiting requests and ends the schedule. Returns how many were skipped. */
  stop(): number {
    const waiting = this.#due - this.#past;
    this.#past = this.#total;
    this.#due = this.#total;
    return waiting;
  }

  get waiting(): number {
    return this.#due - this.#past;
  }

  /** When the next future request is due; undefined after the last. */
  get nextDueMs(): number | undefined {
    return this.#due < this.#total ? this.#dueMsOf(this.#due) : undefined;
  }

  #dueMsOf(number: number): number {
    return number * this.#spacingMs;
  }
}
