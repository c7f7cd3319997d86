/**
 * The history checker: takes what was sent and what came of it, in the order in which it happened, and says which
 * promises held. Pure: no clock and no network.
 *
 * An order is promised only of requests that do not overlap: an ID whose request was sent after an answer had come
 * must be greater than all of that answer. Which came first is decided by the order of the calls, not by a clock.
 */
import { AcknowledgedIds, type Acknowledgement } from "./acknowledged-ids.ts";
import { Failures } from "./failures.ts";
import { Findings } from "./findings.ts";
import { Histogram } from "./histogram.ts";
import type { IdFields } from "./id-fields.ts";
import { Offsets, offsetMsOf, type TimeBounds } from "./id-times.ts";
import { OrderedLine } from "./ordered-line.ts";
import type { Outcome } from "./outcome.ts";
import type { RequestCounts } from "./report.ts";
import { shown } from "./server-text.ts";

/** What a run asks for, as far as it decides what is right. */
export interface Rules {
  /** Requests that may be sent. */
  readonly requestsMax: number;
  /** IDs of each. */
  readonly count: number;
  /** The kinds of requests: `undefined` for a plain one, else the text of its key. */
  readonly sources: readonly (string | undefined)[];
  /** Every request is asked with order=strict. */
  readonly strict: boolean;
  /** The shard that every request asks for. */
  readonly shard: number | undefined;
  /** How IDs are read; undefined where that is not known. */
  readonly fields: IdFields | undefined;
  readonly times: TimeBounds | undefined;
}

/** A moment by two clocks: ms since the run began, which never goes back, and unix ms. */
export interface Moment {
  readonly ms: number;
  readonly unixMs: number;
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
  readonly offsets = new Offsets();
  readonly fromSchedule = new Histogram();
  readonly fromSending = new Histogram();
  /** IDs by shard. */
  readonly shards = new Map<number, number>();
  readonly form = new Findings();
  readonly counts = new Findings();
  readonly keyOrder = new Findings();
  readonly shardOrder = new Findings();
  readonly times = new Findings();
  readonly shardNames = new Findings();
  /** Whether any answer could be held against these. */
  hasKeyOrder = false;
  hasShardOrder = false;
  hasShardNames = false;

  readonly #outstanding = new Set<Sent>();
  readonly #keyLines: readonly OrderedLine[];
  readonly #shardLines = new Map<number, OrderedLine>();
  #events = 0;
  #sent = 0;
  #skipped = 0;
  #acknowledged = 0;
  #lastAnswerMs = 0;

  constructor(rules: Rules) {
    this.rules = rules;
    this.ids = new AcknowledgedIds(rules.requestsMax, rules.requestsMax * rules.count);
    this.#keyLines = rules.sources.map(() => new OrderedLine());
  }

  /** A request that is being sent now, of one of the rules' sources. */
  sent(source: number, dueMs: number, at: Moment): Sent {
    this.#events += 1;
    this.#sent += 1;
    const sent = { event: this.#events, source, dueMs, at };
    this.#outstanding.add(sent);
    return sent;
  }

  /** What came of it; once for each. */
  ended(sent: Sent, outcome: Outcome, at: Moment): void {
    if (!this.#outstanding.delete(sent)) throw new Error("a request ended that was not open");
    this.#events += 1;
    if (outcome.kind === "acknowledged") this.#take(sent, outcome, at);
    else if (outcome.kind === "malformed") {
      this.form.add(() => `at ${seconds(at.ms)}: ${JSON.stringify(shown(outcome.text))}`);
      this.failures.add("indefinite", "malformed_answer", outcome.text);
    } else this.failures.add(outcome.kind, outcome.code, outcome.detail ?? "");
  }

  /** Requests that were due and are never sent. */
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

  /** Where and when IDs were acknowledged, for people. */
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
    // What is beyond that was not asked for.
    const ids = outcome.ids.slice(0, count);
    const acknowledgement = { atMs: at.ms, source: sent.source, shard: this.#shardOf(outcome) };
    const answer = this.ids.add(ids, acknowledgement);
    this.#checkShards(ids, outcome.shard, acknowledgement);
    this.#checkTimes(ids, sent, at);
    this.#checkOrder(ids, sent, answer, outcome.shard);
  }

  #shardOf({ shard, ids: [first] }: Acknowledged): number | undefined {
    return shard ?? (first === undefined ? undefined : this.rules.fields?.shardOf(first));
  }

  #checkShards(ids: readonly bigint[], said: number | undefined, where: Acknowledgement): void {
    const { fields, shard: asked } = this.rules;
    this.hasShardNames ||= said !== undefined && (fields !== undefined || asked !== undefined);
    if (said !== undefined && asked !== undefined && said !== asked) {
      this.shardNames.add(() => `${this.placeOf(where)}: shard ${asked} was asked`);
    }
    for (const id of ids) {
      const inId = fields?.shardOf(id);
      const shard = inId ?? said;
      if (shard !== undefined) this.shards.set(shard, (this.shards.get(shard) ?? 0) + 1);
      if (inId === undefined || said === undefined || inId === said) continue;
      this.shardNames.add(() => `${id} ${this.placeOf(where)}: the ID says shard ${inId}`);
    }
  }

  #checkTimes(ids: readonly bigint[], sent: Sent, at: Moment): void {
    const { fields, times } = this.rules;
    if (!fields) return;
    const { tickMs } = fields;
    const request = { tickMs, sentMs: sent.at.unixMs, answeredMs: at.unixMs };
    for (const id of ids) {
      const offsetMs = offsetMsOf({ ...request, unixMs: fields.unixMsOf(id) });
      this.offsets.add(offsetMs);
      if (!times || (offsetMs >= -times.behindMaxMs && offsetMs <= times.aheadMaxMs)) continue;
      const said = offsetMs < 0 ? `${-offsetMs} ms before` : `${offsetMs} ms after`;
      this.times.add(() => `${id} at ${seconds(at.ms)}: its time is ${said} its request's`);
    }
  }

  #checkOrder(ids: readonly bigint[], sent: Sent, answer: number, said: number | undefined): void {
    const { sources, strict, shard = said } = this.rules;
    const key = sources[sent.source];
    const keyLine = this.#keyLines[sent.source];
    if (key !== undefined && keyLine) {
      this.hasKeyOrder = true;
      this.#follow(keyLine, `key ${key}`, this.keyOrder, ids, sent, answer);
    }
    if (!strict || shard === undefined) return;
    this.hasShardOrder = true;
    const shardLine = this.#shardLines.get(shard) ?? new OrderedLine();
    this.#shardLines.set(shard, shardLine);
    this.#follow(shardLine, `shard ${shard}`, this.shardOrder, ids, sent, answer);
  }

  #follow(
    line: OrderedLine,
    name: string,
    findings: Findings,
    ids: readonly bigint[],
    sent: Sent,
    answer: number,
  ): void {
    let last = line.before(sent.event);
    let highest = last;
    for (const id of ids) {
      if (last && id <= last.id) {
        const { id: before, answer: earlier } = last;
        const where = (index: number): string => this.placeOf(this.ids.answer(index));
        findings.add(() => `${name}: ${id} ${where(answer)} after ${before} ${where(earlier)}`);
      }
      last = { id, answer };
      if (!highest || id > highest.id) highest = last;
    }
    if (highest) line.add(this.#events, highest, () => this.#oldestEvent());
  }

  /** No later request was sent before that. */
  #oldestEvent(): number {
    for (const { event } of this.#outstanding) return event;
    return this.#events;
  }

  #nameOf(source: number): string {
    const key = this.rules.sources[source];
    return key === undefined ? "plain" : `key ${key}`;
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`;
}
