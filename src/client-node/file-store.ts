/**
 * A minter's store in files, for Node.js and compatible runtimes. Each text is a generation in its own file, `file.1`,
 * `file.2`, …: the highest number counts, and older ones are removed.
 *
 * Invariants:
 *  P1 A generation appears complete and durable, or not at all: written to a temporary file, synced, linked to its name,
 *     its folder synced.
 *  P2 If several processes put the next generation, one succeeds: a link fails if its name is taken. No lock can be left
 *     behind by a crash.
 *  P3 A put counts only if the generation that it replaces still exists once its own is linked: a late put may get a
 *     name that is free again. Older generations are removed in ascending order, so while one exists, no later name was
 *     ever free again. A listing decides none of this: it is not atomic.
 */
import { randomUUID } from "node:crypto";
import { link, open, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import type { MinterStore } from "../client/minter-store.ts";

/** Reads of one call: a generation may be removed while it is read, if another process puts a newer one. */
const READS_MAX = 100;

interface Generation {
  readonly number: number;
  readonly text: string;
}

/**
 * Makes a store in files for a minter, durable across crashes. Give each process its own `file`.
 *
 * @param file The path that the names of the store's files begin with. Its folder must exist.
 * @returns A store whose methods reject with the error of the file system.
 * @example
 * ```ts
 * import { Minter } from "edgeflake/minter";
 * import { fileStore } from "edgeflake/minter/file";
 *
 * const store = fileStore("/var/lib/orders/edgeflake-lease");
 * const ids = await Minter.open({ url: "https://ids.example.com", key, namespace: "orders", store });
 * ```
 */
export function fileStore(file: string): MinterStore {
  return {
    get: async () => (await newest(file))?.text,
    put: async (text, expected) => {
      const before = await newest(file);
      if (before?.text !== expected) return false;
      const number = (before?.number ?? 0) + 1;
      if (!(await linked(file, number, text))) return false;
      const isReplaced = !before || (await textAt(file, before.number)) === expected;
      if (isReplaced && (await isNewest(file, number))) return true;
      await rm(`${file}.${number}`, { force: true });
      return false;
    },
  };
}

async function newest(file: string): Promise<Generation | undefined> {
  for (let reads = 0; reads < READS_MAX; reads += 1) {
    const number = Math.max(0, ...(await numbersOf(file)));
    if (number === 0) return undefined;
    const text = await textAt(file, number);
    // If it is gone, a newer one exists by now.
    if (text !== undefined) return { number, text };
  }
  throw new Error(`cannot read ${file}: it keeps changing`);
}

async function textAt(file: string, number: number): Promise<string | undefined> {
  try {
    return await readFile(`${file}.${number}`, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Makes a generation (P1); false if its number is taken (P2). */
async function linked(file: string, number: number, text: string): Promise<boolean> {
  const beside = `${file}.${randomUUID()}.new`;
  try {
    await writeSynced(beside, text);
    await link(beside, `${file}.${number}`);
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    await rm(beside, { force: true });
  }
  await syncFolder(path.dirname(file));
  return true;
}

/** Whether no newer generation is listed. If so, removes the older ones, in ascending order (P3). */
async function isNewest(file: string, number: number): Promise<boolean> {
  const numbers = await numbersOf(file);
  if (numbers.some((other) => other > number)) return false;
  const older = numbers.filter((other) => other < number).sort((one, other) => one - other);
  for (const one of older) await rm(`${file}.${one}`, { force: true });
  return true;
}

async function numbersOf(file: string): Promise<number[]> {
  const prefix = `${path.basename(file)}.`;
  const names = await readdir(path.dirname(file));
  return names
    .filter((name) => name.startsWith(prefix) && /^[1-9]\d{0,14}$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)));
}

async function writeSynced(file: string, text: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows can't open folders, and its file system journals names.
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
