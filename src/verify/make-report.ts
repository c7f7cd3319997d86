/** Makes the report from the checker: figures, and a verdict for each check. */
import type { Repetitions } from "./acknowledged-ids.ts";
import { type Checker, seconds } from "./checker.ts";
import type { Histogram } from "./histogram.ts";
import type { KnownLayout } from "./known-layout.ts";
import type { VerifyOptions } from "./options.ts";
import type { OrderCheck } from "./order-check.ts";
import type { Check, CheckName, Percentiles, VerifyReport } from "./report.ts";
import { figure } from "./report-text.ts";

/** Facts of a run that are not in its history. */
export interface RunFacts {
  readonly layout: KnownLayout;
  /** How long requests were sent, in ms. */
  readonly sendingMs: number;
  readonly interrupted: boolean;
}

/** Makes the report. Finding duplicates takes about 75 ns per ID. */
export function makeReport(
  options: VerifyOptions,
  checker: Checker,
  { layout, sendingMs, interrupted }: RunFacts,
): VerifyReport {
  const { url, namespace, dialect, shard, ...rest } = options;
  const { rate, seconds, count, mix, order, timeoutMs, connections } = rest;
  const repetitions = checker.ids.repetitions();
  const checks = verdicts(checker, repetitions, layout.source);
  const requests = checker.requests;
  const answeringMs = Math.max(sendingMs, checker.lastAnswerMs);
  return {
    ok: checks.every(({ verdict }) => verdict !== "broken"),
    interrupted,
    target: { url, namespace, dialect },
    asked: { rate, seconds, count, mix, order, shard: shard ?? null, timeoutMs, connections },
    layout: { fingerprint: layout.layout?.fingerprint ?? null, source: layout.source },
    requests,
    ids: {
      acknowledged: checker.ids.count,
      distinct: repetitions.distinct,
      smallest: repetitions.smallest?.toString() ?? null,
      largest: repetitions.largest?.toString() ?? null,
    },
    sendingMs: Math.round(sendingMs),
    answeringMs: Math.round(answeringMs),
    perSecond: {
      sent: perSecond(requests.sent, sendingMs),
      acknowledged: perSecond(requests.acknowledged, answeringMs),
      ids: perSecond(checker.ids.count, answeringMs),
    },
    latencyMs: {
      fromSchedule: percentilesOf(checker.fromSchedule),
      fromSending: percentilesOf(checker.fromSending),
    },
    times: timesOf(checker),
    shards: [...checker.shards]
      .map(([one, ids]) => ({ shard: one, ids }))
      .sort((one, other) => other.ids - one.ids),
    failures: checker.failures.list(),
    checks,
  };
}

function percentilesOf(microseconds: Histogram): Percentiles | null {
  if (microseconds.total === 0) return null;
  const at = (share: number): number => round((microseconds.at(share) ?? 0) / 1000, 3);
  const max = round(microseconds.max / 1000, 3);
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max };
}

function timesOf({ times }: Checker): VerifyReport["times"] {
  const { bounds } = times;
  const summary = times.summary();
  if (!summary || !bounds) return null;
  return { ...summary, medianMs: Math.round(summary.medianMs), ...bounds };
}

function perSecond(many: number, ms: number): number {
  return ms > 0 ? round((many * 1000) / ms, 1) : 0;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** Every check with its verdict, in the order of CheckName. `layoutSource`: why the layout is known or unknown. */
export function verdicts(
  checker: Checker,
  repetitions: Repetitions,
  layoutSource: string,
): readonly Check[] {
  const { ids, form, counts, keyOrder, shardOrder, shardNames, shardsCompared } = checker;
  const isEmpty = ids.count === 0;
  const checkOf = (name: CheckName, found: Found, isChecked: boolean, about: string): Check => {
    const { count: broken, examples } = found;
    const verdict = broken > 0 ? "broken" : isChecked && !isEmpty ? "held" : "not_checked";
    const said = isEmpty && broken === 0 ? NO_IDS : about;
    return { name, verdict, broken, about: said, examples };
  };
  return [
    history(isEmpty),
    duplicates(checker, repetitions),
    checkOf("form", form, true, "answers are well-formed, IDs canonical decimals"),
    checkOf("counts", counts, true, "answers have as many IDs as requested"),
    checkOf("key_order", keyOrder.findings, keyOrder.compared > 0, keyOrderAbout(keyOrder)),
    checkOf("shard_order", shardOrder.findings, shardOrder.compared > 0, shardOrderAbout(checker)),
    checkOf("times", timesFound(checker), isTimed(checker), timesAbout(checker, layoutSource)),
    checkOf("shards", shardNames, shardsCompared > 0, shardsAbout(checker, layoutSource)),
  ];
}

/** The violations of a check. */
type Found = Pick<Check, "examples"> & { readonly count: number };

const NO_IDS = "no ID was acknowledged";

function history(isEmpty: boolean): Check {
  return {
    name: "history",
    verdict: isEmpty ? "broken" : "held",
    broken: isEmpty ? 1 : 0,
    about: isEmpty ? "no ID was acknowledged, so nothing is proved" : "IDs were acknowledged",
    examples: [],
  };
}

function duplicates(checker: Checker, { count, examples }: Repetitions): Check {
  const { ids } = checker;
  return {
    name: "duplicates",
    verdict: count > 0 ? "broken" : ids.count > 0 ? "held" : "not_checked",
    broken: count,
    about: ids.count > 0 ? "no ID came twice" : NO_IDS,
    examples: examples.map(({ id, answers }) => {
      const places = answers.map((answer) => checker.placeOf(ids.answer(answer)));
      return `${id} ${places.join(" and ")}`;
    }),
  };
}

function keyOrderAbout({ seen, compared, findings }: OrderCheck): string {
  if (seen === 0) return "no ID was requested with a key";
  if (compared === 0 && findings.count === 0) return NONE_BEFORE;
  return `IDs for one key strictly increase${heldAgainst(compared)}`;
}

function shardOrderAbout({ shardOrder: { seen, compared, findings } }: Checker): string {
  if (seen === 0) return "requires --order strict, and answers that name their shard";
  if (compared === 0 && findings.count === 0) return NONE_BEFORE;
  return `IDs of a shard strictly increase${heldAgainst(compared)}`;
}

const NONE_BEFORE = "no request was sent after an earlier answer";

function heldAgainst(compared: number): string {
  return ` (${figure(compared)} compared)`;
}

function isTimed({ times }: Checker): boolean {
  return times.bounds !== undefined && !times.hasStepped;
}

function timesFound({ times, ids }: Checker): Found {
  const { count, first } = times.off();
  const examples = first.map(({ index, offsetMs }) => {
    const said = offsetMs < 0 ? `${-offsetMs} ms before` : `${offsetMs} ms after`;
    const { atMs } = ids.answer(ids.answerOf(index));
    return `${ids.idAt(index)} at ${seconds(atMs)}: its time is ${said} its request`;
  });
  return { count, examples };
}

function timesAbout({ times }: Checker, layoutSource: string): string {
  const { bounds } = times;
  if (!bounds) return unread(layoutSource);
  if (times.hasStepped) return "this machine's clock stepped";
  const { behindMaxMs, aheadMaxMs } = bounds;
  return `IDs are at most ${figure(behindMaxMs)} ms before and ${figure(aheadMaxMs)} ms after their request`;
}

function shardsAbout(
  { shardNames, shardsCompared, rules: { fields } }: Checker,
  layoutSource: string,
): string {
  if (shardsCompared > 0 || shardNames.count > 0) {
    return `header, ID and request name the same shard (${figure(shardsCompared)} compared)`;
  }
  return `no answer named its shard${fields ? "" : `, or ${unread(layoutSource)}`}`;
}

function unread(layoutSource: string): string {
  return `unknown layout (${layoutSource})`;
}
