/** The findings of a run as tables. */
import { table } from "./figures.ts";
import type { Findings } from "./findings.ts";

/** The titles of the rows' fields, in their order. */
const HTTP = ["row", "requests/s", "IDs/s", "CPU µs", "÷ Hono hello", "p50 ms", "p99 ms"];
const CORES = ["cores", "generator", "waited", "failed"];
const AT_RATE = ["requests/s", "p50 ms", "p99 ms", "CPU µs"];
const COUNTED = ["row", "served", "prefetched ÷ served", "rows per million", "calls per million"];
const DEMAND = [
  "requests/s",
  "round trip ms",
  "calls per million",
  "1000 ÷ (freshForMs − round trip) a second",
  "prefetched ÷ served",
];
const IN_PROCESS = ["row", "ns per ID", "IDs checked", "repeated", "throws"];
const TARGETS = ["target", "value", "aim", "stretch", "outcome"];

export function reportText(findings: Findings): string {
  const { versions, machine, plan, http, atRate, counted, demand, inProcess, targets } = findings;
  const pinned = machine.pinned ? "have cores of their own" : "share the cores";
  const section = (title: string, titles: readonly string[], rows: readonly object[]) =>
    `${title}\n\n${table(titles, rows.map(Object.values))}`;
  return [
    `node ${versions.node}, workerd ${versions.workerd}; ${machine.cpu}, ${machine.cores} cores; workerd and the load generator ${pinned}`,
    section(
      `HTTP, medians of ${plan.http.rounds} interleaved rounds. CPU: of workerd per request, and ÷ by it; cores: CPU time by time; waited: workerd for a core, by time`,
      [...HTTP, ...CORES],
      http,
    ),
    section("Single, fresh, at a fixed rate", AT_RATE, [atRate]),
    section("Counted at full load; calls are of Durable Objects", COUNTED, counted),
    section("One isolate with requests at random times, by the rule alone", DEMAND, demand),
    section(`In process, medians of ${plan.inProcess.rounds} rounds`, IN_PROCESS, inProcess),
    section(
      "Targets: medians over the pairs of each round; speed and cost by CPU time, rate by requests/s",
      TARGETS,
      targets,
    ),
  ].join("\n\n");
}
