/**
 * A mount namespace of our own: no other process sees its mounts, and they end with its last process.
 * Root makes one directly, other users inside a user namespace if the machine allows it.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import path from "node:path";

const IS_ROOT = process.getuid?.() === 0;

export class Mounts {
  readonly #holder: ChildProcess;
  /** The command that starts a program inside. */
  readonly startedBy: readonly string[];

  private constructor(holder: ChildProcess, pid: number) {
    this.#holder = holder;
    const asUser = IS_ROOT ? [] : ["--user", "--preserve-credentials"];
    this.startedBy = ["nsenter", "--target", `${pid}`, "--mount", ...asUser, "--"];
  }

  /** Rejects with the reason if this machine does not allow it. */
  static async open(): Promise<Mounts> {
    const asUser = IS_ROOT ? [] : ["--user", "--map-root-user"];
    // It ends with its input, and so with this process.
    const hold = ["--mount", ...asUser, "sh", "-c", "echo ready; exec cat"];
    const holder = spawn("unshare", hold, { stdio: ["pipe", "pipe", "pipe"] });
    let said = "";
    holder.stderr.on("data", (chunk) => {
      said += chunk;
    });
    const ended = once(holder, "close").then(
      () => Promise.reject(new Error(said.trim())),
      (error: Error) => Promise.reject(error),
    );
    // After it is ready, its end is no failure.
    ended.catch(() => undefined);
    await Promise.race([once(holder.stdout, "data"), ended]);
    if (holder.pid === undefined) throw new Error("unshare has no process");
    return new Mounts(holder, holder.pid);
  }

  /** A file system of that size in memory, at a path that is created if it is missing. Throws if it can't be made. */
  mountTmpfs(folder: string, sizeBytes: number): void {
    mkdirSync(folder, { recursive: true });
    this.run("mount", "-t", "tmpfs", "-o", `size=${sizeBytes}`, "tmpfs", folder);
  }

  /** Allows or forbids writes. Throws if a file is open for writing. */
  remount(folder: string, state: "ro" | "rw"): void {
    // `bind`: this mount alone, not its file system, whose options a user namespace may not give again.
    this.run("mount", "-o", `remount,bind,${state}`, folder);
  }

  /** Runs a program inside. Throws its output if it failed. */
  run(...command: readonly string[]): void {
    const [program = "", ...args] = [...this.startedBy, ...command];
    const { status, error, stderr } = spawnSync(program, args);
    if (error) throw error;
    if (status !== 0) throw new Error(`${command.join(" ")}: ${stderr}`.trim());
  }

  /** A path inside, as processes outside reach it. */
  seenFromOutside(inside: string): string {
    return path.join(`/proc/${this.#holder.pid}/root`, inside);
  }

  async close(): Promise<void> {
    const ended = once(this.#holder, "close");
    this.#holder.stdin?.end();
    await ended;
  }
}
