/** A minting process of its own (minting-program.ts): what it said, and its end. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("minting-program.ts", import.meta.url));
const WAIT_MS = 40_000;

export class MintingProcess {
  readonly #child: ChildProcess;
  /** Resolves with the exit code; null if it was killed. */
  readonly ended: Promise<number | null>;
  readonly lines: string[] = [];

  constructor(options: object, ...commands: string[]) {
    const args = [PROGRAM, JSON.stringify(options), ...commands];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    if (!child.stdout) throw new Error("the process has no standard output");
    createInterface({ input: child.stdout }).on("line", (line) => this.lines.push(line));
    this.#child = child;
    // With its output read whole.
    this.ended = once(child, "close").then(([code]) => (typeof code === "number" ? code : null));
  }

  get ids(): string[] {
    return this.lines.filter((line) => /^\d+$/.test(line));
  }

  get worker(): number {
    const line = this.lines.find((one) => one.startsWith("worker "));
    if (!line) throw new Error(`it has no worker: ${this.lines.join(", ")}`);
    return Number(line.split(" ")[1]);
  }

  /** Waits until it has said what `isSaid` looks for. */
  async until(isSaid: (process: MintingProcess) => boolean): Promise<this> {
    const untilMs = Date.now() + WAIT_MS;
    while (!isSaid(this)) {
      if (Date.now() > untilMs) throw new Error(`it said only: ${this.lines.slice(-5).join(", ")}`);
      await pause(10);
    }
    return this;
  }

  isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** kill -9. */
  async crash(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.ended;
  }
}
