/** README and the pages of docs, as tests read them. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export const PROJECT = path.join(import.meta.dirname, "../..");

export interface Page {
  /** Its path below the project. */
  readonly name: string;
  readonly text: string;
}

export interface Fence {
  readonly language: string;
  /** Without the indentation of a list. */
  readonly code: string;
}

const names = readdirSync(path.join(PROJECT, "docs")).map((name) => `docs/${name}`);

export const PAGES: readonly Page[] = ["README.md", ...names.sort()]
  .filter((name) => name.endsWith(".md"))
  .map((name) => ({ name, text: readFileSync(path.join(PROJECT, name), "utf8") }));

const FENCE = /^( *)```(.*)\n([\s\S]*?)^ *```$/gm;

export function fencesOf({ text }: Page): Fence[] {
  return [...text.matchAll(FENCE)].map(([, indentation = "", language = "", code = ""]) => ({
    language,
    code: code.replaceAll(new RegExp(`^${indentation}`, "gm"), ""),
  }));
}

/** The page without its fences. */
export function proseOf({ text }: Page): string {
  return text.replaceAll(FENCE, "");
}

/** The languages of blocks that show a command's output. */
export const OUTPUTS = ["json", "text"];

export interface Commands {
  readonly commands: readonly string[];
  /** The output of them all; undefined: the page shows none. */
  readonly shown: string | undefined;
}

/** Those of each shell block. */
export function commandsOf(page: Page): Commands[] {
  const fences = fencesOf(page);
  return fences.flatMap(({ language, code }, index) => {
    if (language !== "sh") return [];
    const lines = code.replaceAll(/\\\n\s*/g, "").split("\n");
    const commands = lines.map((line) => line.replace(/\s+# .*$/, "")).filter(Boolean);
    const next = fences[index + 1];
    return [{ commands, shown: next && OUTPUTS.includes(next.language) ? next.code : undefined }];
  });
}
