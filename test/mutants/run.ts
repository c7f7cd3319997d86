/**
 * `npm run test:mutants [-- part of a guard]`: takes out one guard at a time, in a copy of the project, and runs the
 * test that must notice. Ends with 1 where a mutant survives, or where its test is red without it.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { MUTANTS, type Mutant } from "./mutants.ts";

const PROJECT = path.join(import.meta.dirname, "../..");
/** What a run may take, in ms: one that hangs is red too, but is not what a mutant is killed by. */
const TIMEOUT_MS = 300_000;
const BAD_USAGE = 2;

interface Run {
  readonly passed: number;
  readonly failed: number;
}

function copyProject(): string {
  const copy = mkdtempSync(path.join(tmpdir(), "edgeflake-mutants-"));
  const options = { cwd: PROJECT, encoding: "utf8" } as const;
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], options);
  for (const file of files.trimEnd().split("\n")) {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    cpSync(path.join(PROJECT, file), path.join(copy, file));
  }
  for (const folder of ["node_modules", "dist"]) {
    symlinkSync(path.join(PROJECT, folder), path.join(copy, folder));
  }
  return copy;
}

function runTest(folder: string, { project, test, named }: Mutant): Run {
  const vitest = path.join(folder, "node_modules/vitest/vitest.mjs");
  const only = named === undefined ? [] : ["-t", named];
  const { stdout } = spawnSync(
    process.execPath,
    [vitest, "run", "--bail", "1", "--project", project, test, ...only],
    { cwd: folder, encoding: "utf8", timeout: TIMEOUT_MS, maxBuffer: 2 ** 28 },
  );
  // The closing line, which is printed for tests that ran, not for files that could not be loaded.
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(stdout) ?? [];
  if (passed === undefined || failed === undefined)
    throw new Error(`${test} did not run:\n${stdout}`);
  return { passed: Number(passed), failed: Number(failed) };
}

function mutated(folder: string, { file, from, to }: Mutant, run: () => Run): Run {
  const source = path.join(folder, "src", file);
  const text = readFileSync(source, "utf8");
  if (text.split(from).length !== 2) throw new Error(`${file} has not just one "${from}"`);
  writeFileSync(
    source,
    text.replace(from, () => to),
  );
  try {
    return run();
  } finally {
    writeFileSync(source, text);
  }
}

function main(): void {
  const wanted = process.argv[2] ?? "";
  const chosen = MUTANTS.filter(({ guard }) => guard.includes(wanted));
  if (chosen.length === 0) {
    const guards = MUTANTS.map(({ guard }) => `  ${guard}\n`).join("");
    process.stderr.write(
      `usage: npm run test:mutants [-- PART OF A GUARD]\n\nno guard has "${wanted}"; they are:\n${guards}`,
    );
    process.exitCode = BAD_USAGE;
    return;
  }
  const folder = copyProject();
  // Ctrl+C, which the tests that run get too, does not leave the copy behind.
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));
  const greens = new Map<string, Run>();
  let killed = 0;
  try {
    for (const mutant of chosen) {
      const { project, test, named = "" } = mutant;
      const place = `${test} ${named}`.trim();
      const green = greens.get(place) ?? runTest(folder, mutant);
      greens.set(place, green);
      if (green.failed > 0 || green.passed === 0) throw new Error(`${place} is not green as it is`);
      const { failed } = mutated(folder, mutant, () => runTest(folder, mutant));
      if (failed > 0) killed += 1;
      const outcome = failed > 0 ? "killed  " : "SURVIVED";
      process.stdout.write(`${outcome} ${mutant.guard}  (${project}: ${place})\n`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  process.stdout.write(`${killed} of ${chosen.length} mutants killed\n`);
  if (killed < chosen.length) process.exitCode = 1;
}

main();
