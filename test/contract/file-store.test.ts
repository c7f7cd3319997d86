/** The file store, as built, with real processes. Needs `npm run build` before. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { fileStore } from "edgeflake/minter/file";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const PROGRAM = fileURLToPath(new URL("../support/processes/putting-program.ts", import.meta.url));
/** Rounds that each of two racers wins at least. */
const WINS = 60;
/** For a machine that is busy. */
const WAIT = { timeout: 40_000, interval: 5 };
const CRASHES = 8;
const LENGTH = 400_000;

let folder: string;
let file: string;
let children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "edgeflake-"));
  file = path.join(folder, "lease.json");
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children = [];
  rmSync(folder, { recursive: true, force: true });
});

function start(...args: (number | string)[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args.map(String)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  return { child, lines, ended: once(child, "close") };
}

/** The newest text in the folder. */
function newestText(): string {
  const numbers = readdirSync(folder).map((name) => Number(/\.(\d+)$/.exec(name)?.[1] ?? 0));
  return readFileSync(`${file}.${Math.max(...numbers)}`, "utf8");
}

describe("a file store", () => {
  it("has nothing before the first put, then the last text put", async () => {
    const store = fileStore(file);
    expect(await store.get()).toBeUndefined();
    expect(await store.put("one", undefined)).toBe(true);
    expect(await store.put("two", "one")).toBe(true);
    expect([await store.get(), await fileStore(file).get()]).toEqual(["two", "two"]);
    expect(newestText()).toBe("two");
    expect(readdirSync(folder)).toEqual(["lease.json.2"]);
  });

  it.each([
    ["nothing is stored", undefined, "one"],
    ["something is stored", "one", undefined],
    ["another text is stored", "one", "two"],
    ["an empty text is stored", "", undefined],
    ["a longer text is stored", "one two", "one"],
  ] as const)("changes nothing if %s than expected", async (_, stored, expected) => {
    if (stored !== undefined) writeFileSync(`${file}.1`, stored);
    expect(await fileStore(file).put("new", expected)).toBe(false);
    expect(await fileStore(file).get()).toBe(stored);
  });

  it("can be read by its owner only, and leaves no other files", async () => {
    await fileStore(file).put("secret", undefined);
    expect(statSync(`${file}.1`).mode & 0o777).toBe(0o600);
    await fileStore(file).put("other", "wrong");
    expect(readdirSync(folder)).toEqual(["lease.json.1"]);
  });

  it("ignores files that are not its generations", async () => {
    for (const name of ["lease.json", "lease.json.x", "lease.json.07", "lease.json.1.new", "x.9"]) {
      writeFileSync(path.join(folder, name), "stranger");
    }
    expect(await fileStore(file).get()).toBeUndefined();
    expect(await fileStore(file).put("one", undefined)).toBe(true);
    expect(await fileStore(file).get()).toBe("one");
  });

  it("keeps texts beyond ASCII", async () => {
    const text = '{"holder":"Zoë 🦊"}';
    await fileStore(file).put(text, undefined);
    expect(await fileStore(file).put("next", text)).toBe(true);
  });

  it("lets one of many concurrent puts win", async () => {
    const puts = Array.from({ length: 20 }, (_, index) =>
      fileStore(file).put(`${index}`, undefined),
    );
    const won = await Promise.all(puts);
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await fileStore(file).get()).toBe(`${won.indexOf(true)}`);
  });

  it("rejects with the file system's error, and works again after it is repaired", async () => {
    const missing = path.join(folder, "made", "later.json");
    await expect(fileStore(missing).get()).rejects.toMatchObject({ code: "ENOENT" });
    await expect(fileStore(missing).put("one", undefined)).rejects.toMatchObject({
      code: "ENOENT",
    });
    mkdirSync(path.dirname(missing));
    expect(await fileStore(missing).put("one", undefined)).toBe(true);
    mkdirSync(`${file}.1`);
    await expect(fileStore(file).get()).rejects.toMatchObject({ code: "EISDIR" });
    await expect(fileStore(file).put("one", undefined)).rejects.toMatchObject({ code: "EISDIR" });
    rmSync(`${file}.1`, { recursive: true });
    expect(await fileStore(file).put("one", undefined)).toBe(true);
  });
});

describe("two processes", () => {
  it("on one file never both win the same round", async () => {
    const racers = ["one", "other"].map((name) => start("race", file, name));
    await vi.waitUntil(() => racers.every(({ lines }) => lines.length >= WINS), WAIT);
    for (const { child, ended } of racers) {
      child.kill("SIGKILL");
      await ended;
    }
    const won = racers.flatMap(({ lines }) => lines.map(Number));
    expect(new Set(won).size).toBe(won.length);
  });
});

describe("a crash", () => {
  it("leaves the old text or the new one, never a part", async () => {
    for (let crash = 0; crash < CRASHES; crash += 1) {
      const { child, lines, ended } = start("fill", file, LENGTH);
      await vi.waitUntil(() => lines.length > 0, WAIT);
      await pause(crash * 10);
      child.kill("SIGKILL");
      await ended;
      const text = newestText();
      const said = lines.at(-1)?.charCodeAt(0) ?? 0;
      const follows = said === "z".charCodeAt(0) ? "a" : String.fromCharCode(said + 1);
      expect([lines.at(-1), follows]).toContain(text[0]);
      expect(text).toBe(`${text[0]}`.repeat(LENGTH));
    }
    const store = fileStore(file);
    expect(await store.put("after", await store.get())).toBe(true);
    expect(await store.get()).toBe("after");
  });
});
