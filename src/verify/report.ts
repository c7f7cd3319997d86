/** The result of a run: the report of its checker, and the exit status. */
import type { RecordableHistogram } from "node:perf_hooks";
import type { Checker } from "./checker.ts";
import type { KnownLayout } from "./known-layout.ts";
import type { VerifyOptions } from "./options.ts";
import type { OrderCheck } from "./order-check.ts";
import { figure } from "./text-table.ts";

/** The JSON document of `edgeflake verify --json`. */
export type VerifyReport = ReturnType<typeof makeReport>;

/** Facts of a run that are not in its history. */
export interface RunFacts {
  readonly layout: KnownLayout;
  /** How long requests were sent, in ms. */
  readonly sendingMs: number;
  readonly interrupted: boolean;
}

/**
 * Makes the report. Names and meanings are stable; fields may be added. Times are in ms, rates per second, IDs decimal
 * texts. It never contains the API key.
 */
export function makeReport(
  options: VerifyOptions,
  checker: Checker,
  { layout, sendingMs, interrupted }: RunFacts,
) {
  const { url, namespace, dialect, rate, seconds, count, mix, order, ...others } = options;
  const { shard = null, timeoutMs, connections } = others;
  const { distinct, smallest, largest, ...repeated } = checker.ids.repetitions();
  const checks = verdicts(checker, repeated, layout.source);
  const { requests, times } = checker;
  const answeringMs = Math.max(sendingMs, checker.lastAnswerMs);
  const distances = times.summary();
  return {
    /** At least one ID was acknowledged, and every check that could be made held. */
    ok: checks.every(({ verdict }) => verdict !== "broken"),
    /** Ended early by a signal. */
    interrupted,
    target: { url, namespace, dialect },
    asked: { rate, seconds, count, mix, order, shard, timeoutMs, connections },
    layout: { fingerprint: layout.layout?.fingerprint ?? null, source: layout.source },
    requests,
    ids: {
      acknowledged: checker.ids.count,
      distinct,
      smallest: smallest?.toString() ?? null,
      largest: largest?.toString() ?? null,
    },
    /** Until the last request was sent: longer than planned if requests had to wait. */
    sendingMs: Math.round(sendingMs),
    /** Until the last acknowledgement, or the end of sending if that was later. */
    answeringMs: Math.round(answeringMs),
    /** `sent` over sendingMs, the others over answeringMs. */
    perSecond: {
      sent: perSecond(requests.sent, sendingMs),
      acknowledged: perSecond(requests.acknowledged, answeringMs),
      ids: perSecond(checker.ids.count, answeringMs),
    },
    /** Of acknowledged requests; null without any. A stalled server delays later requests too, as they are scheduled. */
    latencyMs: {
      fromSchedule: percentilesOf(checker.fromSchedule),
      fromSending: percentilesOf(checker.fromSending),
    },
    /** Distances of the IDs' times from their requests (check `times`); null if unknown. */
    times: distances && times.bounds ? { ...distances, ...times.bounds } : null,
    /** IDs by the shard that the ID or the answer names, most first. */
    shards: Array.from(checker.shards, ([shard, ids]) => ({ shard, ids })).sort(
      (one, other) => other.ids - one.ids,
    ),
    failures: checker.failures.list(),
    checks,
  };
}

/** From µs; null without any. */
function percentilesOf(histogram: RecordableHistogram) {
  if (histogram.count === 0) return null;
  const at = (percent: number): number => histogram.percentile(percent) / 1000;
  return { p50: at(50), p90: at(90), p99: at(99), p999: at(99.9), max: at(100) };
}

function perSecond(many: number, ms: number): number {
  return ms > 0 ? Number(((many * 1000) / ms).toFixed(1)) : 0;
}

export interface Check {
  readonly name: string;
  readonly verdict: "held" | "broken" | "not_checked";
  /** The number of violations. */
  readonly broken: number;
  /** The promise that was checked, or why it was not. */
  readonly about: string;
  /** Descriptions of the first few violations. */
  readonly examples: readonly string[];
}

/** The violations of a check. */
type Found = Pick<Check, "examples"> & { readonly count: number };

/** Every check with its verdict, always in this order. `source`: why the layout is known or unknown. */
export function verdicts(checker: Checker, repeated: Found, source: string): readonly Check[] {
  const { ids, form, counts, keyOrder, shardOrder, shardNames, shardsCompared } = checker;
  const isEmpty = ids.count === 0;
  const check = (name: string, found: Found, isChecked: boolean, about: string): Check => {
    const { count: broken, examples } = found;
    const verdict = broken > 0 ? "broken" : isChecked && !isEmpty ? "held" : "not_checked";
    const said = isEmpty && broken === 0 ? "no ID was acknowledged" : about;
    return { name, verdict, broken, about: said, examples };
  };
  const history = isEmpty
    ? "no ID was acknowledged, so nothing is proved"
    : "IDs were acknowledged";
  const unread = `unknown layout (${source})`;
  const unnamed = `no answer named its shard${checker.rules.fields ? "" : `, or ${unread}`}`;
  const named = `header, ID and request name the same shard (${figure(shardsCompared)} compared)`;
  return [
    check("history", { count: Number(isEmpty), examples: [] }, true, history),
    check("duplicates", repeated, true, "no ID came twice"),
    check("form", form, true, "answers are well-formed, IDs canonical decimals"),
    check("counts", counts, true, "answers have as many IDs as requested"),
    check("key_order", ...order(keyOrder, "IDs for one key", "no ID was requested with a key")),
    check("shard_order", ...order(shardOrder, "IDs of a shard", NO_STRICT_ORDER)),
    check("times", ...checkedTimes(checker, unread)),
    check("shards", shardNames, shardsCompared > 0, shardsCompared > 0 ? named : unnamed),
  ];
}

const NO_STRICT_ORDER = "requires --order strict, and answers that name their shard";

/** The violations of an order, whether it was checked, and what is to say about it. */
function order(
  { seen, compared, findings }: OrderCheck,
  ids: string,
  without: string,
): [found: Found, isChecked: boolean, about: string] {
  const isChecked = compared > 0 || findings.count > 0;
  const held = `${ids} strictly increase (${figure(compared)} compared)`;
  const none = seen === 0 ? without : "no request was sent after an earlier answer";
  return [findings, isChecked, isChecked ? held : none];
}

function checkedTimes(
  { times, ids }: Checker,
  unread: string,
): [found: Found, isChecked: boolean, about: string] {
  const { bounds, hasStepped } = times;
  const { count, first } = times.off();
  const examples = first.map(({ index, offsetMs }) => {
    const said = offsetMs < 0 ? `${-offsetMs} ms before` : `${offsetMs} ms after`;
    return `${ids.shown(index)}: its time is ${said} its request`;
  });
  const found = { count, examples };
  if (!bounds) return [found, false, unread];
  if (hasStepped) return [found, false, "this machine's clock stepped"];
  const { behindMaxMs, aheadMaxMs } = bounds;
  const [before, after] = [figure(behindMaxMs), figure(aheadMaxMs)];
  return [found, true, `IDs are at most ${before} ms before and ${after} ms after their request`];
}

export const EXIT_HELD = 0;
export const EXIT_BROKEN = 1;
export const EXIT_BAD_USAGE = 2;
/** No ID was acknowledged: the server is down, the key or the namespace is wrong. No verdict on any promise. */
export const EXIT_NOTHING_PROVED = 3;
export const EXIT_INTERRUPTED = 130;

/** The broken promises. An empty history breaks none. */
export function brokenPromises({ checks }: Pick<VerifyReport, "checks">): string[] {
  const broken = checks.filter(({ name, verdict }) => verdict === "broken" && name !== "history");
  return broken.map(({ name }) => name);
}

/** The exit status after a run. A broken promise counts even if the run was interrupted. */
export function exitStatusOf(report: Pick<VerifyReport, "ok" | "interrupted" | "checks">): number {
  if (report.ok) return EXIT_HELD;
  if (brokenPromises(report).length > 0) return EXIT_BROKEN;
  return report.interrupted ? EXIT_INTERRUPTED : EXIT_NOTHING_PROVED;
}
