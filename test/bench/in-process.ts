/** Codec, core, client, minter and the generators of npm, without HTTP: tinybench in interleaved rounds. */
import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { Bench } from "tinybench";
import * as v from "valibot";
import { medianOf } from "./figures.ts";
import { NPM_GENERATORS, SNOWFLAKE_TEXTS } from "./npm-generators.ts";
import { OWN_PIECES, type Piece, type Pieces } from "./own-pieces.ts";

export interface InProcessPlan {
  readonly rounds: number;
  /** Of each row, in a round. */
  readonly sampleMs: number;
  /** IDs of each generator that are looked at for repeated ones. */
  readonly checked: number;
}

/** Until V8 has compiled a piece. */
const WARM_UP_MS = 200;
const PIECES: Pieces = { ...OWN_PIECES, ...NPM_GENERATORS };

/** A round of so many ms, or a check of so many IDs for repeated ones. */
const Question = v.union([v.object({ sampleMs: v.number() }), v.object({ check: v.number() })]);
/** `nsPerId`, or of a generator `checked`, `repeated` and `thrown`. */
const Answer = v.record(v.string(), v.number());

async function nsPerIdOf({ ids, before, run }: Piece, sampleMs: number): Promise<number> {
  const bench = new Bench({ time: sampleMs, iterations: 1, warmup: false, throws: true });
  let consumed = 0;
  const consume = (): void => {
    consumed += run();
  };
  bench.add("piece", consume, { async: false, ...(before && { beforeEach: before }) });
  const [task] = await bench.run();
  if (task?.result.state !== "completed" || Number.isNaN(consumed)) throw new Error("no result");
  return (task.result.latency.p50 * 1e6) / ids;
}

async function serve(name: string): Promise<void> {
  const piece = await PIECES[name]?.();
  if (!piece) throw new Error(`no piece ${name}`);
  parentPort?.on("message", async (message: unknown) => {
    const question = v.parse(Question, message);
    if ("check" in question) parentPort?.postMessage(piece.check?.(question.check) ?? {});
    else parentPort?.postMessage({ nsPerId: await nsPerIdOf(piece, question.sampleMs) });
  });
}

if (!isMainThread) await serve(v.parse(v.string(), workerData));

async function ask(worker: Worker, question: v.InferOutput<typeof Question>) {
  worker.postMessage(question);
  const [answer] = await once(worker, "message");
  return v.parse(Answer, answer);
}

export async function measureInProcess({ rounds, sampleMs, checked }: InProcessPlan) {
  // Each piece has a thread of its own: V8 optimises for nothing else.
  const program = new URL(import.meta.url);
  const workers = Object.keys(PIECES).map((name) => {
    return { name, worker: new Worker(program, { workerData: name }) };
  });
  const times = new Map<string, number[]>();
  for (const { worker } of workers) await ask(worker, { sampleMs: WARM_UP_MS });
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, worker } of workers) {
      const { nsPerId = Number.NaN } = await ask(worker, { sampleMs });
      times.set(name, [...(times.get(name) ?? []), nsPerId]);
    }
  }
  const rows = [];
  for (const { name, worker } of workers) {
    const { checked: many, repeated, thrown } = await ask(worker, { check: checked });
    rows.push({ name, nsPerId: medianOf(times.get(name) ?? []), checked: many, repeated, thrown });
    await worker.terminate();
  }
  /** Of times, within each round. */
  const ratio = (name: string, to: keyof typeof OWN_PIECES): number | undefined => {
    const others = times.get(to) ?? [];
    return medianOf((times.get(name) ?? []).map((ns, at) => ns / (others[at] ?? ns)));
  };
  const rivals = rows.filter(({ name, repeated }) => {
    return SNOWFLAKE_TEXTS.includes(name) && repeated === 0;
  });
  const toRivals = (piece: keyof typeof OWN_PIECES) =>
    Math.min(...rivals.map(({ name }) => ratio(name, piece) ?? Number.POSITIVE_INFINITY));
  const codec = "4096 IDs: codec, JSON bytes";
  return {
    rows,
    targets: {
      codecToBigInt: ratio("4096 IDs: BigInt.toString + JSON.stringify", codec),
      clientToDateNow: ratio("client nextNow() from its buffer", "Date.now()"),
      minterToGenerators: toRivals("minter next(), each text read"),
      minterTakeToGenerators: toRivals("minter take(4096), each text read"),
    },
  };
}
