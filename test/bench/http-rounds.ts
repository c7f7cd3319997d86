/** Measures the HTTP rows in interleaved rounds; ratios are medians over the pairs of each round. */
import { createHistogram } from "node:perf_hooks";
import { medianOf } from "./figures.ts";
import { type HttpRow, ROWS, type RowId } from "./http-rows.ts";
import { Load } from "./load.ts";
import type { Rig } from "./rig.ts";
import type { RatioOf } from "./targets.ts";

export interface HttpPlan {
  readonly rounds: number;
  /** Requests of a row in a round, by those of the quick form. */
  readonly times: number;
}

/** A slice's first part, which is not measured: since the round before, the row's stock ran out. */
const LEAD_IN = 0.2;

type Slice = Awaited<ReturnType<typeof measureSlice>>;

/** One row in one round; undefined is not known without Linux's /proc. */
async function measureSlice(rig: Rig, row: HttpRow, requests: number) {
  const server = rig.server(row.server);
  const job = rig.jobOf(row);
  const leadIn = Math.max(row.connections, Math.ceil(requests * LEAD_IN));
  await new Load({ ...job, requests: leadIn }).done;
  const before = server.usage();
  const generatorBefore = process.cpuUsage();
  const load = new Load({ ...job, requests });
  await load.done;
  const generator = process.cpuUsage(generatorBefore);
  const after = server.usage();
  const { elapsedMs, served, failed, latencies } = load;
  const cpuMs = after && before && after.cpuMs - before.cpuMs;
  return {
    perSecond: (served / elapsedMs) * 1000,
    cpuUs: cpuMs && (cpuMs * 1000) / served,
    serverCores: cpuMs && cpuMs / elapsedMs,
    generatorCores: (generator.user + generator.system) / 1000 / elapsedMs,
    /** How long workerd's threads were ready to run and had no core, by time. */
    serverWaited: after && before && (after.waitedMs - before.waitedMs) / elapsedMs,
    failed,
    latencies,
  };
}

/** Requests per CPU second; per second if the CPU time is not known. */
const speed = ({ cpuUs, perSecond }: Slice): number => (cpuUs ? 1e6 / cpuUs : perSecond);

const VALUES: Readonly<Record<RatioOf, (slice: Slice) => number>> = {
  speed,
  rate: ({ perSecond }) => perSecond,
  cost: (slice) => 1 / speed(slice),
};

export class HttpRounds {
  readonly #slices = new Map<HttpRow, Slice[]>(Object.values(ROWS).map((row) => [row, []]));

  async run(
    rig: Rig,
    { rounds, times }: HttpPlan,
    onProgress: (text: string) => void,
  ): Promise<void> {
    onProgress("warm-up");
    for (const row of this.#slices.keys()) await measureSlice(rig, row, row.requests);
    for (let round = 0; round < rounds; round += 1) {
      onProgress(`round ${round + 1} of ${rounds}`);
      // Back and forth, so that a slow change favours none.
      for (const [row, slices] of round % 2 ? [...this.#slices].reverse() : this.#slices) {
        slices.push(await measureSlice(rig, row, row.requests * times));
      }
    }
  }

  ratioOf = (row: RowId, to: RowId, of: RatioOf) => this.#ratio(ROWS[row], ROWS[to], of);

  results() {
    return [...this.#slices].map(([row, slices]) => {
      const median = (value: (slice: Slice) => number | undefined) => medianOf(slices.map(value));
      const latencies = createHistogram();
      for (const slice of slices) latencies.add(slice.latencies);
      const perSecond = median((slice) => slice.perSecond);
      return {
        name: row.name,
        perSecond,
        idsPerSecond: row.ids && perSecond && row.ids * perSecond,
        cpuUs: median((slice) => slice.cpuUs),
        /** Of rows whose answers have one ID or none. */
        toHello: (row.ids ?? 1) === 1 ? this.#ratio(row, ROWS.hello, "speed") : undefined,
        p50Ms: latencies.percentile(50) / 1000,
        p99Ms: latencies.percentile(99) / 1000,
        serverCores: median((slice) => slice.serverCores),
        generatorCores: median((slice) => slice.generatorCores),
        serverWaited: median((slice) => slice.serverWaited),
        failed: slices.reduce((sum, { failed }) => sum + failed, 0),
      };
    });
  }

  #ratio(row: HttpRow, to: HttpRow, of: RatioOf): number | undefined {
    const others = this.#slices.get(to) ?? [];
    const pairs = (this.#slices.get(row) ?? []).map((slice, round) => {
      const other = others[round];
      return other && VALUES[of](slice) / VALUES[of](other);
    });
    return medianOf(pairs);
  }
}
