/** A plain workerd with one Worker, on free ports and a fresh data folder, and the CPU time and memory it takes. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import * as v from "valibot";

const projectFolder = fileURLToPath(new URL("../..", import.meta.url));
const WorkerdPackage = v.object({ default: v.string(), version: v.string() });
const workerd = v.parse(WorkerdPackage, createRequire(import.meta.url)("workerd"));
export const WORKERD_VERSION = workerd.version;
export const ADMIN_KEY = "the-admin-key-of-the-bench";

/** Only Linux tells the CPU time and memory of another process. */
const hasProc = existsSync("/proc/self/schedstat");
/** workerd takes any free descriptor; 0 to 2 are the standard streams. */
const CONTROL_FD = 3;
/** workerd's reports on its control descriptor, one JSON object a line. */
const ListenEvent = v.object({ event: v.literal("listen"), socket: v.string(), port: v.number() });

/** `open` and `keys` are Edgeflake by its `ACCESS`. */
export type WorkerName = "baselines" | "open" | "keys";

export class Server {
  readonly #child: ChildProcess;
  readonly #dataFolder: string;
  readonly #ports = new Map<string, number>();

  private constructor(worker: WorkerName) {
    this.#dataFolder = mkdtempSync(path.join(tmpdir(), "edgeflake-bench-"));
    const ours = worker !== "baselines";
    const config = ours ? "workerd.capnp" : "test/bench/baselines.capnp";
    const args = ["serve", config, `--control-fd=${CONTROL_FD}`];
    args.push(`--directory-path=data=${this.#dataFolder}`);
    if (ours) args.push("--socket-addr=http=127.0.0.1:0", "--directory-path=assets=dist/assets");
    this.#child = spawn(workerd.default, args, {
      cwd: projectFolder,
      env: { ...process.env, ACCESS: worker, ADMIN_KEY, CORS_ORIGINS: "" },
      stdio: ["ignore", "inherit", "inherit", "pipe"],
    });
    running.add(this);
  }

  static async start(worker: WorkerName): Promise<Server> {
    const server = new Server(worker);
    const reports = server.#child.stdio[CONTROL_FD];
    if (!(reports instanceof Readable)) throw new Error("workerd has no control descriptor");
    for await (const line of createInterface({ input: reports })) {
      const report = v.safeParse(ListenEvent, JSON.parse(line));
      if (!report.success) continue;
      server.#ports.set(report.output.socket, report.output.port);
      if (worker !== "baselines" || server.#ports.size === 2) return server;
    }
    throw new Error("workerd did not start: are dist/worker and dist/bench built?");
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  url(socket = "http"): string {
    return `http://127.0.0.1:${this.#ports.get(socket)}`;
  }

  /** Of all its threads since the start, in ms; `waitedMs`: ready to run, but without a core. */
  usage(): { readonly cpuMs: number; readonly waitedMs: number } | undefined {
    if (!hasProc) return undefined;
    let [cpuNs, waitedNs] = [0, 0];
    for (const thread of readdirSync(`/proc/${this.pid}/task`)) {
      const schedstat = readFileSync(`/proc/${this.pid}/task/${thread}/schedstat`, "utf8");
      const [cpu = 0, waited = 0] = schedstat.split(" ").map(Number);
      cpuNs += cpu;
      waitedNs += waited;
    }
    return { cpuMs: cpuNs / 1e6, waitedMs: waitedNs / 1e6 };
  }

  /** Resident now, and at most since `resetPeak`. */
  memory(): { readonly bytes: number; readonly peakBytes: number } | undefined {
    if (!hasProc) return undefined;
    const status = readFileSync(`/proc/${this.pid}/status`, "utf8");
    const bytesOf = (line: RegExp) => Number(line.exec(status)?.[1]) * 1024;
    return { bytes: bytesOf(/^VmRSS:\s+(\d+)/m), peakBytes: bytesOf(/^VmHWM:\s+(\d+)/m) };
  }

  resetPeak(): void {
    if (hasProc) writeFileSync(`/proc/${this.pid}/clear_refs`, "5");
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
    this.end();
  }

  end(): void {
    running.delete(this);
    this.#child.kill("SIGKILL");
    rmSync(this.#dataFolder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const running = new Set<Server>();
// However the bench ends, its servers end with it.
process.once("exit", () => {
  for (const server of running) server.end();
});

/**
 * Puts the load generator, this process, on the last core and each server's main thread on the others: the scheduler
 * tends to put two that communicate on one. A server's garbage collector may use all. False if that is impossible.
 */
export function pinToCores(servers: readonly Server[]): boolean {
  const last = availableParallelism() - 1;
  const pin = (pid: number, cores: string, ...options: string[]) =>
    spawnSync("taskset", [...options, "--pid", "--cpu-list", cores, `${pid}`], { stdio: "ignore" })
      .status === 0;
  if (last < 1 || !pin(process.pid, `${last}`, "--all-tasks")) return false;
  return servers.every(({ pid }) => pin(pid, last === 1 ? "0" : `0-${last - 1}`));
}
