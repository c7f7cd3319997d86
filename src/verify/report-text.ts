/** The report as a table for people. */
import { SHARDS_SHOWN } from "./limits.ts";
import { brokenPromises, type Check, type VerifyReport } from "./report.ts";
import { figure, textTable } from "./text-table.ts";

/** The report as text. It ends with a line break. */
export function reportText(report: VerifyReport): string {
  const parts = [head, latencies, shards, failures, checks, verdict].map((part) => part(report));
  const texts = parts.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return `${texts.join("\n\n")}\n`;
}

function head({ target, asked, layout, requests, ids, perSecond, sendingMs, times }: VerifyReport) {
  const { rate, seconds, count, mix, order, shard } = asked;
  const { due, sent, skipped, acknowledged, definite, indefinite } = requests;
  const sources = { both: "plain and keyed in turn", plain: "plain", keys: "keyed" }[mix];
  const where = shard === null ? "" : `, shard ${shard}`;
  const isEarly = sendingMs < seconds * 1000;
  const early = isEarly ? `, ended after ${figure(sendingMs / 1000, 1)} s` : "";
  const each = `${figure(count)} ${count === 1 ? "ID" : "IDs"} each`;
  const load = `${figure(rate)} requests/s for ${figure(seconds)} s${early}`;
  const range = `${ids.smallest ?? "–"} to ${ids.largest ?? "–"}`;
  const rates = [perSecond.sent, perSecond.acknowledged, perSecond.ids].map((one) =>
    figure(one, 1),
  );
  const rows = [
    ["target", `${target.url}  ${target.dialect}  ${target.namespace}`],
    ["asked", `${load}, ${each}, ${sources}, ${order}${where}`],
    ["layout", layout.source],
    ["requests", `${figure(due)} due, ${figure(sent)} sent, ${figure(skipped)} skipped`],
    [
      "answers",
      `${figure(acknowledged)} acknowledged, ${figure(definite)} definite failures, ${figure(indefinite)} indefinite`,
    ],
    ["IDs", `${figure(ids.acknowledged)} acknowledged, ${figure(ids.distinct)} distinct, ${range}`],
    ["per second", `${rates[0]} sent, ${rates[1]} acknowledged, ${rates[2]} IDs`],
  ];
  if (times) {
    const [min, max, median] = [times.minMs, times.maxMs, times.medianMs].map((ms) => figure(ms));
    rows.push(["ID time", `${min} ms to ${max} ms from its request, median ${median} ms`]);
  }
  return textTable(rows);
}

function latencies({ latencyMs: { fromSchedule, fromSending } }: VerifyReport): string[] {
  if (!fromSchedule || !fromSending) return [];
  const cells = (percentiles: typeof fromSending) =>
    Object.values(percentiles).map((ms) => figure(ms, 2));
  const rows = [
    ["latency, ms", "p50", "p90", "p99", "p99.9", "max"],
    ["from schedule", ...cells(fromSchedule)],
    ["from sending", ...cells(fromSending)],
  ];
  return textTable(rows, [1, 2, 3, 4, 5]);
}

function shards({ shards, ids }: VerifyReport): string[] {
  if (shards.length === 0) return [];
  const rows = shards.slice(0, SHARDS_SHOWN).map(({ shard, ids: many }) => {
    const share = `${figure((many * 100) / ids.acknowledged, 1)} %`;
    return [`${shard}`, figure(many), share];
  });
  const left = shards.length - rows.length;
  const more = left > 0 ? [`and ${figure(left)} more shards`] : [];
  return [...textTable([["shard", "IDs", "share"], ...rows], [0, 1, 2]), ...more];
}

function failures({ failures }: VerifyReport): string[] {
  if (failures.length === 0) return [];
  const rows = failures.map(({ code, definite, indefinite, example }) => {
    return [code, figure(definite), figure(indefinite), example];
  });
  return textTable([["failure", "definite", "indefinite", ""], ...rows], [1, 2]);
}

const WORDS = { held: "held", broken: "BROKEN", not_checked: "not checked" } as const;

/** An empty history breaks no promise. */
function verdictWord({ name, verdict, broken }: Check): string {
  if (broken === 0) return WORDS[verdict];
  return name === "history" ? "EMPTY" : `${WORDS[verdict]} ${figure(broken)}×`;
}

function checks({ checks }: VerifyReport): string[] {
  const titled = checks.map((check) => ({ ...check, title: check.name.replace("_", " ") }));
  const rows = titled.map((check) => [check.title, verdictWord(check), check.about]);
  const examples = titled
    .filter((check) => check.examples.length > 0)
    .flatMap(({ title, examples }) => ["", `${title}:`, ...examples.map((one) => `  ${one}`)]);
  return [...textTable([["check", "verdict", ""], ...rows]), ...examples];
}

function verdict(report: VerifyReport): string[] {
  const { ok, interrupted, requests } = report;
  const broken = brokenPromises(report);
  const early = interrupted ? " (interrupted)" : "";
  const isSlow = requests.skipped > 0 && !interrupted;
  const advice = " The rate was not reached: use more --connections or a lower --rate.";
  const nothing = "nothing proved: no ID was acknowledged";
  const otherwise = broken.length > 0 ? `BROKEN: ${broken.join(", ")}` : nothing;
  const said = ok ? "held: every promise that could be checked" : otherwise;
  return [`${said}${early}.${isSlow ? advice : ""}`];
}
