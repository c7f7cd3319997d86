/** Plain workerd with all workers of the bench, on free ports and a fresh data folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import { pinWorkerd } from "./pinning.ts";

/** The sockets of workerd.capnp. */
export const SOCKETS = [
  "bare",
  "honoHello",
  "honoJson",
  "honoNoop",
  "rowPerId",
  "honoBatch",
  "honoJsonHeaders",
  "honoNoopHeaders",
  "fresh",
  "strict",
  "batches",
  "keys",
] as const;
export type SocketName = (typeof SOCKETS)[number];

/** workerd takes any free descriptor; 0 to 2 are the standard streams. */
const CONTROL_FD = 3;
const START_MS_MAX = 20_000;
const CONFIG = fileURLToPath(new URL("workerd.capnp", import.meta.url));

/** workerd's reports on its control descriptor, one JSON object a line. */
const ListenEvent = v.object({
  event: v.literal("listen"),
  socket: v.picklist(SOCKETS),
  port: v.number(),
});

const WorkerdPackage = v.object({ default: v.string(), version: v.string() });
const workerdPackage = v.parse(WorkerdPackage, createRequire(import.meta.url)("workerd"));
export const WORKERD_VERSION = workerdPackage.version;

export class WorkerdProcess {
  readonly pid: number;
  /** On other cores than the load generators. */
  readonly pinned: boolean;
  readonly #child: ChildProcess;
  readonly #dataFolder: string;
  readonly #ports = new Map<SocketName, number>();
  readonly #atExit = (): void => this.#endNow();

  private constructor(child: ChildProcess, pid: number, dataFolder: string) {
    this.#child = child;
    this.pid = pid;
    this.pinned = pinWorkerd(pid);
    this.#dataFolder = dataFolder;
    // Whatever ends the bench ends workerd.
    process.once("exit", this.#atExit);
  }

  static async start(): Promise<WorkerdProcess> {
    const dataFolder = mkdtempSync(path.join(tmpdir(), "edgeflake-bench-"));
    const options = ["--directory-path", `data=${dataFolder}`, `--control-fd=${CONTROL_FD}`];
    const child = spawn(workerdPackage.default, ["serve", CONFIG, ...options], {
      stdio: ["ignore", "inherit", "inherit", "pipe"],
    });
    if (child.pid === undefined) {
      rmSync(dataFolder, { recursive: true });
      const [error] = await once(child, "error");
      throw error;
    }
    const workerd = new WorkerdProcess(child, child.pid, dataFolder);
    try {
      await workerd.#listening();
    } catch (error) {
      await workerd.stop();
      throw error;
    }
    return workerd;
  }

  portOf(socket: SocketName): number {
    const port = this.#ports.get(socket);
    if (port === undefined) throw new Error(`workerd does not listen on ${socket}`);
    return port;
  }

  isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Ends it and removes its data. */
  async stop(): Promise<void> {
    if (this.isRunning()) {
      const exited = once(this.#child, "exit");
      this.#child.kill("SIGKILL");
      await exited;
    }
    process.off("exit", this.#atExit);
    this.#endNow();
  }

  #endNow(): void {
    this.#child.kill("SIGKILL");
    // It may not have ended yet, and still write.
    rmSync(this.#dataFolder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #listening(): Promise<void> {
    const reports = this.#child.stdio[CONTROL_FD];
    if (!(reports instanceof Readable)) throw new Error("workerd has no control descriptor");
    const timeout = setTimeout(() => this.#child.kill("SIGKILL"), START_MS_MAX);
    try {
      for await (const line of createInterface({ input: reports })) {
        const report = v.safeParse(ListenEvent, JSON.parse(line));
        if (!report.success) continue;
        this.#ports.set(report.output.socket, report.output.port);
        if (this.#ports.size === SOCKETS.length) return;
      }
    } finally {
      clearTimeout(timeout);
    }
    throw new Error("workerd did not start: are dist/worker and dist/bench built?");
  }
}
