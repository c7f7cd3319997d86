/**
 * `npm run test:mutants [-- -t "part of a guard"]`: takes out one guard at a time, in a copy of the project, and runs
 * the test that must notice. The tests themselves are green only if `npm test` is.
 */
import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import * as v from "valibot";
import { afterAll, beforeAll, expect, it } from "vitest";
import { MUTANTS, type Mutant } from "./mutants.ts";

const PROJECT = path.join(import.meta.dirname, "../..");
/** Folders that are the same in each copy, or that it does without. */
const SHARED = new Set(["dist", "node_modules"]);
const LEFT_OUT = new Set([".data", ".git", ".wrangler"]);
/** The longest run of one test file, in ms. */
const RUN_MAX_MS = 240_000;
const OUTPUT_MAX_BYTES = 2 ** 26;

const run = promisify(execFile);

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

const Report = v.object({ numFailedTests: v.number() });

let root: string;
beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), "edgeflake-mutants-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A copy of the project for one mutant: two of them run at a time. */
function copyProject(): string {
  const copy = mkdtempSync(path.join(root, "copy-"));
  for (const name of readdirSync(PROJECT)) {
    const [from, to] = [path.join(PROJECT, name), path.join(copy, name)];
    if (SHARED.has(name)) symlinkSync(from, to);
    else if (!LEFT_OUT.has(name)) cpSync(from, to, { recursive: true });
  }
  return copy;
}

/** Number of tests that failed; a file that can't be loaded has none. */
async function failedTests(
  folder: string,
  { project, test, named = "." }: Mutant,
): Promise<number> {
  const report = path.join(folder, "report.json");
  const vitest = path.join(folder, "node_modules/vitest/vitest.mjs");
  const args = ["run", "--bail=1", "--reporter=json", `--outputFile=${report}`];
  const chosen = [`--project=${project}`, test, `--testNamePattern=${named}`];
  // Vitest's own variables would make the inner run believe that it is a worker of this one.
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|NODE_ENV|TEST$)/.test(name),
  );
  const { stdout, stderr } = await run(process.execPath, [vitest, ...args, ...chosen], {
    cwd: folder,
    env: Object.fromEntries(own),
    timeout: RUN_MAX_MS,
    maxBuffer: OUTPUT_MAX_BYTES,
  }).catch((failed: Output) => failed);
  if (!existsSync(report)) throw new Error(`${test} did not run:\n${stdout}\n${stderr}`);
  return v.parse(Report, JSON.parse(readFileSync(report, "utf8"))).numFailedTests;
}

it.concurrent.each(MUTANTS)("$guard", { tags: ["long"] }, async (mutant) => {
  const folder = copyProject();
  const source = path.join(folder, "src", mutant.file);
  const [before, after, ...more] = (await readFile(source, "utf8")).split(mutant.from);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`${mutant.file} must have exactly one "${mutant.from}"`);
  }
  await writeFile(source, before + mutant.to + after);
  expect(await failedTests(folder, mutant)).toBeGreaterThan(0);
});
