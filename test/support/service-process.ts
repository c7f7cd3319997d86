/** The service as people run it: `npm run serve`'s own script in a process group of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SERVE_SCRIPT = fileURLToPath(new URL("../../src/selfhost/serve.ts", import.meta.url));

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
    variables: { readonly ACCESS?: string; readonly ADMIN_KEY?: string },
  ): Promise<ServiceProcess> {
    const { ACCESS: _, ADMIN_KEY: __, ...environment } = process.env;
    const child = spawn(process.execPath, [SERVE_SCRIPT, "--port", "0", "--data", dataFolder], {
      detached: true,
      env: { ...environment, ...variables },
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (!child.stdout) throw new Error("the service has no standard output");
    const lines = createInterface({ input: child.stdout });
    for await (const line of lines) {
      const url = /listens on (http:\S+)/.exec(line)?.[1];
      if (url) return new ServiceProcess(child, url);
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
