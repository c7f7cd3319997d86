/** Keeps workerd and the load generators on cores of their own: the scheduler likes to put two that talk on one. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Empty where Linux does not tell them. */
function allowedCores(): number[] {
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    const ranges = /^Cpus_allowed_list:\s+(\S+)$/m.exec(status)?.[1]?.split(",") ?? [];
    return ranges.flatMap((range) => {
      const [first = 0, last = first] = range.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
  } catch {
    return [];
  }
}

const cores = allowedCores();

/** The load generators share the last core. Answers whether that could be done. */
export function pinGenerator(pid: number): boolean {
  return cores.length > 1 && pin(pid, cores.slice(-1), ["--all-tasks"]);
}

/** workerd's main thread, which does all but some of the garbage collection, has the others. */
export function pinWorkerd(pid: number): boolean {
  return cores.length > 1 && pin(pid, cores.slice(0, -1), []);
}

function pin(pid: number, to: readonly number[], options: readonly string[]): boolean {
  const args = [...options, "--pid", "--cpu-list", to.join(","), `${pid}`];
  return spawnSync("taskset", args, { stdio: "ignore" }).status === 0;
}
