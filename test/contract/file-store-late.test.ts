/** P2 and P3 of the file store: who comes late has lost. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fileStore } from "../../src/client-node/file-store.ts";

/** Happens after the comparison, right before the new generation gets its name. */
let beforeLink: () => void;

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const link: typeof real.link = async (existing, name) => {
    beforeLink();
    await real.link(existing, name);
  };
  return { ...real, link };
});

let folder: string;
const generation = (number: number) => path.join(folder, `lease.json.${number}`);

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "edgeflake-"));
  writeFileSync(generation(5), "five");
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

it("P2 a name that is taken is another's", async () => {
  beforeLink = () => writeFileSync(generation(6), "another's six");
  const store = fileStore(path.join(folder, "lease.json"));
  expect(await store.put("six", "five")).toBe(false);
  expect(await store.get()).toBe("another's six");
});

it("P3 a name that is free again, since others have gone on, is lost too", async () => {
  beforeLink = () => {
    writeFileSync(generation(7), "seven");
    rmSync(generation(5));
  };
  const store = fileStore(path.join(folder, "lease.json"));
  expect(await store.put("six", "five")).toBe(false);
  expect(await store.get()).toBe("seven");
  expect(readdirSync(folder)).toEqual(["lease.json.7"]);
});

it("otherwise it has won", async () => {
  beforeLink = () => undefined;
  const store = fileStore(path.join(folder, "lease.json"));
  expect(await store.put("six", "five")).toBe(true);
  expect(readdirSync(folder)).toEqual(["lease.json.6"]);
});
