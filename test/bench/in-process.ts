/** What takes no HTTP: core, codec, client, other generators. */
import { medianOf } from "./median.ts";
import { NPM_PIECES, SNOWFLAKE_TEXTS } from "./npm-pieces.ts";
import { OWN_PIECES, type OwnPieceId } from "./own-pieces.ts";
import type { PieceEntry, Verdict } from "./piece.ts";
import { NoAnswerError, PieceProcess, type Sample } from "./piece-process.ts";
import type { TargetValues } from "./targets.ts";
import { figure } from "./text-table.ts";

/** Of the time: who waits longer for a core is slowed by whatever else runs. */
const CORE_WAIT_NOTED = 0.05;

/** Who gives no answer for that long spins; ours may take its time to make ready what is then timed. */
const GENERATOR_SAMPLE_MS_MAX = 4000;
const OWN_SAMPLE_MS_MAX = 60_000;
const VERDICT_MS_MAX = 15_000;

/** Ours that are held against generators, and so are alone in a process as they are. */
const GENERATING: readonly OwnPieceId[] = ["minter", "minterTake"];

export interface InProcessPlan {
  readonly rounds: number;
  /** One sample takes at least that long. */
  readonly sampleMs: number;
  readonly warmUpMs: number;
  /** IDs of each generator that are looked at for repeated ones. */
  readonly idsChecked: number;
}

/**
 * Whether an ID came twice in the run. `spins`, `throws`: none did, since it waits in its call or throws when a ms
 * has no ID left; or it gave no IDs at all, which a note says.
 */
export type Repeated = "yes" | "no" | "spins" | "throws";

export interface InProcessRow {
  readonly name: string;
  readonly nsPerId: number | undefined;
  /** Of generators. */
  readonly repeated?: Repeated;
  /** IDs that were looked at for that. */
  readonly checked?: number;
  readonly notes: readonly string[];
}

export interface InProcess {
  readonly rows: readonly InProcessRow[];
  readonly targets: TargetValues;
}

/** A piece in the process that measures it. */
interface Measured {
  readonly entry: PieceEntry;
  readonly process: PieceProcess;
  samples: Sample[];
  /** Nothing more is asked of it then. */
  failure?: Error;
}

/** Each generator in a process of its own: it may spin, and V8 optimises for nothing but it. */
export async function measureInProcess(plan: InProcessPlan): Promise<InProcess> {
  const isGenerating = ({ id }: PieceEntry) => GENERATING.some((one) => one === id);
  const sharedIds = OWN_PIECES.filter((entry) => !isGenerating(entry)).map(({ id }) => id);
  const shared = new PieceProcess(sharedIds, plan.idsChecked);
  const all = [
    ...OWN_PIECES.map((entry) => {
      const alone = isGenerating(entry) && new PieceProcess([entry.id], plan.idsChecked);
      return measuredIn(alone || shared, entry);
    }),
    ...NPM_PIECES.map((entry) => measuredIn(new PieceProcess([entry.id], plan.idsChecked), entry)),
  ];
  const stopAll = () => {
    for (const { process } of all) process.stop();
  };
  // One that spins would not see that the bench is gone.
  process.once("exit", stopAll);
  try {
    for (const one of all) await sample(one, plan.warmUpMs);
    for (const one of all) one.samples = [];
    for (let round = 0; round < plan.rounds; round += 1) {
      // Back and forth, so that what changes slowly favours none.
      for (const one of round % 2 === 0 ? all : all.toReversed()) await sample(one, plan.sampleMs);
    }
    const rows: InProcessRow[] = [];
    for (const one of all) rows.push(await rowOf(one));
    return { rows, targets: { ...targetsOf(all), ...minterTargets(rows) } };
  } finally {
    stopAll();
    process.off("exit", stopAll);
  }
}

function measuredIn(process: PieceProcess, entry: PieceEntry): Measured {
  return { entry, process, samples: [] };
}

/** A generator's failure is its row's; one of ours is the bench's. */
async function sample(one: Measured, forMs: number): Promise<void> {
  if (one.failure) return;
  try {
    const withinMs = isGenerator(one) ? GENERATOR_SAMPLE_MS_MAX : OWN_SAMPLE_MS_MAX;
    one.samples.push(await one.process.sample(one.entry.id, forMs, withinMs));
  } catch (error) {
    fail(one, error);
  }
}

function fail(one: Measured, error: unknown): void {
  const failure = error instanceof Error ? error : new Error(String(error));
  if (!isGenerator(one)) throw new Error(`${one.entry.name}: ${failure.message}`);
  one.failure = failure;
}

function isGenerator({ entry }: Measured): boolean {
  return NPM_PIECES.includes(entry);
}

async function rowOf(one: Measured): Promise<InProcessRow> {
  const { entry, samples } = one;
  const measured = { name: entry.name, nsPerId: medianOf(samples.map(({ nsPerId }) => nsPerId)) };
  const waitedShare =
    medianOf(samples.map(({ coreWaitMs, wallMs }) => coreWaitMs && coreWaitMs / wallMs)) ?? 0;
  const waited =
    waitedShare >= CORE_WAIT_NOTED ? [`waited for a core: ${Math.round(waitedShare * 100)} %`] : [];
  if (!isGenerator(one)) return { ...measured, notes: waited };
  try {
    if (one.failure) throw one.failure;
    const verdict = await one.process.judge(entry.id, VERDICT_MS_MAX);
    return {
      ...measured,
      repeated: repeatedBy(verdict),
      checked: verdict.checked,
      notes: [...notesOn(verdict), ...waited],
    };
  } catch (error) {
    const repeated = error instanceof NoAnswerError ? "spins" : "throws";
    const reason = error instanceof Error ? error.message : String(error);
    return { ...measured, repeated, notes: [reason, ...waited] };
  } finally {
    // Of its memory, the next one's verdict may have need.
    one.process.stop();
  }
}

function repeatedBy({ repeats, throwsPerId, waits }: Verdict): Repeated {
  if (repeats > 0) return "yes";
  if (throwsPerId > 0) return "throws";
  return waits ? "spins" : "no";
}

function notesOn({ checked, repeats, throwsPerId, waits, burstNsPerId }: Verdict): string[] {
  if (repeats > 0) {
    return [`${repeats} (${figure((repeats / checked) * 100)} %) had come before`];
  }
  if (throwsPerId === 0 && !waits) return [];
  const burst = `${figure(burstNsPerId)} ns before a ms is used up`;
  return throwsPerId > 0 ? [burst, `${figure(throwsPerId * 1000)} throws per 1,000 IDs`] : [burst];
}

/** Held against the fastest generator of decimal Snowflakes that repeated none: others are no match for its promise. */
function minterTargets(rows: readonly InProcessRow[]): TargetValues {
  const nsOf = (id: OwnPieceId) => {
    const name = OWN_PIECES.find((piece) => piece.id === id)?.name;
    return rows.find((row) => row.name === name)?.nsPerId;
  };
  const rivals = rows.filter(({ name, repeated }) => {
    return SNOWFLAKE_TEXTS.includes(name) && repeated !== undefined && repeated !== "yes";
  });
  const times = rivals.flatMap(({ nsPerId }) => (nsPerId === undefined ? [] : [nsPerId]));
  const fastest = times.length > 0 ? Math.min(...times) : undefined;
  const ratioTo = (ns: number | undefined) => fastest && ns && fastest / ns;
  return {
    minterToGenerators: ratioTo(nsOf("minter")),
    minterTakeToGenerators: ratioTo(nsOf("minterTake")),
  };
}

function targetsOf(all: readonly Measured[]): TargetValues {
  const nsOf = (id: OwnPieceId) =>
    all.find(({ entry }) => entry.id === id)?.samples.map(({ nsPerId }) => nsPerId) ?? [];
  /** Of times, taken within each round. */
  const ratioOf = (above: OwnPieceId, below: OwnPieceId) => {
    const under = nsOf(below);
    return medianOf(nsOf(above).map((ns, round) => ns / (under[round] ?? Number.NaN)));
  };
  return {
    codecToBigInt: ratioOf("bigintToJson", "codecJson"),
    clientToDateNow: ratioOf("client", "dateNow"),
  };
}
