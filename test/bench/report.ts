import type { CountedCosts } from "./counters.ts";
import type { Environment } from "./environment.ts";
import type { HttpResult } from "./http-rounds.ts";
import type { InProcessPlan, InProcessRow } from "./in-process.ts";
import type { StreamMemory } from "./stream-memory.ts";
import type { TargetResult } from "./targets.ts";
import { type Column, figure, textTable } from "./text-table.ts";

export interface Findings {
  readonly environment: Environment;
  /** workerd and the load generators had cores of their own. */
  readonly pinned: boolean;
  readonly rounds: { readonly rounds: number; readonly roundMs: number };
  readonly http: readonly HttpResult[];
  readonly counters: CountedCosts;
  readonly streamMemory: StreamMemory | undefined;
  readonly inProcess: readonly InProcessRow[];
  readonly inProcessRounds: InProcessPlan;
  readonly targets: readonly TargetResult[];
}

export function reportJson(findings: Findings): string {
  return JSON.stringify(findings, undefined, 2);
}

export function reportText(findings: Findings): string {
  const { rounds, roundMs } = findings.rounds;
  const sections = [
    environmentText(findings),
    `HTTP, medians of ${rounds} interleaved rounds of ${roundMs} ms a row\n\n${httpTable(findings.http)}`,
    `Counted at full load\n\n${countersTable(findings.counters)}`,
    inProcessText(findings),
    `Targets\n\n${targetsTable(findings.targets)}`,
  ];
  return sections.join("\n\n");
}

function environmentText({ environment, pinned }: Findings): string {
  const { node, workerd, hono, platform, cpu, cores, memoryBytes } = environment;
  const gigabytes = (memoryBytes / 1e9).toFixed(1);
  return `node ${node}, workerd ${workerd}, hono ${hono}; ${platform}, ${cpu}, ${cores} cores, ${gigabytes} GB\nworkerd and the load generator ${pinned ? "have cores of their own" : "are not pinned to cores of their own"}`;
}

const left = (title: string): Column => ({ title, align: "left" });
const right = (title: string): Column => ({ title, align: "right" });

/** CPU is in cores: where workerd's is 1, it is what bounds the row. */
function httpTable(results: readonly HttpResult[]): string {
  const columns = [
    left("row"),
    right("requests/s"),
    right("IDs/s"),
    right("÷ Hono hello"),
    right("p50 ms"),
    right("p99 ms"),
    right("CPU workerd"),
    right("CPU generator"),
    left("notes"),
  ];
  const rows = results.map((result) => [
    result.name,
    figure(result.requestsPerSecond),
    figure(result.idsPerSecond),
    figure(result.toHello),
    figure(result.p50Ms),
    figure(result.p99Ms),
    figure(result.workerdCores),
    figure(result.generatorCores),
    result.notes.join("; "),
  ]);
  return textTable(columns, rows);
}

function countersTable({ fresh, strict }: CountedCosts): string {
  const columns = [
    left("row"),
    right("IDs served"),
    right("leased ÷ served"),
    right("rows written"),
    right("per 1,000,000"),
    right("object calls per 1,000,000"),
  ];
  const rows = [fresh, strict].map((cost) => [
    cost.name,
    figure(cost.served),
    figure(cost.leasedPerServed),
    `${cost.rows}`,
    figure(cost.rowsPerMillion),
    figure(cost.callsPerMillion),
  ]);
  return textTable(columns, rows);
}

function inProcessText({ inProcess, inProcessRounds }: Findings): string {
  const { rounds, sampleMs } = inProcessRounds;
  const columns = [
    left("row"),
    right("ns per ID"),
    left("repeated"),
    right("IDs checked"),
    left("notes"),
  ];
  const rows = inProcess.map(({ name, nsPerId, repeated = "", checked, notes }) => [
    name,
    figure(nsPerId),
    repeated,
    checked === undefined ? "" : figure(checked),
    notes.join("; "),
  ]);
  return `In process, medians of ${rounds} interleaved rounds of at least ${sampleMs} ms a row\n\n${textTable(columns, rows)}`;
}

function targetsTable(results: readonly TargetResult[]): string {
  const columns = [
    left("what"),
    right("value"),
    right("target"),
    right("stretch"),
    left("outcome"),
  ];
  const rows = results.map(({ name, sense, value, target, stretch, outcome }) => {
    const sign = sense === "atLeast" ? "≥" : "≤";
    return [name, figure(value), `${sign} ${figure(target)}`, figure(stretch), outcome];
  });
  return textTable(columns, rows);
}
