/** `npm run bench`: starts everything from the production build, measures it, and prints the tables. */
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { buildBaselines } from "./baselines.ts";
import { type CountedCosts, countCosts } from "./counters.ts";
import { BUNDLE_PATH, bundleGzippedBytes, environment } from "./environment.ts";
import { Generators } from "./generators.ts";
import { type HttpResults, runRounds } from "./http-rounds.ts";
import { measureInProcess } from "./in-process.ts";
import type { Rig } from "./measurement.ts";
import { BENCH_USAGE, type BenchOptions, parseBenchOptions } from "./options.ts";
import { type Findings, reportJson, reportText } from "./report.ts";
import { makeBatchNamespace, makeKey } from "./service.ts";
import { measureStreamMemory, type StreamMemory } from "./stream-memory.ts";
import { judge, type TargetValues } from "./targets.ts";
import { WorkerdProcess } from "./workerd-process.ts";

const QUICK = {
  http: { rounds: 3, roundMs: 420, passes: 2, warmUpMs: 200, countedMs: 3000 },
  inProcess: { rounds: 5, sampleMs: 20, warmUpMs: 60, idsChecked: 300_000 },
};
const FULL = {
  http: { rounds: 7, roundMs: 2300, passes: 6, warmUpMs: 1000, countedMs: 10_000 },
  inProcess: { rounds: 15, sampleMs: 50, warmUpMs: 300, idsChecked: 2_000_000 },
};

function stop(message: string): never {
  process.stderr.write(`${message}\n${BENCH_USAGE}\n`);
  process.exit(2);
}

function optionsOrStop(): BenchOptions {
  try {
    return parseBenchOptions(process.argv.slice(2));
  } catch (error) {
    return stop(error instanceof Error ? error.message : String(error));
  }
}

function progress(what: string): void {
  process.stderr.write(`${what}\n`);
}

async function findingsOf(options: BenchOptions): Promise<Findings> {
  const form = options.quick ? QUICK : FULL;
  const plan = { ...form.http, rounds: options.rounds ?? form.http.rounds };
  const measuredWith = environment();
  const bundleBytes = bundleGzippedBytes();
  buildBaselines();
  progress("in process");
  const inProcess = await measureInProcess(form.inProcess);
  const generators = new Generators(options.generators);
  try {
    progress("memory of a text stream");
    const streamMemory = await measureStreamMemory(generators);
    const workerd = await WorkerdProcess.start();
    try {
      await makeBatchNamespace(workerd);
      const rig: Rig = { workerd, generators, issueKey: await makeKey(workerd) };
      const http = await runRounds(rig, plan, progress);
      progress("counters");
      const counters = await countCosts(rig, plan);
      return {
        environment: measuredWith,
        pinned: workerd.pinned && generators.pinned(),
        rounds: { rounds: plan.rounds, roundMs: plan.roundMs },
        http: http.rows,
        counters,
        streamMemory,
        inProcess: inProcess.rows,
        inProcessRounds: form.inProcess,
        targets: judge({
          ...httpTargets(http, counters, streamMemory),
          ...inProcess.targets,
          bundleKilobytes: bundleBytes / 1000,
        }),
      };
    } finally {
      await workerd.stop();
    }
  } finally {
    generators.stop();
  }
}

function httpTargets(
  http: HttpResults,
  counters: CountedCosts,
  memory: StreamMemory | undefined,
): TargetValues {
  return {
    ...http.ratios,
    leasedToServed: counters.fresh.leasedPerServed,
    callsPerMillionFresh: counters.fresh.callsPerMillion,
    rowsPerMillionStrict: counters.strict.rowsPerMillion,
    streamMegabytes: memory && (memory.peakBytes - memory.idleBytes) / 1e6,
  };
}

const options = optionsOrStop();
if (options.help) {
  process.stdout.write(`${BENCH_USAGE}\n`);
  process.exit();
}
if (!existsSync(BUNDLE_PATH)) stop(`${BUNDLE_PATH} is missing: npm run build makes it.`);
// What runs ends at this process's exit, whatever the reason.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => process.exit(128 + constants.signals[signal]));
}
const findings = await findingsOf(options);
process.stdout.write(`${options.json ? reportJson(findings) : reportText(findings)}\n`);
