/** The load generators' side of the bench: one process, or several that share a job's connections. */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import { addedCounts } from "./histogram.ts";
import { FromGenerator, type LoadJob, type LoadResult, type ToGenerator } from "./load-messages.ts";
import { pinGenerator } from "./pinning.ts";

const PROGRAM = fileURLToPath(new URL("load-generator.ts", import.meta.url));

type Answer<Kind extends FromGenerator["kind"]> = Extract<FromGenerator, { kind: Kind }>;

export class Generators {
  readonly #processes: readonly GeneratorProcess[];

  constructor(count: number) {
    this.#processes = Array.from({ length: count }, () => new GeneratorProcess());
  }

  /** Runs one job, and answers as if one process had. */
  async run(job: LoadJob): Promise<LoadResult> {
    const working = this.#processes.slice(0, job.connections);
    const results = await Promise.all(
      working.map((generator, index) => generator.run(shareOf(job, index, working.length))),
    );
    return results.reduce(merged);
  }

  /** Requests served so far in the job that runs. */
  async servedSoFar(): Promise<number> {
    const counts = await Promise.all(this.#processes.map((generator) => generator.servedSoFar()));
    return counts.reduce((sum, count) => sum + count);
  }

  /** On a core that workerd does not use. */
  pinned(): boolean {
    return this.#processes.every((generator) => generator.pinned);
  }

  stop(): void {
    for (const generator of this.#processes) generator.stop();
  }
}

class GeneratorProcess {
  readonly pinned: boolean;
  readonly #child: ChildProcess;
  #result: PromiseWithResolvers<Answer<"result">> | undefined;
  #count: PromiseWithResolvers<Answer<"count">> | undefined;

  constructor() {
    this.#child = fork(PROGRAM);
    this.pinned = this.#child.pid !== undefined && pinGenerator(this.#child.pid);
    this.#child.on("message", (message: unknown) => this.#receive(v.parse(FromGenerator, message)));
    this.#child.on("exit", (code) => this.#fail(`a load generator ended with ${code}`));
    this.#child.on("error", (error) => this.#fail(error.message));
  }

  async run(job: LoadJob): Promise<LoadResult> {
    this.#result = Promise.withResolvers();
    this.#send({ kind: "run", job });
    return (await this.#result.promise).result;
  }

  async servedSoFar(): Promise<number> {
    this.#count = Promise.withResolvers();
    this.#send({ kind: "count" });
    return (await this.#count.promise).served;
  }

  stop(): void {
    this.#child.removeAllListeners("exit");
    if (this.#child.connected) this.#child.disconnect();
  }

  #send(message: ToGenerator): void {
    this.#child.send(message, (error) => error && this.#fail(error.message));
  }

  #receive(answer: FromGenerator): void {
    if (answer.kind === "result") this.#result?.resolve(answer);
    else if (answer.kind === "count") this.#count?.resolve(answer);
    else this.#fail(answer.reason);
  }

  #fail(reason: string): void {
    const error = new Error(reason);
    this.#result?.reject(error);
    this.#count?.reject(error);
  }
}

function shareOf(job: LoadJob, index: number, processes: number): LoadJob {
  const connections = Math.floor((job.connections + index) / processes);
  if (job.perSecond === undefined) return { ...job, connections };
  return { ...job, connections, perSecond: job.perSecond / processes };
}

function merged(one: LoadResult, other: LoadResult): LoadResult {
  return {
    elapsedMs: Math.max(one.elapsedMs, other.elapsedMs),
    served: one.served + other.served,
    refused: one.refused + other.refused,
    refusedStatus: one.refusedStatus ?? other.refusedStatus,
    broken: one.broken + other.broken,
    bytes: one.bytes + other.bytes,
    latencyCounts: addedCounts(one.latencyCounts, other.latencyCounts),
    // Flagged is the generator that is the closest to a whole core.
    cpuMs: Math.max(one.cpuMs, other.cpuMs),
    coreWaitMs: Math.max(one.coreWaitMs ?? 0, other.coreWaitMs ?? 0),
  };
}
