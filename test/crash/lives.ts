/** One data folder and the lives of the service on it, one after another. One ledger records all responses. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { onTestFailed, onTestFinished } from "vitest";
import { ServiceProcess } from "../support/processes/service-process.ts";
import { Random } from "../support/random.ts";
import { ask } from "./http.ts";
import { idsOf, LOAD, MAKE_NUMBERS } from "./kinds.ts";
import { Ledger, type Outcome } from "./ledger.ts";
import { Load, WAIT_MAX_MS } from "./load.ts";
import { Shim } from "./shim.ts";

/** Connections of a load: more than the machine has cores, few enough to leave each some requests a life. */
const CONNECTIONS = 12;
/** Open requests have 5 s to end after SIGTERM; the rest is for a machine that is busy. */
const STOP_MAX_MS = 20_000;

export interface LivesOptions {
  /** Whether the service has the faults of the shim. */
  readonly withShim: boolean;
  /** The data folder, if it is not on the file system of temporary files. */
  readonly dataFolder?: string;
  /** The command that starts the service, see ServiceSettings. */
  readonly startedBy?: readonly string[];
}

export class Lives {
  readonly ledger = new Ledger();
  readonly random = new Random(seedOfRun());
  readonly #folder = realpathSync(mkdtempSync(path.join(tmpdir(), "edgeflake-crash-")));
  readonly #dataFolder: string;
  readonly #startedBy: readonly string[];
  readonly #shim: Shim | undefined;
  #service: ServiceProcess | undefined;
  #loads: Load[] = [];
  #life = 0;

  /** Lives for the current test, which ends and removes them. Prints the seed if the test fails. */
  static ofTest(options: LivesOptions): Lives {
    const lives = new Lives(options);
    onTestFailed(() => console.error(`CRASH_SEED=${lives.random.seed}; ${lives.ledger.summary()}`));
    onTestFinished(() => lives.#remove());
    return lives;
  }

  private constructor({ withShim, dataFolder, startedBy = [] }: LivesOptions) {
    this.#dataFolder = dataFolder ?? path.join(this.#folder, "data");
    this.#startedBy = startedBy;
    this.#shim = withShim ? new Shim(this.#folder, this.#dataFolder) : undefined;
  }

  get shim(): Shim {
    if (!this.#shim) throw new Error("this service was started without the shim");
    return this.#shim;
  }

  get service(): ServiceProcess {
    if (!this.#service?.isRunning()) throw new Error("the service does not run");
    return this.#service;
  }

  /**
   * Begins a life. When it listens, and before the first call of an object, its clock is set off by `offsetMs`:
   * workerd refuses to start with a clock before its configuration's date.
   */
  async start(offsetMs = 0): Promise<void> {
    if (this.#service?.isRunning()) throw new Error("the service runs already");
    this.#life += 1;
    if (offsetMs !== 0 || this.#shim) this.shim.setClock(0);
    this.#service = await ServiceProcess.start(
      this.#dataFolder,
      { ACCESS: "open", ...this.#shim?.variables },
      { startedBy: this.#startedBy },
    );
    if (offsetMs !== 0) this.shim.setClock(offsetMs);
  }

  /** Makes the segment namespace that the load asks for. */
  async makeNumbers(): Promise<void> {
    const reply = await ask(this.service.url, MAKE_NUMBERS);
    const isMade = reply.kind === "answer" && reply.status === 201;
    if (!isMade) throw new Error(`PUT of the segment namespace: ${JSON.stringify(reply)}`);
  }

  /** kill -9: open requests end. */
  async crash(): Promise<void> {
    await this.service.crash();
    await this.#endLoads();
  }

  /** Sends SIGTERM to the wrapper, which ends open requests. Throws if it does not end within STOP_MAX_MS. */
  async stop(): Promise<void> {
    const tooLate = pause(STOP_MAX_MS, "late", { ref: false });
    const ended = await Promise.race([this.service.stop(), tooLate]);
    if (ended === "late") throw new Error(`it does not end within ${STOP_MAX_MS} ms of SIGTERM`);
    await this.#endLoads();
  }

  /** Load until the life ends, or until it is stopped. */
  load(): Load {
    const target = { url: this.service.url, life: this.#life };
    const wishes = { kinds: LOAD, connections: CONNECTIONS };
    const load = new Load(this.ledger, target, this.random, wishes);
    this.#loads.push(load);
    return load;
  }

  /** Asks for one ID, whose answer goes into the ledger too. */
  ask(namespace: string, query = "shard=0"): Promise<Outcome> {
    const line = query === "shard=0&order=strict" ? "shard=0, strict" : undefined;
    return this.ledger.ask(this.service.url, idsOf(namespace, query, line), this.#life);
  }

  /** Sends strict requests until one fails: the reserve of the mark lasts a second. */
  async untilRefused(namespace: string): Promise<void> {
    const untilMs = performance.now() + WAIT_MAX_MS;
    for (;;) {
      const outcome = await this.ask(namespace, "shard=0&order=strict");
      if (outcome.kind === "refused" && outcome.code === "shard_unavailable") return;
      if (performance.now() > untilMs) throw new Error(`${namespace} still issues without writing`);
      await pause(20);
    }
  }

  /** Ends all processes and removes all files. */
  async #remove(): Promise<void> {
    if (this.#service?.isRunning()) await this.#service.crash();
    // A failure in them has failed the test already.
    await this.#endLoads().catch(() => undefined);
    this.#shim?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #endLoads(): Promise<void> {
    const loads = this.#loads;
    this.#loads = [];
    for (const load of loads) await load.stop();
  }
}

/** The seed of CRASH_SEED, to repeat a run; a random seed if that is not set. */
function seedOfRun(): number {
  const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 32));
  if (!Number.isSafeInteger(seed)) throw new Error("CRASH_SEED takes a whole number");
  return seed;
}
