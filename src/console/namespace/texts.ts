/** Fields of a namespace as typed in a form. */

import type { FieldError } from "../../core/allowed.ts";
import { mapFields, POLICY_FIELDS, type WholeField, wrongIn } from "../../core/layout/fields.ts";
import type { NamespacePolicy } from "../../core/layout/policy.ts";
import { figure } from "../figure.ts";
import { duration } from "../shards/shard-state.ts";

/** The typed texts, by field. An absent one is empty. */
export type Texts = Readonly<Record<string, string>>;

export type PolicyName = keyof NamespacePolicy;

/** The names of the policy's fields, in their order. */
export const POLICY_NAMES: readonly PolicyName[] = Object.values(
  mapFields(POLICY_FIELDS, (_, name) => name),
);

/** The text of a field, without spaces around it. */
export function typed(texts: Texts, name: string): string {
  return (texts[name] ?? "").trim();
}

/** The whole number in a text, or why it is none of the allowed ones. */
export function wholeIn(field: string, bounds: WholeField, text: string): number | FieldError {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  const wrong = wrongIn(bounds, value);
  return wrong ? { field, ...wrong } : value;
}

/** The values of some whole fields, and the errors of the others. */
export interface Wholes {
  readonly values: Readonly<Record<string, number>>;
  readonly errors: readonly FieldError[];
}

/** Reads all texts of a table's fields that are not empty. */
export function wholesIn(table: Readonly<Record<string, WholeField>>, texts: Texts): Wholes {
  const values: Record<string, number> = {};
  const errors: FieldError[] = [];
  for (const [name, bounds] of Object.entries(table)) {
    const text = typed(texts, name);
    const read = text === "" ? undefined : wholeIn(name, bounds, text);
    if (typeof read === "number") values[name] = read;
    else if (read) errors.push(read);
  }
  return { values, errors };
}

/** The problem of a field; undefined if it is valid. */
export function errorOf(errors: readonly FieldError[], name: string): string | undefined {
  const error = errors.find(({ field }) => field === name || field === `policy.${name}`);
  return error && `${name} ${error.detail}.`;
}

/** Shorter times, in ms, are as easy to read in ms. */
const LONG_MS = 10_000;

/** A value for people: with separators, and a long time also in its largest unit. */
export function valueWords(name: string, text: string): string {
  if (text === "") return "–";
  if (name === "description") return text;
  const number = figure(BigInt(text));
  if (!name.endsWith("Ms")) return number;
  return Number(text) < LONG_MS ? `${number} ms` : `${number} ms (${duration(Number(text))})`;
}
