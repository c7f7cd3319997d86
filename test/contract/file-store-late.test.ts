/** P2 and P3 of the file store: a late put loses. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fileStore } from "../../src/client-node/file-store.ts";

/** Happens after the comparison, right before the new generation gets its name. */
let beforeLink: () => void;
/** Removed files in order, without those that were never put. */
let removed: string[] = [];
/** Files that listings miss. */
let unlisted: readonly string[] = [];

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const rm: typeof real.rm = async (name, options) => {
    if (!`${name}`.endsWith(".new")) removed.push(path.basename(`${name}`));
    await real.rm(name, options);
  };
  const link: typeof real.link = async (existing, name) => {
    beforeLink();
    await real.link(existing, name);
  };
  // A listing is not atomic: it may miss texts that are put meanwhile.
  const readdir = async (name: string) =>
    (await real.readdir(name)).filter((one) => !unlisted.includes(one));
  return { ...real, link, readdir, rm };
});

let folder: string;
const generation = (number: number) => path.join(folder, `lease.json.${number}`);

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "edgeflake-"));
  writeFileSync(generation(5), "five");
  unlisted = [];
  removed = [];
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

it("P2 a name that exists belongs to another process", async () => {
  beforeLink = () => writeFileSync(generation(6), "another's six");
  const store = fileStore(path.join(folder, "lease.json"));
  expect(await store.put("six", "five")).toBe(false);
  expect(await store.get()).toBe("another's six");
});

it("P3 a name that is free again, because others have put later generations, is lost too", async () => {
  beforeLink = () => {
    writeFileSync(generation(7), "seven");
    rmSync(generation(5));
  };
  const store = fileStore(path.join(folder, "lease.json"));
  expect(await store.put("six", "five")).toBe(false);
  expect(await store.get()).toBe("seven");
  expect(readdirSync(folder)).toEqual(["lease.json.7"]);
});

it("P3 … even if the listing misses those generations", async () => {
  beforeLink = () => {
    writeFileSync(generation(7), "seven");
    rmSync(generation(5));
    unlisted = ["lease.json.7"];
  };
  const store = fileStore(path.join(folder, "lease.json"));
  expect(await store.put("six", "five")).toBe(false);
  unlisted = [];
  expect(await store.get()).toBe("seven");
  expect(readdirSync(folder)).toEqual(["lease.json.7"]);
});

it("P3 older generations are deleted in ascending order", async () => {
  for (const number of [2, 3, 4]) writeFileSync(generation(number), `${number}`);
  beforeLink = () => undefined;
  const store = fileStore(path.join(folder, "lease.json"));
  expect(await store.put("six", "five")).toBe(true);
  expect(removed).toEqual([2, 3, 4, 5].map((number) => `lease.json.${number}`));
});

it("otherwise the put has won", async () => {
  beforeLink = () => undefined;
  const store = fileStore(path.join(folder, "lease.json"));
  expect(await store.put("six", "five")).toBe(true);
  expect(readdirSync(folder)).toEqual(["lease.json.6"]);
});
