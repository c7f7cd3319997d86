/** A data folder that rejects writes: full, read-only or broken. Needs `npm run build` before. */
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";
import { servedAt } from "./clock-steps.ts";
import { NUMBERS, SNOWFLAKES } from "./kinds.ts";
import { Lives } from "./lives.ts";
import { Mounts } from "./mounts.ts";
import type { DiskFault } from "./shim.ts";
import { HAS_SHIM } from "./shim-or-not.ts";

/** Responses of each namespace, and errors in total: more than were open when the disk changed. */
const ANSWERS = 15;
const REFUSALS = 200;
/** Room for some seconds of load, but small enough to fill. */
const DISK_BYTES = 32 * 2 ** 20;

/** When the reserve is used up, each ID needs a write, so no ID is issued from then on. */
async function expectUnserved(lives: Lives): Promise<void> {
  for (const namespace of [...SNOWFLAKES, NUMBERS]) {
    await lives.untilRefused(namespace);
    const refusal = await lives.ask(namespace, "shard=0&order=strict");
    expect(refusal, namespace).toMatchObject({ status: 503, code: "shard_unavailable" });
  }
}

/** Load on objects without earlier requests in this life: they can't write, so they issue no ID. */
async function expectNone(lives: Lives): Promise<void> {
  const load = lives.load();
  await load.isRefused("shard_unavailable", REFUSALS);
  await load.stop();
  expect([...load.tally.acknowledged]).toEqual([]);
}

/** Load during failing writes, during a kill and a start in that state, and afterwards. */
async function expectWellAfter(fault: DiskFault): Promise<void> {
  const lives = Lives.ofTest({ withShim: true });
  await lives.start();
  await lives.makeNumbers();
  const load = lives.load();
  await load.serves(servedAt(0), ANSWERS);
  lives.shim.failWrites(fault);
  await load.isRefused("shard_unavailable", REFUSALS);
  await expectUnserved(lives);
  expect(lives.shim.failedWrites).toBeGreaterThan(0);
  lives.shim.failWrites(undefined);
  await load.serves(servedAt(0), ANSWERS);
  lives.shim.failWrites(fault);
  await load.isRefused("shard_unavailable", REFUSALS);
  await lives.crash();
  // The runtime itself writes at its start.
  await expect(lives.start()).rejects.toThrow("ended before it listened");
  lives.shim.failWrites(undefined);
  await lives.start();
  lives.shim.failWrites(fault);
  await expectNone(lives);
  lives.shim.failWrites(undefined);
  await lives.load().serves(servedAt(0), ANSWERS);
  await lives.crash();
  expect(lives.ledger.faults()).toEqual([]);
}

describe.skipIf(!HAS_SHIM)("writes that fail", () => {
  it("ENOSPC", () => expectWellAfter("ENOSPC"));

  it.each<DiskFault>(["EROFS", "EIO"])("%s", { tags: ["long"] }, expectWellAfter);
});

interface Disk {
  readonly lives: Lives;
  remount(state: "ro" | "rw"): void;
  /** Fills the disk to the last byte. */
  fill(): void;
  free(): void;
}

/** A data folder on a small disk of its own. Skips the test with a message if this machine can't have one. */
async function diskOf(test: TestContext): Promise<Disk> {
  const folder = mkdtempSync(path.join(tmpdir(), "edgeflake-disk-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const unable = (error: unknown): never => {
    const skipped = `CRASH TESTS WITHOUT A DISK OF THEIR OWN: nothing can be mounted here: ${error}`;
    console.warn(skipped);
    return test.skip(skipped);
  };
  const mounts = await Mounts.open().catch(unable);
  onTestFinished(() => mounts.close());
  try {
    mounts.mountTmpfs(folder, DISK_BYTES);
  } catch (error) {
    unable(error);
  }
  const dataFolder = path.join(folder, "data");
  const lives = Lives.ofTest({ withShim: false, dataFolder, startedBy: mounts.startedBy });
  const filler = mounts.seenFromOutside(path.join(folder, "filler"));
  return {
    lives,
    remount: (state) => mounts.remount(folder, state),
    fill: () => fill(filler),
    free: () => rmSync(filler),
  };
}

function fill(file: string): void {
  const descriptor = openSync(file, "a");
  try {
    for (let bytes = 2 ** 20; bytes >= 1; bytes /= 2) writeAll(descriptor, Buffer.alloc(bytes));
  } finally {
    closeSync(descriptor);
  }
}

/** Writes this again and again until it does not fit. */
function writeAll(descriptor: number, bytes: Buffer): void {
  try {
    for (;;) writeSync(descriptor, bytes);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  }
}

describe("a disk of its own", { tags: ["long"] }, () => {
  it("full: the service rejects what it can't write, also after a kill, and recovers when there is room", async (test) => {
    const { lives, fill: fillUp, free } = await diskOf(test);
    await lives.start();
    await lives.makeNumbers();
    const load = lives.load();
    await load.serves(servedAt(0), ANSWERS);
    fillUp();
    await load.isRefused("shard_unavailable", REFUSALS);
    await lives.crash();
    fillUp();
    await lives.start();
    const full = lives.load();
    await full.isRefused("shard_unavailable", REFUSALS);
    free();
    await full.serves(servedAt(0), ANSWERS);
    await lives.crash();
    await lives.start();
    await lives.load().serves(servedAt(0), ANSWERS);
    await lives.crash();
    expect(lives.ledger.faults()).toEqual([]);
  });

  it.for(["crash", "stop"] as const)(
    "remounted read-only after a %s: gives no ID, and is well after a restart that may write",
    async (end, test) => {
      const { lives, remount } = await diskOf(test);
      await lives.start();
      await lives.makeNumbers();
      await lives.load().serves(servedAt(0), ANSWERS);
      await lives[end]();
      remount("ro");
      // SQLite opens what a crash left behind; after a clean end it would have to make files, and nothing starts.
      const starts = await lives.start().then(
        () => true,
        () => false,
      );
      if (starts) {
        await expectNone(lives);
        await lives.crash();
      }
      remount("rw");
      await lives.start();
      await lives.load().serves(servedAt(0), ANSWERS);
      await lives.crash();
      expect(lives.ledger.faults()).toEqual([]);
    },
  );
});
