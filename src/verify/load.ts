import type { Checker } from "./checker.ts";
import type { Asking, Dialect, HttpRequest } from "./dialect.ts";
import type { HttpSender, Received } from "./http-sender.ts";
import { WAITING_LOOK_MS } from "./limits.ts";
import type { Moment } from "./moment.ts";
import { type Outcome, tooLong } from "./outcome.ts";
import { Pace } from "./pace.ts";

export interface LoadPlan {
  readonly rate: number;
  readonly seconds: number;
  readonly connections: number;
  readonly timeoutMs: number;
}

/** Sends requests as they are due, and tells the checker what was sent and what came of it. */
export class Load {
  readonly #plan: LoadPlan;
  readonly #checker: Checker;
  readonly #sender: HttpSender;
  readonly #dialect: Dialect;
  /** One of each source of the checker's rules. */
  readonly #requests: readonly HttpRequest[];
  readonly #turns: readonly number[];
  readonly #pace: Pace;
  #startMs = 0;
  /** For how long requests are sent: as planned, or until the last one that had to wait. */
  #sendingMs: number;
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;
  #onDone: () => void = () => {};

  /** `turns`: the sources in the order in which they are asked for, again and again. */
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

  /** Done when all that was sent has ended; for how long requests were being sent, in ms. */
  async run(): Promise<number> {
    this.#startMs = performance.now();
    await new Promise<void>((resolve) => {
      this.#onDone = resolve;
      this.#step();
    });
    clearTimeout(this.#timer);
    return this.#sendingMs;
  }

  /** Sends nothing any more; what is open may still end. */
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
    if (!request) throw new RangeError(`there is no source ${source}`);
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
