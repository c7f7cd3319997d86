/**
 * README and docs: every TypeScript block compiles against the package as it is published (needs `npm run build`),
 * links lead somewhere, and the README stays short. Commands are run by test/contract/docs-commands.test.ts.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { fencesOf, PAGES, type Page, PROJECT, proseOf } from "../support/pages.ts";

const README_LINES_MAX = 160;
/** Inside the package, so that `edgeflake/client` means its own exports. */
const FOLDER = path.join(PROJECT, "dist/docs-code");
const TSC = path.join(PROJECT, "node_modules/typescript/bin/tsc");

const blocks = PAGES.flatMap((page) =>
  fencesOf(page)
    .filter(({ language }) => language === "ts")
    .map(({ code }, index) => ({ file: `${page.name.replace("/", "-")}-${index + 1}.ts`, code })),
);

/** Names that the blocks use and other blocks or readers define. */
const GIVEN = `declare const url: string;
declare const key: string;
declare const ids: import("edgeflake/client").Edgeflake;
`;

it("the TypeScript blocks compile", () => {
  expect(blocks.length).toBeGreaterThanOrEqual(4);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  // A block without an import is a module too.
  for (const { file, code } of blocks) {
    writeFileSync(path.join(FOLDER, file), `${code}export {};\n`);
  }
  writeFileSync(path.join(FOLDER, "given.d.ts"), GIVEN);
  const compilerOptions = { incremental: false, types: ["@cloudflare/workers-types"] };
  const config = { extends: "../../tsconfig.json", compilerOptions, include: ["*.ts"] };
  writeFileSync(path.join(FOLDER, "tsconfig.json"), JSON.stringify(config));
  const { stdout } = spawnSync(process.execPath, [TSC, "-p", FOLDER], { encoding: "utf8" });
  expect(stdout).toBe("");
});

/** The anchors that GitHub gives a page's headings. */
function anchorsOf(page: Page): string[] {
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

it.each(PAGES)("every link of $name has a target", (page) => {
  const links = [...proseOf(page).matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)];
  const dead = links.filter(([, file = "", anchor = ""]) => {
    const target = file === "" ? page.name : path.join(path.dirname(page.name), file);
    const known = PAGES.find(({ name }) => name === target);
    return anchor === ""
      ? !existsSync(path.join(PROJECT, target))
      : !(known && anchorsOf(known).includes(anchor));
  });
  expect(dead.map(([link]) => link)).toEqual([]);
});

it("every page of docs is linked from the README, directly or through other pages", () => {
  const found = new Set(["README.md"]);
  for (const name of found) {
    const page = PAGES.find((each) => each.name === name);
    for (const [, file = ""] of page?.text.matchAll(/\]\(([^)#]+\.md)/g) ?? []) {
      found.add(path.join(path.dirname(name), file));
    }
  }
  expect(PAGES.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
});

it("the README stays short", () => {
  const lines = PAGES[0]?.text.trimEnd().split("\n").length;
  expect(lines).toBeLessThanOrEqual(README_LINES_MAX);
});
