/** Parameters of a request, over HTTP or RPC. All errors are reported at once, each with the allowed values. */
import * as v from "valibot";
import type { ParameterError } from "../core/binding.ts";
import { setBounded } from "../core/bounded-map.ts";
import { RECENT_QUERIES_MAX, RECENT_URL_CHARS_MAX } from "./limits.ts";
import { allowedBy } from "./schema.ts";

/** The error of a repeated parameter. */
export const GIVEN_ONCE = "must appear only once";

/** A parameter's schema. Its input is the parameter's text, or undefined if it is absent. */
type ParameterSchema = v.GenericSchema<string | undefined, unknown>;
export type ParamEntries = Readonly<Record<string, ParameterSchema>>;
type Values<Entries extends ParamEntries> = {
  [Name in keyof Entries]?: v.InferOutput<Entries[Name]>;
};

/** Parameters as they arrived. */
export interface Params {
  /** Texts by name, several if the parameter is repeated. A Map, because a native URLSearchParams is slow. */
  readonly texts: ReadonlyMap<string, readonly string[]>;
  /** Errors of the query's form. */
  readonly errors: readonly ParameterError[];
}

export interface ParsedParams<Entries extends ParamEntries> {
  /** Values of the parameters without an error. */
  readonly values: Values<Entries>;
  readonly errors: ParameterError[];
}

/** As several requests read it: nobody may change it. */
type Shared<Parsed extends ParsedParams<ParamEntries>> = {
  readonly [Name in keyof Parsed]: Readonly<Parsed[Name]>;
};

const NO_PARAMS: Params = { texts: new Map(), errors: [] };

/** A cache of queries: the same queries repeat. */
const recent = new Map<string, Params>();

/** The parameters in a URL's query. */
export function paramsOfUrl(url: string): Params {
  const queryAt = url.indexOf("?");
  if (queryAt < 0) return NO_PARAMS;
  const hashAt = url.indexOf("#", queryAt);
  const query = url.slice(queryAt + 1, hashAt < 0 ? undefined : hashAt);
  const known = recent.get(query);
  if (known) return known;
  const params = paramsOf(query);
  // The engine may keep the whole URL in memory for its query.
  if (url.length <= RECENT_URL_CHARS_MAX) {
    setBounded(recent, query, params, RECENT_QUERIES_MAX);
  }
  return params;
}

function paramsOf(query: string): Params {
  const errors = isUtf8(query)
    ? []
    : [{ parameter: "query", detail: "must be percent-encoded UTF-8" }];
  const texts = new Map<string, string[]>();
  // The prefix `?` protects a question mark at the start of the query, which URLSearchParams would strip.
  for (const [name, text] of new URLSearchParams(`?${query}`)) {
    const known = texts.get(name);
    if (known) known.push(text);
    else texts.set(name, [text]);
  }
  return { texts, errors };
}

/** The parameters in the options of an RPC call, which may be untyped. An undefined option counts as absent. */
export function paramsOfOptions(options: object): Params {
  const texts = new Map<string, [string]>();
  const errors: ParameterError[] = [];
  for (const [parameter, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (typeof value === "string" || typeof value === "number") texts.set(parameter, [`${value}`]);
    else errors.push({ parameter, detail: "must be a string or a number" });
  }
  return { texts, errors };
}

/** Parses the query of a request. */
export function parseQuery<Entries extends ParamEntries>(
  { url }: { readonly url: string },
  entries: Entries,
): ParsedParams<Entries> {
  return parseParams(paramsOfUrl(url), entries);
}

/** Parses parameters. Unknown and repeated ones are errors too. */
export function parseParams<Entries extends ParamEntries>(
  { texts, errors: found }: Params,
  entries: Entries,
): ParsedParams<Entries> {
  const values: Values<Entries> = {};
  const errors = [...found];
  for (const parameter of texts.keys()) {
    if (Object.hasOwn(entries, parameter)) continue;
    const allowed = Object.keys(entries);
    const detail = `is an unknown parameter; allowed: ${allowed.join(", ") || "none"}`;
    errors.push({ parameter, detail, allowed });
  }
  for (const name of keysOf(entries)) {
    const [text, repeated] = texts.get(name) ?? [];
    if (repeated !== undefined) {
      errors.push({ parameter: name, detail: GIVEN_ONCE });
      continue;
    }
    // keysOf returns only existing keys, but the compiler adds undefined to every index access.
    const schema = entries[name] as Entries[typeof name];
    if (text === undefined && schema.type === "optional") continue;
    const result = v.safeParse(schema, text);
    if (result.success) values[name] = result.output;
    else errors.push({ parameter: name, ...allowedBy(result.issues[0].message) });
  }
  return { values, errors };
}

/**
 * A parser that caches the results of cached queries: the checks cost up to 40 % of a response from memory (measured).
 */
export function cachedParser<Entries extends ParamEntries>(
  entries: Entries,
): (params: Params) => Shared<ParsedParams<Entries>> {
  const known = new WeakMap<Params, ParsedParams<Entries>>();
  return (params) => {
    const parsed = known.get(params) ?? parseParams(params, entries);
    known.set(params, parsed);
    return parsed;
  };
}

function keysOf<Entries extends ParamEntries>(entries: Entries): (keyof Entries & string)[] {
  return Object.keys(entries);
}

function isUtf8(query: string): boolean {
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false;
  }
}
