/** The service as people run it: `npm run serve`'s own script in a process group of its own. For use inside Vitest. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach } from "vitest";

const SERVE_SCRIPT = fileURLToPath(new URL("../../../src/selfhost/serve.ts", import.meta.url));
/** Lines of the service's log that a failed test prints: enough to see what happened before, few enough to read. */
const LOG_LINES_KEPT = 60;
/** A start takes a third of a second, in ms; the rest is for a machine that is busy. */
const START_MAX_MS = 60_000;

/** The last lines of all services of this test file: Vitest loads this module anew for each file. */
const log: string[] = [];
const running = new Set<ServiceProcess>();

beforeEach(({ onTestFailed }) => {
  onTestFailed(() => {
    if (log.length > 0) console.error(`The end of the service's log:\n${log.join("\n")}`);
  });
});
// Registered before the file's own hooks, so it runs after them: no process outlives a test that failed halfway.
afterAll(async () => {
  // One that has just ended can't be killed.
  for (const service of running) await service.crash().catch(() => undefined);
});

type Variables = Readonly<Record<string, string>> & {
  readonly ACCESS?: string;
  readonly ADMIN_KEY?: string;
};

export interface ServiceSettings {
  /** A program, with its arguments, that starts another one: nsenter, say. */
  readonly startedBy?: readonly string[];
  /** Where it listens; any free port unless given. */
  readonly port?: number;
}

export class ServiceProcess {
  readonly #child: ChildProcess;
  /** Its exit code, once all of its output was read; null after a kill. */
  readonly #ended: Promise<number | null>;
  readonly url: string;
  /** The line that it prints once it listens. */
  readonly greeting: string;

  private constructor(
    child: ChildProcess,
    ended: Promise<number | null>,
    url: string,
    greeting: string,
  ) {
    this.#child = child;
    this.#ended = ended;
    this.url = url;
    this.greeting = greeting;
    running.add(this);
    void ended.then(() => running.delete(this));
  }

  /** Starts it on a free port with these variables; done once it listens. Its log is printed if the test fails. */
  static async start(
    dataFolder: string,
    variables: Variables,
    { startedBy = [], port = 0 }: ServiceSettings = {},
  ): Promise<ServiceProcess> {
    const { ACCESS: _, ADMIN_KEY: __, ...environment } = process.env;
    const serve = [process.execPath, SERVE_SCRIPT, "--port", `${port}`, "--data", dataFolder];
    const [program = "", ...args] = [...startedBy, ...serve];
    const child = spawn(program, args, {
      detached: true,
      env: { ...environment, ...variables },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = once(child, "close").then(([code]) => (typeof code === "number" ? code : null));
    createInterface({ input: child.stderr }).on("line", (line) => {
      log.push(line);
      if (log.length > LOG_LINES_KEPT) log.shift();
    });
    const lines = createInterface({ input: child.stdout });
    for await (const line of lines) {
      const url = /listens on (http:\S+)/.exec(line)?.[1];
      if (!url) continue;
      // Read on to the end: a full pipe would make it wait.
      child.stdout.resume();
      return new ServiceProcess(child, ended, url, line);
    }
    await ended;
    throw new Error(`the service ended before it listened:\n${log.join("\n")}`);
  }

  get #groupId(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error("the service has no process");
    return pid;
  }

  /** kill -9 of the whole process group: a crash. */
  async crash(): Promise<void> {
    process.kill(-this.#groupId, "SIGKILL");
    await this.#ended;
  }

  /** Signals the wrapper alone, as npm and supervisors do; its exit code. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    process.kill(this.#groupId, signal);
    return await this.#ended;
  }

  /** True until the wrapper has ended. */
  isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }
}

/** A service for all tests of a file, with a data folder that goes when they have ended. */
export function serviceOfFile(variables: Variables): { readonly url: string } {
  let service: ServiceProcess | undefined;
  let folder = "";
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "edgeflake-"));
    service = await ServiceProcess.start(folder, variables);
  }, START_MAX_MS);
  afterAll(async () => {
    if (service?.isRunning()) await service.crash();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    get url() {
      if (!service) throw new Error("the service is not started");
      return service.url;
    },
  };
}
