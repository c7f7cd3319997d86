/** Types, bounds and allowed values of JSON Schema as people write them. */
import type { JsonSchema } from "./document.ts";

const SAFE_MAX = Number.MAX_SAFE_INTEGER;

/** The type in a few words: `integer`, `list of string`, `string or null`. */
export function typeText(schema: JsonSchema): string {
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts) return [...new Set(parts.map(typeText))].join(" or ");
  if (schema.items) return `list of ${typeText(schema.items)}`;
  if (schema.$ref !== undefined) return "object";
  if (typeof schema.additionalProperties === "object") {
    return `object of ${typeText(schema.additionalProperties)}`;
  }
  const [first] = allowedIn(schema);
  if (Number.isInteger(first)) return "integer";
  if (schema.type === undefined) return typeof first;
  return [schema.type].flat().join(" or ");
}

/** Bounds and form of a value, each a short text. */
export function boundsOf(schema: JsonSchema): readonly string[] {
  const parts = (schema.anyOf ?? schema.oneOf ?? []).flatMap(boundsOf);
  const items = schema.items ? boundsOf(schema.items) : [];
  const own = [
    range(schema.minimum, schema.maximum, ""),
    schema.minLength === 1 && schema.maxLength === undefined
      ? "not empty"
      : range(schema.minLength, schema.maxLength, " characters"),
    range(schema.minItems, schema.maxItems, " items"),
    schema.format ?? "",
  ];
  return [...new Set([...own, ...items, ...parts])].filter((text) => text !== "");
}

/** Allowed values; empty if they are not listed. */
export function allowedIn(schema: JsonSchema): readonly unknown[] {
  if (schema.const !== undefined) return [schema.const];
  const parts = (schema.anyOf ?? schema.oneOf ?? []).flatMap(allowedIn);
  return schema.enum ?? (schema.items ? allowedIn(schema.items) : parts);
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined) return most === undefined ? "" : `≤ ${numberText(most)}${unit}`;
  if (most === undefined) return `≥ ${numberText(least)}${unit}`;
  return `${numberText(least)} to ${numberText(most)}${unit}`;
}

function numberText(value: number): string {
  return value === SAFE_MAX ? "2^53 − 1" : value.toLocaleString("en");
}
