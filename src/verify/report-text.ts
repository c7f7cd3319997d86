/** The report as a table for people. */
import { SHARDS_SHOWN } from "./limits.ts";
import { brokenPromises, type Check, type Percentiles, type VerifyReport } from "./report.ts";

/** The report as text. It ends with a line break. */
export function reportText(report: VerifyReport): string {
  const parts = [
    head(report),
    latencies(report),
    shards(report),
    failures(report),
    checks(report),
    [verdict(report)],
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function head({ target, asked, layout, requests, ids, perSecond, sendingMs, times }: VerifyReport) {
  const { rate, seconds, count, mix, order, shard } = asked;
  const what = { both: "plain and keyed in turn", plain: "plain", keys: "keyed" }[mix] ?? mix;
  const where = shard === null ? "" : `, shard ${shard}`;
  const shortly =
    sendingMs < seconds * 1000 ? `, ended after ${figure(sendingMs / 1000, 1)} s` : "";
  return textTable([
    ["target", `${target.url}  ${target.dialect}  ${target.namespace}`],
    [
      "asked",
      `${figure(rate)} requests/s for ${figure(seconds)} s${shortly}, ${figure(count)} ${count === 1 ? "ID" : "IDs"} each, ${what}, ${order}${where}`,
    ],
    ["layout", layout.source],
    [
      "requests",
      `${figure(requests.due)} due, ${figure(requests.sent)} sent, ${figure(requests.skipped)} skipped`,
    ],
    [
      "answers",
      `${figure(requests.acknowledged)} acknowledged, ${figure(requests.definite)} definite failures, ${figure(requests.indefinite)} indefinite`,
    ],
    [
      "IDs",
      `${figure(ids.acknowledged)} acknowledged, ${figure(ids.distinct)} distinct, ${ids.smallest ?? "–"} to ${ids.largest ?? "–"}`,
    ],
    [
      "per second",
      `${figure(perSecond.sent, 1)} sent, ${figure(perSecond.acknowledged, 1)} acknowledged, ${figure(perSecond.ids, 1)} IDs`,
    ],
    ...(times
      ? [
          [
            "ID time",
            `${figure(times.minMs)} ms to ${figure(times.maxMs)} ms from its request, median ${figure(times.medianMs)} ms`,
          ],
        ]
      : []),
  ]);
}

function latencies({ latencyMs }: VerifyReport): string[] {
  const { fromSchedule, fromSending } = latencyMs;
  if (!fromSchedule || !fromSending) return [];
  const row = (name: string, { p50, p90, p99, p999, max }: Percentiles): string[] => [
    name,
    ...[p50, p90, p99, p999, max].map((ms) => figure(ms, 2)),
  ];
  return textTable(
    [
      ["latency, ms", "p50", "p90", "p99", "p99.9", "max"],
      row("from schedule", fromSchedule),
      row("from sending", fromSending),
    ],
    [1, 2, 3, 4, 5],
  );
}

function shards({ shards, ids }: VerifyReport): string[] {
  if (shards.length === 0) return [];
  const rows = shards
    .slice(0, SHARDS_SHOWN)
    .map(({ shard, ids: many }) => [
      `${shard}`,
      figure(many),
      `${figure((many * 100) / ids.acknowledged, 1)} %`,
    ]);
  const left = shards.length - rows.length;
  const more = left > 0 ? [`and ${figure(left)} more shards`] : [];
  return [...textTable([["shard", "IDs", "share"], ...rows], [0, 1, 2]), ...more];
}

function failures({ failures }: VerifyReport): string[] {
  if (failures.length === 0) return [];
  const rows = failures.map(({ code, definite, indefinite, example }) => [
    code,
    figure(definite),
    figure(indefinite),
    example,
  ]);
  return textTable([["failure", "definite", "indefinite", ""], ...rows], [1, 2]);
}

const WORDS: Readonly<Record<Check["verdict"], string>> = {
  held: "held",
  broken: "BROKEN",
  not_checked: "not checked",
};

/** An empty history breaks no promise. */
function verdictWord({ name, verdict, broken }: Check): string {
  if (broken === 0) return WORDS[verdict];
  return name === "history" ? "EMPTY" : `${WORDS[verdict]} ${figure(broken)}×`;
}

function checks({ checks }: VerifyReport): string[] {
  const rows = checks.map((check) => [
    check.name.replace("_", " "),
    verdictWord(check),
    check.about,
  ]);
  const examples = checks
    .filter((check) => check.examples.length > 0)
    .flatMap((check) => [
      "",
      `${check.name.replace("_", " ")}:`,
      ...check.examples.map((example) => `  ${example}`),
    ]);
  return [...textTable([["check", "verdict", ""], ...rows]), ...examples];
}

function verdict(report: VerifyReport): string {
  const { ok, interrupted, requests } = report;
  const broken = brokenPromises(report);
  const early = interrupted ? " (interrupted)" : "";
  const skipped =
    requests.skipped > 0 && !interrupted
      ? " The rate was not reached: use more --connections or a lower --rate."
      : "";
  const otherwise =
    broken.length > 0 ? `BROKEN: ${broken.join(", ")}` : "nothing proved: no ID was acknowledged";
  const said = ok ? "held: every promise that could be checked" : otherwise;
  return `${said}${early}.${skipped}`;
}

/** Formats rows as lines of text. Columns are as wide as their widest cell; those in `right` are right-aligned. */
export function textTable(
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  );
  return rows.map((row) =>
    widths
      .map((width, at) => {
        const cell = row[at] ?? "";
        return right.includes(at) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd(),
  );
}

/** A number with thousands separators. */
export function figure(value: number, digits = 0): string {
  return value.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
