/** One row's load for a while, and what it did to the machine. */
import type { Generators } from "./generators.ts";
import { addedCounts, latencyMsAt } from "./histogram.ts";
import { CONNECTIONS, type HttpRow } from "./http-rows.ts";
import type { LoadResult } from "./load-messages.ts";
import { coreWaitMsOf, cpuMsOf, gain } from "./proc.ts";
import type { WorkerdProcess } from "./workerd-process.ts";

export interface Rig {
  readonly workerd: WorkerdProcess;
  readonly generators: Generators;
  /** May issue on the socket `keys`. */
  readonly issueKey: string;
}

/** One row in one pass. */
export interface Slice {
  readonly load: LoadResult;
  readonly passedMs: number;
  readonly workerdCpuMs: number | undefined;
  readonly workerdCoreWaitMs: number | undefined;
}

/** One row in one round. */
export interface Measurement {
  readonly requestsPerSecond: number;
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
  readonly workerdCores: number | undefined;
  readonly generatorCores: number;
  /** Share of the time that they were ready to run and had no core. */
  readonly workerdCoreWait: number | undefined;
  readonly generatorCoreWait: number | undefined;
  readonly refused: number;
  readonly refusedStatus: number | undefined;
  readonly broken: number;
}

/** Load that is not measured, in ms: since the pass before, the row's leases ran out. */
const LEAD_IN_MS = 40;

export async function measureSlice(rig: Rig, row: HttpRow, durationMs: number): Promise<Slice> {
  const { workerd, generators, issueKey } = rig;
  const job = {
    port: workerd.portOf(row.socket),
    path: row.path,
    headers: row.withKey ? { authorization: `Bearer ${issueKey}` } : {},
    connections: row.connections ?? CONNECTIONS,
    perSecond: row.perSecond,
  };
  await generators.run({ ...job, durationMs: LEAD_IN_MS });
  const startMs = performance.now();
  const cpuBeforeMs = cpuMsOf(workerd.pid);
  const coreWaitBeforeMs = coreWaitMsOf(workerd.pid);
  const load = await generators.run({ ...job, durationMs });
  if (load.served === 0) {
    throw new Error(`${row.name}: nothing was served, status ${load.refusedStatus}`);
  }
  return {
    load,
    passedMs: performance.now() - startMs,
    workerdCpuMs: gain(cpuBeforeMs, cpuMsOf(workerd.pid)),
    workerdCoreWaitMs: gain(coreWaitBeforeMs, coreWaitMsOf(workerd.pid)),
  };
}

/** All slices of a row in one round, at least one, as if they were one. */
export function measurementOf(slices: readonly Slice[]): Measurement {
  const loads = slices.map(({ load }) => load);
  const elapsedMs = totalOf(loads.map((load) => load.elapsedMs));
  const passedMs = totalOf(slices.map((slice) => slice.passedMs));
  const latencyCounts = loads.map((load) => load.latencyCounts).reduce(addedCounts);
  const share = (parts: readonly (number | undefined)[], wholeMs: number): number | undefined =>
    parts.every((part) => part !== undefined) ? totalOf(parts) / wholeMs : undefined;
  return {
    requestsPerSecond: (totalOf(loads.map((load) => load.served)) / elapsedMs) * 1000,
    p50Ms: latencyMsAt(latencyCounts, 0.5),
    p99Ms: latencyMsAt(latencyCounts, 0.99),
    workerdCores: share(
      slices.map((slice) => slice.workerdCpuMs),
      passedMs,
    ),
    generatorCores: totalOf(loads.map((load) => load.cpuMs)) / elapsedMs,
    workerdCoreWait: share(
      slices.map((slice) => slice.workerdCoreWaitMs),
      passedMs,
    ),
    generatorCoreWait: share(
      loads.map((load) => load.coreWaitMs),
      elapsedMs,
    ),
    refused: totalOf(loads.map((load) => load.refused)),
    refusedStatus: loads.find((load) => load.refusedStatus !== undefined)?.refusedStatus,
    broken: totalOf(loads.map((load) => load.broken)),
  };
}

function totalOf(numbers: readonly number[]): number {
  return numbers.reduce((before, number) => before + number, 0);
}
