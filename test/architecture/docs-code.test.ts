/** Every TypeScript block of README and docs compiles against the package as it is published. Needs `npm run build`. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const PROJECT = path.join(import.meta.dirname, "../..");
/** Inside the package, so that `edgeflake/client` means its own exports. */
const FOLDER = path.join(PROJECT, "dist/docs-code");
const TSC = path.join(PROJECT, "node_modules/typescript/bin/tsc");

const pages = [
  "README.md",
  ...readdirSync(path.join(PROJECT, "docs")).map((name) => `docs/${name}`),
].filter((page) => page.endsWith(".md"));

const blocks = pages.flatMap((page) => {
  const text = readFileSync(path.join(PROJECT, page), "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = "", ..._], index) => ({
    file: `${page.replace("/", "-")}-${index + 1}.ts`,
    code,
  }));
});

/** What readers fill in for themselves. */
const GIVEN = "declare const url: string;\ndeclare const key: string;\n";

it("the TypeScript blocks compile", () => {
  expect(blocks.length).toBeGreaterThanOrEqual(4);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  for (const { file, code } of blocks) writeFileSync(path.join(FOLDER, file), code);
  writeFileSync(path.join(FOLDER, "given.d.ts"), GIVEN);
  const compilerOptions = { incremental: false, types: ["@cloudflare/workers-types"] };
  const config = { extends: "../../tsconfig.json", compilerOptions, include: ["*.ts"] };
  writeFileSync(path.join(FOLDER, "tsconfig.json"), JSON.stringify(config));
  const { stdout } = spawnSync(process.execPath, [TSC, "-p", FOLDER], { encoding: "utf8" });
  expect(stdout).toBe("");
});
