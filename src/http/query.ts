/** Query parameters: each schema says in its message what it takes; all failures come back at once. */
import * as v from "valibot";
import type { ParameterError } from "../core/binding.ts";
import { takesOf } from "./schema.ts";

/** What is said of a repeated parameter. */
export const GIVEN_ONCE = "may be given once";

/** A parameter's schema: from the one text of the query string, or undefined where it is absent. */
type ParameterSchema = v.GenericSchema<string | undefined, unknown>;
export type QueryEntries = Readonly<Record<string, ParameterSchema>>;
type Values<Entries extends QueryEntries> = {
  [Name in keyof Entries]?: v.InferOutput<Entries[Name]>;
};

export interface ParsedQuery<Entries extends QueryEntries> {
  /** What could be read; a parameter that failed is missing. */
  readonly values: Values<Entries>;
  readonly errors: ParameterError[];
  /** Names of the parameters that the query has, good or bad. */
  readonly given: Readonly<Record<string, readonly string[]>>;
}

/** The query of a request, as Hono's request has it. */
export interface QueryText {
  readonly url: string;
  queries(): Record<string, string[]>;
}

/** The options of a call as a query; texts and numbers are taken, undefined is absent. */
export function queryOf(
  options: object,
):
  | { readonly ok: true; readonly value: QueryText }
  | { readonly ok: false; readonly errors: readonly ParameterError[] } {
  const queries: Record<string, string[]> = {};
  const errors: ParameterError[] = [];
  for (const [parameter, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (typeof value === "string" || typeof value === "number") queries[parameter] = [`${value}`];
    else errors.push({ parameter, detail: "takes a text or a number" });
  }
  if (errors.length > 0) return { ok: false, errors };
  return { ok: true, value: { url: "", queries: () => queries } };
}

/** Reads the query of a request. Unknown and repeated parameters are errors too. */
export function parseQuery<Entries extends QueryEntries>(
  request: QueryText,
  entries: Entries,
): ParsedQuery<Entries> {
  const given = request.queries();
  const values: Values<Entries> = {};
  const errors: ParameterError[] = [];
  if (!isUtf8Query(request.url)) {
    errors.push({ parameter: "query", detail: "takes percent-encoded UTF-8" });
  }
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(entries, name));
  if (hasNameless(request.url)) unknown.push("");
  for (const name of unknown) {
    const allowed = Object.keys(entries);
    const detail = `is not a parameter here; known are ${allowed.join(", ") || "none"}`;
    errors.push({ parameter: name, detail, allowed });
  }
  for (const name of keysOf(entries)) {
    const [text, repeated] = given[name] ?? [];
    if (repeated !== undefined) {
      errors.push({ parameter: name, detail: GIVEN_ONCE });
      continue;
    }
    // keysOf names only keys that are there; the compiler adds an undefined to every index access.
    const schema = entries[name] as Entries[typeof name];
    if (text === undefined && schema.type === "optional") continue;
    const result = v.safeParse(schema, text);
    if (result.success) values[name] = result.output;
    else errors.push({ parameter: name, ...takesOf(result.issues[0].message) });
  }
  return { values, errors, given };
}

function keysOf<Entries extends QueryEntries>(entries: Entries): (keyof Entries & string)[] {
  return Object.keys(entries);
}

/** Whether some parameter has no name: Hono passes over those. A `?` may stand in a value. */
function hasNameless(url: string): boolean {
  const queryStart = url.indexOf("?");
  return queryStart >= 0 && /^\?=|&=/.test(url.slice(queryStart));
}

function isUtf8Query(url: string): boolean {
  const queryStart = url.indexOf("?");
  if (queryStart < 0 || !url.includes("%", queryStart)) return true;
  try {
    decodeURIComponent(url.slice(queryStart));
    return true;
  } catch {
    return false;
  }
}
