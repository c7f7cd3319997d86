/**
 * A minter's store in files, for Node.js and what is compatible with it. Each text is a generation of its own,
 * `file.1`, `file.2`, …, of which the highest counts and older ones are removed.
 *
 * Invariants:
 *  P1 A generation appears whole and durable, or not at all: written beside, synced, linked to its name, its folder
 *     synced.
 *  P2 Of all who would put the next generation one does: a link fails where its name is taken. There is no lock that
 *     a crash could leave behind.
 *  P3 A put counts only if the generation that it replaces is still there once its own is linked: a late one may get a
 *     name that is free again. Older generations are removed in ascending order, so while one is there, no later name
 *     was ever free again. A listing decides nothing of this: it is not atomic.
 */
import { randomUUID } from "node:crypto";
import { link, open, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import type { MinterStore } from "../client/minter-store.ts";

/** How often a generation may be removed while it is read, by others who put newer ones, until that is a fault. */
const READS_MAX = 100;

interface Generation {
  readonly number: number;
  readonly text: string;
}

/** A store in files named after `file`, whose folder exists. Its methods reject with what the file system says. */
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
    // If it is gone, there is a newer one by now.
    if (text !== undefined) return { number, text };
  }
  throw new Error(`cannot read ${file}: it changes all the time`);
}

async function textAt(file: string, number: number): Promise<string | undefined> {
  try {
    return await readFile(`${file}.${number}`, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Makes a generation (P1); false where there is one of that number (P2). */
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

/** Whether no newer generation is listed; removes what is older, in ascending order (P3). */
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
  // There folders can't be opened, and names are in the journal.
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
