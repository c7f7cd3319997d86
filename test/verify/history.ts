/** Hand-made histories for the checker. */
import { Checker, type Rules, type Sent } from "../../src/verify/checker.ts";
import type { Outcome } from "../../src/verify/outcome.ts";
import { type Check, verdicts } from "../../src/verify/report.ts";
import type { Moment } from "../../src/verify/time-check.ts";

/** 2026-01-01. */
const START_UNIX_MS = 1_767_225_600_000;

export const RULES: Rules = {
  requestsMax: 100,
  count: 1,
  sources: [undefined, "a", "b"],
  strict: false,
  shard: undefined,
  fields: undefined,
  times: undefined,
};
export const [PLAIN, KEY_A, KEY_B] = [0, 1, 2];

/** A checker with a clock that moves on by 1 ms with each event. */
export class History {
  readonly checker: Checker;
  nowMs = 0;
  /** How far its clock was stepped. */
  steppedMs = 0;

  constructor(change: Partial<Rules> = {}) {
    this.checker = new Checker({ ...RULES, ...change });
  }

  now(): Moment {
    return { ms: this.nowMs, unixMs: START_UNIX_MS + this.nowMs + this.steppedMs };
  }

  send(source = PLAIN): Sent {
    this.nowMs += 1;
    return this.checker.sent(source, this.nowMs, this.now());
  }

  end(sent: Sent, outcome: Outcome): void {
    this.nowMs += 1;
    this.checker.ended(sent, outcome, this.now());
  }

  /** A request that was answered before anything else happened. */
  answer(source: number, ids: readonly bigint[], shard?: number): void {
    this.end(this.send(source), { kind: "acknowledged", ids, shard });
  }

  verdicts(): readonly Check[] {
    return verdicts(this.checker, this.checker.ids.repetitions(), "a test");
  }

  verdict(name: string): Check {
    const found = this.verdicts().find((check) => check.name === name);
    if (!found) throw new Error(`there is no check ${name}`);
    return found;
  }

  /** The names of what is broken. */
  broken(): string[] {
    return this.verdicts().flatMap(({ name, verdict }) => (verdict === "broken" ? [name] : []));
  }
}

/** An event of a random history: a request of a source is sent, or the open one at that place is answered. */
export type Step =
  | { readonly kind: "send"; readonly source: number }
  | { readonly kind: "answer"; readonly at: number };

export interface Given {
  readonly source: number;
  readonly ids: bigint[];
  /** The number of the event. */
  readonly sent: number;
  readonly ended: number;
}

/** The answers of those steps, in their order; what is left open at the end is answered. IDs are `idsOf` each. */
export function answersOf(
  steps: readonly Step[],
  idsOf: (source: number, answer: number) => bigint[],
): Given[] {
  const open: { source: number; sent: number }[] = [];
  const answers: Given[] = [];
  let event = 0;
  const answer = (at: number): void => {
    const [request] = open.splice(at % open.length, 1);
    if (!request) return;
    event += 1;
    answers.push({ ...request, ids: idsOf(request.source, answers.length), ended: event });
  };
  for (const step of steps) {
    if (step.kind === "send") {
      event += 1;
      open.push({ source: step.source, sent: event });
    } else if (open.length > 0) answer(step.at);
  }
  while (open.length > 0) answer(0);
  return answers;
}

/** Tells a checker of them, event by event. */
export function play(answers: readonly Given[], change: Partial<Rules> = {}): History {
  const history = new History({ requestsMax: answers.length, ...change });
  const events = answers.flatMap((given) => [
    { at: given.sent, given, isSending: true },
    { at: given.ended, given, isSending: false },
  ]);
  const open = new Map<Given, Sent>();
  for (const { given, isSending } of events.sort((one, other) => one.at - other.at)) {
    const sent = open.get(given);
    if (isSending) open.set(given, history.send(given.source));
    else if (sent) history.end(sent, { kind: "acknowledged", ids: given.ids });
  }
  return history;
}
