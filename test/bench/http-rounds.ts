/** Runs the HTTP rows in interleaved rounds, and takes medians over the rounds. */
import { HTTP_ROWS, type HttpRow, RATIOS, type RatioId, type RowId } from "./http-rows.ts";
import {
  type Measurement,
  measurementOf,
  measureSlice,
  type Rig,
  type Slice,
} from "./measurement.ts";
import { medianOf } from "./median.ts";

/** From this share of a core on, the process is what bounds the row. */
const BUSY_CORES = 0.95;
/** Of the time: who waits longer for a core is slowed by whatever else runs. */
const CORE_WAIT_NOTED = 0.05;
const RATE_REACHED = 0.99;

export interface RoundsPlan {
  readonly rounds: number;
  /** Of each row, in all passes of a round. */
  readonly roundMs: number;
  /** A round is so many passes over all rows: the more, the less do the machine's moods tell one row from the next. */
  readonly passes: number;
  readonly warmUpMs: number;
}

export interface HttpResult {
  readonly name: string;
  readonly requestsPerSecond: number | undefined;
  /** Of each round, in order. */
  readonly roundsRequestsPerSecond: readonly number[];
  readonly idsPerSecond: number | undefined;
  /** Requests a second; only of rows whose answers are worth one ID or none. */
  readonly toHello: number | undefined;
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
  /** CPU time by time: 1 is one core, all the time. */
  readonly workerdCores: number | undefined;
  readonly generatorCores: number | undefined;
  /** What makes the row doubtful. */
  readonly notes: readonly string[];
}

type Round = ReadonlyMap<RowId, Measurement>;

export interface HttpResults {
  readonly rows: readonly HttpResult[];
  readonly ratios: Partial<Record<RatioId, number>>;
}

export async function runRounds(
  rig: Rig,
  plan: RoundsPlan,
  onProgress: (what: string) => void,
): Promise<HttpResults> {
  onProgress("warm-up");
  for (const row of HTTP_ROWS) await measureSlice(rig, row, plan.warmUpMs);
  const rounds: Round[] = [];
  for (let index = 0; index < plan.rounds; index += 1) {
    onProgress(`round ${index + 1} of ${plan.rounds}`);
    rounds.push(await measureRound(rig, plan));
  }
  const ratios: Partial<Record<RatioId, number>> = {};
  for (const { id, above, below } of RATIOS) {
    const ratio = ratioOf(rounds, above, below);
    if (ratio !== undefined) ratios[id] = ratio;
  }
  return { rows: HTTP_ROWS.map((row) => summaryOf(row, rounds)), ratios };
}

async function measureRound(rig: Rig, { passes, roundMs }: RoundsPlan): Promise<Round> {
  const slices = new Map<RowId, Slice[]>();
  for (let pass = 0; pass < passes; pass += 1) {
    // Back and forth, so that what changes slowly favours none.
    const rows = pass % 2 === 0 ? HTTP_ROWS : HTTP_ROWS.toReversed();
    for (const row of rows) {
      const slice = await measureSlice(rig, row, roundMs / passes);
      slices.set(row.id, [...(slices.get(row.id) ?? []), slice]);
    }
  }
  return new Map([...slices].map(([id, measured]) => [id, measurementOf(measured)]));
}

function ratioOf(rounds: readonly Round[], above: RowId, below: RowId): number | undefined {
  return medianOf(
    rounds.map((round) => {
      const over = round.get(above)?.requestsPerSecond;
      const under = round.get(below)?.requestsPerSecond;
      return over === undefined || under === undefined ? undefined : over / under;
    }),
  );
}

function summaryOf(row: HttpRow & { readonly id: RowId }, rounds: readonly Round[]): HttpResult {
  const measured = rounds.flatMap((round) => round.get(row.id) ?? []);
  const roundsRequestsPerSecond = measured.map((one) => one.requestsPerSecond);
  const requestsPerSecond = medianOf(roundsRequestsPerSecond);
  const comparable = row.perSecond === undefined && (row.ids ?? 1) === 1;
  return {
    name: row.name,
    requestsPerSecond,
    roundsRequestsPerSecond,
    idsPerSecond:
      row.ids !== undefined && requestsPerSecond !== undefined
        ? requestsPerSecond * row.ids
        : undefined,
    toHello: comparable ? ratioOf(rounds, row.id, "hello") : undefined,
    p50Ms: medianOf(measured.map((one) => one.p50Ms)),
    p99Ms: medianOf(measured.map((one) => one.p99Ms)),
    workerdCores: medianOf(measured.map((one) => one.workerdCores)),
    generatorCores: medianOf(measured.map((one) => one.generatorCores)),
    notes: notesOn(row, measured),
  };
}

function notesOn(row: HttpRow, measured: readonly Measurement[]): string[] {
  const notes: string[] = [];
  const note = (what: string, rounds: readonly Measurement[]): void => {
    if (rounds.length > 0) notes.push(`${what} in ${rounds.length} of ${measured.length} rounds`);
  };
  // At a fixed rate the generator watches the clock, and is always busy.
  const atFullLoad = row.perSecond === undefined ? measured : [];
  note(
    "load generator is the bottleneck",
    atFullLoad.filter(
      ({ workerdCores = 0, generatorCores }) =>
        generatorCores >= BUSY_CORES && workerdCores < BUSY_CORES,
    ),
  );
  const { perSecond = 0 } = row;
  note(
    "rate not reached",
    measured.filter((one) => one.requestsPerSecond < perSecond * RATE_REACHED),
  );
  const waits = [
    { who: "workerd", share: medianOf(measured.map((one) => one.workerdCoreWait)) },
    { who: "generator", share: medianOf(measured.map((one) => one.generatorCoreWait)) },
  ]
    .filter(({ share = 0 }) => share >= CORE_WAIT_NOTED)
    .map(({ who, share = 0 }) => `${who} ${Math.round(share * 100)} %`);
  if (waits.length > 0) notes.push(`waited for a core: ${waits.join(", ")}`);
  const refused = measured.reduce((sum, one) => sum + one.refused, 0);
  const status = measured.find((one) => one.refusedStatus !== undefined)?.refusedStatus;
  if (refused > 0) notes.push(`${refused} refused, status ${status}`);
  const broken = measured.reduce((sum, one) => sum + one.broken, 0);
  if (broken > 0) notes.push(`${broken} broken off`);
  return notes;
}
