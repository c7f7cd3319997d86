/**
 * A minter's store in files, for Node.js and what is compatible with it. Each text is a generation of its own,
 * `file.1`, `file.2`, …, of which the highest counts and older ones are removed.
 *
 * Invariants:
 *  P1 A generation appears whole and durable, or not at all: written beside, synced, linked to its name, its folder
 *     synced.
 *  P2 Of all who would put the next generation one does: a link fails where its name is taken. There is no lock that
 *     a crash could leave behind.
 *  P3 Who finds a higher generation after its own has lost, however late it was: an older name may be free again.
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
      return (await linked(file, number, text)) && (await isNewest(file, number));
    },
  };
}

async function newest(file: string): Promise<Generation | undefined> {
  for (let reads = 0; reads < READS_MAX; reads += 1) {
    const number = Math.max(0, ...(await numbersOf(file)));
    if (number === 0) return undefined;
    try {
      return { number, text: await readFile(`${file}.${number}`, "utf8") };
    } catch (error) {
      // There is a newer one by now.
      if (!isCode(error, "ENOENT")) throw error;
    }
  }
  throw new Error(`cannot read ${file}: it changes all the time`);
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

/** Whether that generation is the newest (P3); removes what is older, or the generation itself. */
async function isNewest(file: string, number: number): Promise<boolean> {
  const numbers = await numbersOf(file);
  const isLost = numbers.some((other) => other > number);
  const left = isLost ? [number] : numbers.filter((other) => other < number);
  for (const one of left) await rm(`${file}.${one}`, { force: true });
  return !isLost;
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
