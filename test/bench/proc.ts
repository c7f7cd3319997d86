/** What Linux tells of a process in /proc; undefined where there is no such folder. */
import { readFileSync, writeFileSync } from "node:fs";

/** Linux counts in hundredths of a second here, on all machines that Node and workerd run on. */
const CLOCK_TICK_MS = 10;
/** Without the name before them, which may hold spaces. */
const USER_TICKS_FIELD = 11;
const SYSTEM_TICKS_FIELD = 12;
const RESET_PEAK = "5";

/** CPU time used since the start, user and system. */
export function cpuMsOf(pid: number): number | undefined {
  const text = readProc(pid, "stat");
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[USER_TICKS_FIELD]) + Number(fields[SYSTEM_TICKS_FIELD]);
  return ticks * CLOCK_TICK_MS;
}

/** How long its main thread was ready to run and had no core, since the start. */
export function coreWaitMsOf(pid: number): number | undefined {
  const waitNs = readProc(pid, "schedstat")?.split(" ")[1];
  return waitNs === undefined ? undefined : Number(waitNs) / 1e6;
}

/** What a reading gained, where both could be taken. */
export function gain(before: number | undefined, after: number | undefined): number | undefined {
  return before === undefined || after === undefined ? undefined : after - before;
}

export interface MemoryBytes {
  readonly nowBytes: number;
  /** The most since the start, or since the last reset. */
  readonly peakBytes: number;
}

export function memoryOf(pid: number): MemoryBytes | undefined {
  const text = readProc(pid, "status");
  const nowKib = /^VmRSS:\s+(\d+) kB$/m.exec(text ?? "")?.[1];
  const peakKib = /^VmHWM:\s+(\d+) kB$/m.exec(text ?? "")?.[1];
  if (nowKib === undefined || peakKib === undefined) return undefined;
  return { nowBytes: Number(nowKib) * 1024, peakBytes: Number(peakKib) * 1024 };
}

/** Lets the peak begin anew at what is used now. */
export function resetPeakMemory(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, RESET_PEAK);
  } catch {
    // The peak since the start is then reported, which is no less.
  }
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}
