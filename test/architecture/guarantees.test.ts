/** docs/GUARANTEES.md names tests that there are, and mutants take out guards that there are. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { MUTANTS } from "../mutants/mutants.ts";

const PROJECT = path.join(import.meta.dirname, "../..");
const page = readFileSync(path.join(PROJECT, "docs/GUARANTEES.md"), "utf8");
const files = readdirSync(path.join(PROJECT, "test"), { recursive: true, encoding: "utf8" })
  .map((file) => `test/${file.split(path.sep).join("/")}`)
  .filter((file) => file.endsWith(".test.ts"));
const commands = [...page.matchAll(/`npx vitest run ([^`"]+?)(?: -t "([^"]+)")?`/g)];

describe("each command of the guarantees", () => {
  it("is found (or this test would prove nothing)", () => {
    expect(commands.length).toBeGreaterThan(20);
  });

  it.each(commands.map(([command, filter = "", title = ""]) => [command, filter, title]))(
    "%s",
    (_, filter, title) => {
      const named = files.filter((file) => file.includes(filter));
      expect(named).not.toEqual([]);
      const texts = named.map((file) => readFileSync(path.join(PROJECT, file), "utf8"));
      expect(texts.some((text) => text.includes(title))).toBe(true);
    },
  );
});

it("the number of mutants is right", () => {
  expect(page).toContain(`one at a time (${MUTANTS.length},`);
});

it.each(MUTANTS.map(({ guard, ...mutant }) => [guard, mutant] as const))(
  "the guard %s is in its source file exactly once, and its test exists",
  (_, { file, from, test, named = "" }) => {
    const source = readFileSync(path.join(PROJECT, "src", file), "utf8");
    expect(source.split(from)).toHaveLength(2);
    expect(readFileSync(path.join(PROJECT, test), "utf8")).toContain(named);
  },
);
