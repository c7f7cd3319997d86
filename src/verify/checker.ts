/**
 * The history checker: it receives every request and its outcome, in the order in which they happened, and decides
 * which promises held. Pure: no clock and no network.
 *
 * Order is promised only for requests that do not overlap: if a request was sent after an answer arrived, its IDs must
 * be greater than all IDs of that answer. The order of the calls decides which was first, not a clock.
 */
import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import { AcknowledgedIds, inSeconds } from "./acknowledged-ids.ts";
import { Failures, Findings, shown } from "./findings.ts";
import type { IdFields, TimeBounds } from "./known-layout.ts";
import { type Change, OrderCheck } from "./order-check.ts";
import type { Outcome } from "./outcome.ts";
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
  readonly source: number;
  /** When it was due, in ms since the run began. */
  readonly dueMs: number;
  readonly at: Moment;
  /** The latest changes of the order checks at that time. */
  readonly keyChange: Change;
  readonly shardChange: Change;
}

type Acknowledged = Extract<Outcome, { kind: "acknowledged" }>;

export class Checker {
  readonly rules: Rules;
  readonly ids: AcknowledgedIds;
  readonly failures = new Failures();
  /** Latencies in µs, from when a request was due, and from when it was sent. */
  readonly fromSchedule = createHistogram();
  readonly fromSending = createHistogram();
  readonly form = new Findings();
  readonly counts = new Findings();
  readonly keyOrder: OrderCheck;
  readonly shardOrder: OrderCheck;
  readonly times: TimeCheck;
  readonly shardNames = new Findings();
  /** IDs by shard: as their bits say, else as the answer's header says. */
  readonly shards = new Map<number, number>();
  /** IDs whose shard is known from two sources at least: their bits, the answer's header, or the request. */
  shardsCompared = 0;
  /** When the last ID came, in ms since the run began. */
  lastAnswerMs = 0;
  #sent = 0;
  #skipped = 0;

  constructor(rules: Rules) {
    const idsMax = rules.requestsMax * rules.count;
    const names = rules.sources.map((key) => (key === undefined ? "plain" : `key ${key}`));
    this.rules = rules;
    this.ids = new AcknowledgedIds(idsMax, names);
    this.keyOrder = new OrderCheck(this.ids);
    this.shardOrder = new OrderCheck(this.ids);
    this.times = new TimeCheck(rules.fields, rules.times, idsMax);
  }

  /** Records a request that is being sent now, of one of the rules' sources. */
  sent(source: number, dueMs: number, at: Moment): Sent {
    this.#sent += 1;
    this.times.see(at);
    const [keyChange, shardChange] = [this.keyOrder.latest, this.shardOrder.latest];
    return { source, dueMs, at, keyChange, shardChange };
  }

  /** Records the outcome of a request, once for each. */
  ended(sent: Sent, outcome: Outcome, at: Moment): void {
    this.times.see(at);
    if (outcome.kind === "acknowledged") this.#take(sent, outcome, at);
    else if (outcome.kind === "malformed") {
      this.form.add(() => `at ${inSeconds(at.ms)}: ${JSON.stringify(shown(outcome.text))}`);
      this.failures.add("indefinite", outcome.code, outcome.text);
    } else this.failures.add(outcome.kind, outcome.code, outcome.detail);
  }

  /** Counts requests that were due and will not be sent. */
  skip(count: number): void {
    this.#skipped += count;
  }

  /**
   * `due` = `sent` + `skipped`. After the run, `sent` = `acknowledged` + `definite` + `indefinite`. `skipped`: no
   * connection was free for the timeout of a request, or the run was interrupted. `acknowledged`: answered with 200 and
   * a complete, well-formed answer. `definite`, `indefinite`: see Failed.
   */
  get requests() {
    const [sent, skipped] = [this.#sent, this.#skipped];
    const acknowledged = this.fromSending.count;
    return { due: sent + skipped, sent, skipped, acknowledged, ...this.failures.count };
  }

  #take(sent: Sent, { ids, shard: said }: Acknowledged, at: Moment): void {
    const { count, sources, strict, shard: asked = said, fields } = this.rules;
    this.lastAnswerMs = at.ms;
    record(this.fromSchedule, at.ms - sent.dueMs);
    record(this.fromSending, at.ms - sent.at.ms);
    if (ids.length !== count) {
      this.counts.add(() => `at ${inSeconds(at.ms)}: ${ids.length} IDs, not ${count}`);
    }
    // Surplus IDs are counted above, and not checked.
    const first = this.ids.count;
    for (const id of ids.slice(0, count)) {
      const inId = fields?.shardOf(id);
      this.ids.add(id, at.ms, sent.source, said ?? inId);
      this.times.add(id, sent.at, at);
      this.#checkShard(inId, said);
    }
    const key = sources[sent.source];
    if (key !== undefined) this.keyOrder.follow(`key ${key}`, first, sent.keyChange);
    if (!strict || asked === undefined) return;
    this.shardOrder.follow(`shard ${asked}`, first, sent.shardChange);
  }

  /** Compares the shards that the bits of the ID added last, its answer's header and its request name. */
  #checkShard(inId: number | undefined, said: number | undefined): void {
    const { shard: asked } = this.rules;
    const shard = inId ?? said;
    if (shard !== undefined) this.shards.set(shard, (this.shards.get(shard) ?? 0) + 1);
    const names = [inId, said, asked].filter((name) => name !== undefined);
    if (names.length > 1) this.shardsCompared += 1;
    if (names.every((name) => name === names[0])) return;
    this.shardNames.add(() => {
      const bits = inId === undefined ? [] : [`the ID's bits have shard ${inId}`];
      const wanted = asked === undefined ? [] : [`shard ${asked} was requested`];
      return `${this.ids.shown(this.ids.count - 1)}: ${[...bits, ...wanted].join(", ")}`;
    });
  }
}

/** Records ms as µs. */
function record(histogram: RecordableHistogram, ms: number): void {
  histogram.record(Math.max(1, Math.round(ms * 1000)));
}
