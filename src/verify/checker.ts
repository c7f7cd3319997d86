/**
 * The history checker: it receives every request and its outcome, in the order in which they happened, and decides
 * which promises held. Pure: no clock and no network.
 *
 * Order is promised only for requests that do not overlap: if a request was sent after an answer arrived, its IDs must
 * be greater than all IDs of that answer. The order of the calls decides which was first, not a clock.
 */
import { AcknowledgedIds, type Acknowledgement } from "./acknowledged-ids.ts";
import { Failures, Findings, shown } from "./findings.ts";
import { Histogram } from "./histogram.ts";
import type { IdFields, TimeBounds } from "./known-layout.ts";
import { OrderCheck } from "./order-check.ts";
import type { Outcome } from "./outcome.ts";
import type { RequestCounts } from "./report.ts";
import { type Moment, TimeCheck } from "./time-check.ts";

/** The part of a run's options that decides which answers are right. */
export interface Rules {
  /** The most requests that may be sent. */
  readonly requestsMax: number;
  /** IDs per request. */
  readonly count: number;
  /** The kinds of requests: `undefined` for a plain one, else its ordering key. */
  readonly sources: readonly (string | undefined)[];
  /** Whether every request has order=strict. */
  readonly strict: boolean;
  /** The shard that every request names, if any. */
  readonly shard: number | undefined;
  /** Reads the fields of an ID; undefined if the layout is unknown. */
  readonly fields: IdFields | undefined;
  readonly times: TimeBounds | undefined;
}

/** A request that was sent. */
export interface Sent {
  readonly event: number;
  readonly source: number;
  /** When it was due, in ms since the run began. */
  readonly dueMs: number;
  readonly at: Moment;
}

type Acknowledged = Extract<Outcome, { kind: "acknowledged" }>;

/** Latencies are counted in µs. */
const PER_MS = 1000;

export class Checker {
  readonly rules: Rules;
  readonly ids: AcknowledgedIds;
  readonly failures = new Failures();
  readonly fromSchedule = new Histogram();
  readonly fromSending = new Histogram();
  /** IDs by shard. */
  readonly shards = new Map<number, number>();
  readonly form = new Findings();
  readonly counts = new Findings();
  readonly keyOrder = new OrderCheck("key");
  readonly shardOrder = new OrderCheck("shard");
  readonly times: TimeCheck;
  readonly shardNames = new Findings();

  readonly #outstanding = new Set<Sent>();
  #events = 0;
  #sent = 0;
  #skipped = 0;
  #acknowledged = 0;
  #lastAnswerMs = 0;
  #shardsCompared = 0;

  constructor(rules: Rules) {
    const idsMax = rules.requestsMax * rules.count;
    this.rules = rules;
    this.ids = new AcknowledgedIds(rules.requestsMax, idsMax);
    this.times = new TimeCheck(rules.fields, rules.times, idsMax);
  }

  /** Records a request that is being sent now, of one of the rules' sources. */
  sent(source: number, dueMs: number, at: Moment): Sent {
    this.#events += 1;
    this.#sent += 1;
    this.times.see(at);
    const sent = { event: this.#events, source, dueMs, at };
    this.#outstanding.add(sent);
    return sent;
  }

  /** Records the outcome of a request, once for each. */
  ended(sent: Sent, outcome: Outcome, at: Moment): void {
    if (!this.#outstanding.delete(sent)) throw new Error("a request ended that was not open");
    this.#events += 1;
    this.times.see(at);
    if (outcome.kind === "acknowledged") this.#take(sent, outcome, at);
    else if (outcome.kind === "malformed") {
      this.form.add(() => `at ${seconds(at.ms)}: ${JSON.stringify(shown(outcome.text))}`);
      this.failures.add("indefinite", outcome.code ?? "malformed_answer", outcome.text);
    } else this.failures.add(outcome.kind, outcome.code, outcome.detail ?? "");
  }

  /** Counts requests that were due and will not be sent. */
  skip(count: number): void {
    this.#skipped += count;
  }

  get requests(): RequestCounts {
    return {
      due: this.#sent + this.#skipped,
      sent: this.#sent,
      skipped: this.#skipped,
      acknowledged: this.#acknowledged,
      definite: this.failures.of("definite"),
      indefinite: this.failures.of("indefinite"),
    };
  }

  /** When the last ID came, in ms since the run began. */
  get lastAnswerMs(): number {
    return this.#lastAnswerMs;
  }

  /** IDs whose shard is known from two sources at least: their bits, the answer's header, or the request. */
  get shardsCompared(): number {
    return this.#shardsCompared;
  }

  /** When and by which shard IDs were acknowledged, for people. */
  placeOf({ atMs, source, shard }: Acknowledgement): string {
    const of = shard === undefined ? "" : `, shard ${shard}`;
    return `at ${seconds(atMs)} (${this.#nameOf(source)}${of})`;
  }

  #take(sent: Sent, outcome: Acknowledged, at: Moment): void {
    const { count } = this.rules;
    this.#acknowledged += 1;
    this.#lastAnswerMs = at.ms;
    this.fromSchedule.add(Math.max(0, Math.round((at.ms - sent.dueMs) * PER_MS)));
    this.fromSending.add(Math.max(0, Math.round((at.ms - sent.at.ms) * PER_MS)));
    if (outcome.ids.length !== count) {
      this.counts.add(() => `at ${seconds(at.ms)}: ${outcome.ids.length} IDs, not ${count}`);
    }
    // Surplus IDs are counted above, and not checked.
    const ids = outcome.ids.slice(0, count);
    const acknowledgement = { atMs: at.ms, source: sent.source, shard: this.#shardOf(outcome) };
    const first = this.ids.count;
    const answer = this.ids.add(ids, acknowledgement);
    this.#checkShards(ids, outcome.shard, acknowledgement);
    this.times.add(ids, first, sent.at, at);
    this.#checkOrder(ids, sent, answer, outcome.shard);
  }

  #shardOf({ shard, ids: [first] }: Acknowledged): number | undefined {
    return shard ?? (first === undefined ? undefined : this.rules.fields?.shardOf(first));
  }

  #checkShards(ids: readonly bigint[], said: number | undefined, where: Acknowledgement): void {
    const { fields, shard: asked } = this.rules;
    if (said !== undefined && asked !== undefined && said !== asked) {
      this.shardNames.add(() => `${this.placeOf(where)}: shard ${asked} was requested`);
    }
    const expected = asked ?? said;
    const named = Number(said !== undefined) + Number(asked !== undefined);
    for (const id of ids) {
      const inId = fields?.shardOf(id);
      const shard = inId ?? said;
      if (shard !== undefined) this.shards.set(shard, (this.shards.get(shard) ?? 0) + 1);
      if (named + Number(inId !== undefined) > 1) this.#shardsCompared += 1;
      if (inId === undefined || expected === undefined || inId === expected) continue;
      const wanted = asked === undefined ? "" : `, shard ${asked} was requested`;
      this.shardNames.add(
        () => `${id} ${this.placeOf(where)}: the ID's bits have shard ${inId}${wanted}`,
      );
    }
  }

  #checkOrder(ids: readonly bigint[], sent: Sent, answer: number, said: number | undefined): void {
    const { sources, strict, shard = said } = this.rules;
    const given = {
      ids,
      answer,
      sentEvent: sent.event,
      event: this.#events,
      oldestOf: () => this.#oldestEvent(),
      placeOf: (index: number) => this.placeOf(this.ids.answer(index)),
    };
    const key = sources[sent.source];
    if (key !== undefined) this.keyOrder.follow(key, given);
    if (strict && shard !== undefined) this.shardOrder.follow(shard, given);
  }

  /** The event of the oldest open request; later requests have greater ones. */
  #oldestEvent(): number {
    for (const { event } of this.#outstanding) return event;
    return this.#events;
  }

  #nameOf(source: number): string {
    const key = this.rules.sources[source];
    return key === undefined ? "plain" : `key ${key}`;
  }
}

/** Milliseconds as seconds, for people. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`;
}
