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
