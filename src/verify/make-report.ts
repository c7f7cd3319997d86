import type { Checker } from "./checker.ts";
import type { Histogram } from "./histogram.ts";
import type { KnownLayout } from "./known-layout.ts";
import type { VerifyOptions } from "./options.ts";
import type { Percentiles, VerifyReport } from "./report.ts";
import { verdicts } from "./verdicts.ts";

/** How a run went, apart from its history. */
export interface RunFacts {
  readonly layout: KnownLayout;
  /** How long requests were being sent. */
  readonly sendingMs: number;
  readonly interrupted: boolean;
}

/** Reads all out of the checker; finding the duplicates takes about 75 ns an ID. */
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
