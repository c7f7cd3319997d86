/**
 * A minter's store in a file, for Node.js and what is compatible with it. The file is replaced as a whole: written
 * beside it, synced, renamed, and its folder synced. A lock file, taken for each change, keeps processes apart.
 */
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { MinterStore } from "../client/minter-store.ts";

/** A lock that is older is left over from a process that crashed, in ms: a change takes some milliseconds. */
const LOCK_STALE_MS = 10_000;
/** How long a lock of another process is waited for, in ms: until it would be stale, and some. */
const LOCK_WAIT_MS = 15_000;
const LOCK_TRY_MS = 10;

/** A store in the file at `file`, whose folder exists. Its methods reject with what the file system says. */
export function fileStore(file: string): MinterStore {
  const lock = `${file}.lock`;
  return {
    get: () => read(file),
    put: (text, expected) =>
      locked(lock, async () => {
        if ((await read(file)) !== expected) return false;
        await replace(file, text);
        return true;
      }),
  };
}

async function read(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

async function replace(file: string, text: string): Promise<void> {
  const beside = `${file}.new`;
  const written = await open(beside, "w", 0o600);
  try {
    await written.writeFile(text);
    await written.sync();
  } finally {
    await written.close();
  }
  await rename(beside, file);
  const folder = await open(path.dirname(file), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Does `work` while no other process does. */
async function locked<Value>(lock: string, work: () => Promise<Value>): Promise<Value> {
  const untilMs = Date.now() + LOCK_WAIT_MS;
  while (!(await take(lock))) {
    if (Date.now() > untilMs) throw new Error(`cannot lock ${lock}: another process holds it`);
    await pause(LOCK_TRY_MS);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await (await open(lock, "wx", 0o600)).close();
    return true;
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
    await removeStale(lock);
    return false;
  }
}

async function removeStale(lock: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(lock);
    if (Date.now() - mtimeMs > LOCK_STALE_MS) await rm(lock, { force: true });
  } catch (error) {
    // Its holder was quicker.
    if (!isCode(error, "ENOENT")) throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
