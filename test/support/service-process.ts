/** The service as people run it: `npm run serve`'s own script in a process group of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SERVE_SCRIPT = fileURLToPath(new URL("../../src/selfhost/serve.ts", import.meta.url));

export interface ServiceSettings {
  /** A program, with its arguments, that starts another one: nsenter, say. */
  readonly startedBy?: readonly string[];
  /** Called with each line of the service's log; without it, its errors go to this process's. */
  readonly onLog?: (line: string) => void;
  /** Where it listens; any free port unless given. */
  readonly port?: number;
}

export class ServiceProcess {
  readonly #child: ChildProcess;
  readonly url: string;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** Starts it on a free port with these variables; done once it listens. */
  static async start(
    dataFolder: string,
    variables: Readonly<Record<string, string>> & {
      readonly ACCESS?: string;
      readonly ADMIN_KEY?: string;
    },
    { startedBy = [], onLog, port = 0 }: ServiceSettings = {},
  ): Promise<ServiceProcess> {
    const { ACCESS: _, ADMIN_KEY: __, ...environment } = process.env;
    const serve = [process.execPath, SERVE_SCRIPT, "--port", `${port}`, "--data", dataFolder];
    const [program = "", ...args] = [...startedBy, ...serve];
    const child = spawn(program, args, {
      detached: true,
      env: { ...environment, ...variables },
      stdio: ["ignore", "pipe", onLog ? "pipe" : "inherit"],
    });
    if (!child.stdout) throw new Error("the service has no standard output");
    if (onLog && child.stderr) createInterface({ input: child.stderr }).on("line", onLog);
    const lines = createInterface({ input: child.stdout });
    for await (const line of lines) {
      const url = /listens on (http:\S+)/.exec(line)?.[1];
      if (!url) continue;
      // Read on to the end: a full pipe would make it wait.
      child.stdout.resume();
      return new ServiceProcess(child, url);
    }
    throw new Error("the service ended before it listened");
  }

  get #groupId(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error("the service has no process");
    return pid;
  }

  /** kill -9 of the whole process group: a crash. */
  async crash(): Promise<void> {
    const ended = once(this.#child, "exit");
    process.kill(-this.#groupId, "SIGKILL");
    await ended;
  }

  /** Signals the wrapper alone, as npm and supervisors do; its exit code. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    const ended = once(this.#child, "exit");
    process.kill(this.#groupId, signal);
    const [code]: (number | null)[] = await ended;
    return code ?? null;
  }

  /** True until the wrapper has ended. */
  isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }
}
