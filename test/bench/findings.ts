/** All measurements of one run, from the production build. */
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { gzipSync } from "node:zlib";
import { countCost, measureAtRate, streamMegabytes } from "./costs.ts";
import { measureDemand } from "./demand.ts";
import { HttpRounds } from "./http-rounds.ts";
import { measureInProcess } from "./in-process.ts";
import { Rig } from "./rig.ts";
import { WORKERD_VERSION } from "./server.ts";
import { judge } from "./targets.ts";

export const QUICK = {
  http: { rounds: 5, times: 1 },
  inProcess: { rounds: 5, sampleMs: 20, checked: 200_000 },
  counted: 20_000,
  atRate: 2000,
};
export const LONG = {
  http: { rounds: 15, times: 2 },
  inProcess: { rounds: 15, sampleMs: 50, checked: 2_000_000 },
  counted: 100_000,
  atRate: 10_000,
};
const RATE = 1000;
const DEMAND_REQUESTS = 200_000;

export type Findings = Awaited<ReturnType<typeof findingsOf>>;

export async function findingsOf(plan: typeof QUICK, onProgress: (text: string) => void) {
  onProgress("in process");
  const inProcess = await measureInProcess(plan.inProcess);
  const demand = measureDemand(DEMAND_REQUESTS);
  onProgress("memory of a text stream");
  const megabytes = await streamMegabytes();
  onProgress("servers, namespaces and shards");
  const rig = await Rig.start();
  try {
    const rounds = new HttpRounds();
    await rounds.run(rig, plan.http, onProgress);
    onProgress("counted costs");
    const fresh = await countCost(rig, "fresh", plan.counted);
    const strict = await countCost(rig, "strict", plan.counted);
    return {
      versions: { node: process.versions.node, workerd: WORKERD_VERSION },
      machine: { cpu: cpus()[0]?.model, cores: cpus().length, pinned: rig.pinned },
      plan,
      http: rounds.results(),
      atRate: await measureAtRate(rig, RATE, plan.atRate),
      counted: [fresh, strict],
      demand,
      inProcess: inProcess.rows,
      targets: judge(rounds.ratioOf, {
        ...inProcess.targets,
        prefetchedPerServed: fresh.prefetchedPerServed,
        callsPerMillionFresh: fresh.callsPerMillion,
        rowsPerMillionStrict: strict.rowsPerMillion,
        streamMegabytes: megabytes,
        bundleKilobytes: gzipSync(readFileSync("dist/worker/index.js")).length / 1000,
      }),
    };
  } finally {
    await rig.stop();
  }
}
