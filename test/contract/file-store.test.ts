/** The file store, as built, with real processes. Needs `npm run build` before. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { fileStore } from "edgeflake/minter/file";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("../support/putting-program.ts", import.meta.url));
const ROUNDS = 300;
const CRASHES = 12;
const LENGTH = 400_000;

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "edgeflake-"));
  file = path.join(folder, "lease.json");
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function start(...args: (number | string)[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args.map(String)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  return { child, lines, ended: once(child, "close") };
}

/** Makes a lock as old as one that a process left behind long ago. */
function age(lock: string): void {
  const longAgo = new Date(Date.now() - 60_000);
  if (existsSync(lock)) utimesSync(lock, longAgo, longAgo);
}

describe("a file store", () => {
  it("has nothing before the first put, then what was put last", async () => {
    const store = fileStore(file);
    expect(await store.get()).toBeUndefined();
    expect(await store.put("one", undefined)).toBe(true);
    expect(await store.put("two", "one")).toBe(true);
    expect([await store.get(), await fileStore(file).get()]).toEqual(["two", "two"]);
    expect(readFileSync(file, "utf8")).toBe("two");
  });

  it.each([
    ["nothing is stored", undefined, "one"],
    ["something is stored", "one", undefined],
    ["another text is stored", "one", "two"],
    ["an empty text is stored", "", undefined],
    ["a longer text is stored", "one two", "one"],
  ] as const)("changes nothing where %s than expected", async (_, stored, expected) => {
    if (stored !== undefined) writeFileSync(file, stored);
    expect(await fileStore(file).put("new", expected)).toBe(false);
    expect(await fileStore(file).get()).toBe(stored);
  });

  it("is nobody else's to read, and leaves nothing beside it", async () => {
    await fileStore(file).put("secret", undefined);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await fileStore(file).put("other", "wrong");
    expect(readdirSync(folder)).toEqual(["lease.json"]);
  });

  it("keeps texts beyond ASCII", async () => {
    const text = '{"holder":"Zoë 🦊"}';
    await fileStore(file).put(text, undefined);
    expect(await fileStore(file).put("next", text)).toBe(true);
  });

  it("lets one of many puts at once win", async () => {
    const puts = Array.from({ length: 20 }, (_, index) =>
      fileStore(file).put(`${index}`, undefined),
    );
    const won = await Promise.all(puts);
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await fileStore(file).get()).toBe(`${won.indexOf(true)}`);
  });

  it("rejects with what the file system says, and can be used once that is mended", async () => {
    const missing = path.join(folder, "made", "later.json");
    expect(await fileStore(missing).get()).toBeUndefined();
    await expect(fileStore(missing).put("one", undefined)).rejects.toMatchObject({
      code: "ENOENT",
    });
    mkdirSync(path.dirname(missing));
    expect(await fileStore(missing).put("one", undefined)).toBe(true);
    mkdirSync(file);
    await expect(fileStore(file).get()).rejects.toMatchObject({ code: "EISDIR" });
    await expect(fileStore(file).put("one", undefined)).rejects.toMatchObject({ code: "EISDIR" });
    rmSync(file, { recursive: true });
    expect(await fileStore(file).put("one", undefined)).toBe(true);
  });
});

describe("its lock", () => {
  it("of a process that crashed is taken over", async () => {
    writeFileSync(`${file}.lock`, "");
    age(`${file}.lock`);
    expect(await fileStore(file).put("one", undefined)).toBe(true);
    expect(readdirSync(folder)).toEqual(["lease.json"]);
  });

  it("of a process at work is waited for", async () => {
    writeFileSync(`${file}.lock`, "");
    let isDone = false;
    const put = fileStore(file)
      .put("one", undefined)
      .finally(() => {
        isDone = true;
      });
    await pause(300);
    expect([isDone, existsSync(file)]).toEqual([false, false]);
    rmSync(`${file}.lock`);
    expect(await put).toBe(true);
  });

  it("does not keep readers out", async () => {
    writeFileSync(file, "one");
    writeFileSync(`${file}.lock`, "");
    expect(await fileStore(file).get()).toBe("one");
  });
});

describe("two processes", () => {
  it(`on one file: exactly one wins each of ${ROUNDS} rounds`, async () => {
    const racers = ["one", "other"].map((name) => start("race", file, name, ROUNDS));
    await Promise.all(racers.map(({ ended }) => ended));
    const won = racers.map(({ lines }) => lines.map(Number));
    const all = won.flat().sort((one, other) => one - other);
    expect(all).toEqual(Array.from({ length: ROUNDS }, (_, index) => index + 1));
    // Or they did not race at all.
    expect(won.every((rounds) => rounds.length > 0)).toBe(true);
  });
});

describe("a crash", () => {
  it("leaves the old text or the new one, never half of one", async () => {
    for (let crash = 0; crash < CRASHES; crash += 1) {
      const { child, lines, ended } = start("fill", file, LENGTH);
      while (lines.length === 0) await pause(5);
      await pause(crash * 7);
      child.kill("SIGKILL");
      await ended;
      const text = readFileSync(file, "utf8");
      const said = lines.at(-1)?.charCodeAt(0) ?? 0;
      const follows = said === "z".charCodeAt(0) ? "a" : String.fromCharCode(said + 1);
      expect([lines.at(-1), follows]).toContain(text[0]);
      expect(text).toBe(`${text[0]}`.repeat(LENGTH));
      age(`${file}.lock`);
    }
    const store = fileStore(file);
    expect(await store.put("after", await store.get())).toBe(true);
    expect(await store.get()).toBe("after");
  });
});
