/** Schemas for queries and bodies. Each message names the allowed values. */
import * as v from "valibot";
import { type Allowed, anyOf, integerFrom } from "../core/allowed.ts";
import { FIELD_TEXTS, type FieldTitle, type WholeField } from "../core/layout/fields.ts";
import { MAX_ID } from "../core/limits.ts";
import { isDecimal } from "../core/segment/segment-definition.ts";

/** Allowed values by message. The map stays small: all schemas are made at the start. */
const known = new Map<string, Allowed>();

/** The allowed values of the schema with that message. */
export function allowedBy(message: string): Allowed {
  return known.get(message) ?? { detail: message };
}

/** Registers allowed values, and returns the message for their schema. */
export function messageOf(allowed: Allowed): string {
  known.set(allowed.detail, allowed);
  return allowed.detail;
}

/** One of a few words. */
export function oneOf<const Words extends readonly string[]>(words: Words) {
  return v.picklist(words, messageOf(anyOf(words)));
}

/** An integer in a query, in plain decimal: without sign, space, point, exponent or leading zero. */
export function wholeText(least: number, most: number) {
  const message = messageOf(integerFrom(least, most));
  return v.pipe(
    v.string(message),
    v.regex(/^(?:0|[1-9]\d{0,15})$/, message),
    v.transform(Number),
    v.number(message),
    v.integer(message),
    v.minValue(least, message),
    v.maxValue(most, message),
  );
}

/** Any safe integer ≥ 0 in a query or path. */
export const anyWholeText = wholeText(0, Number.MAX_SAFE_INTEGER);

/** An integer in a JSON body. */
export function wholeNumber(least: number, most: number) {
  const message = messageOf(integerFrom(least, most));
  return v.pipe(
    v.number(message),
    v.integer(message),
    v.minValue(least, message),
    v.maxValue(most, message),
  );
}

/** A string in a JSON body, of 1 to `most` characters. */
export function shortText(most: number, message: string) {
  return v.pipe(v.string(message), v.minLength(1, message), v.maxLength(most, message));
}

/** A list in a JSON body, of 1 to `most` items. */
export function listOf<Item extends v.GenericSchema>(item: Item, most: number, message: string) {
  return v.pipe(v.array(item, message), v.minLength(1, message), v.maxLength(most, message));
}

const DECIMAL_RULE = `must be an integer from 0 to ${MAX_ID}, as a string above ${Number.MAX_SAFE_INTEGER}`;
/** A number of a segment: a string if it is above the exact range of a JSON number. */
export const decimal = v.union(
  [
    v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.transform(String)),
    v.pipe(v.string(), v.check(isDecimal)),
  ],
  DECIMAL_RULE,
);

/** The schema of a field in core's tables, with its description. */
export function wholeField(field: WholeField, name: FieldTitle): v.GenericSchema<unknown, number> {
  if (!("allowed" in field)) return described(wholeNumber(field.least, field.most), name);
  return described(v.picklist(field.allowed, messageOf(anyOf(field.allowed))), name);
}

/** The schema of an optional field in core's tables. */
export function optionalField(field: WholeField, name: FieldTitle) {
  return v.exactOptional(wholeField(field, name));
}

/** Adds core's description of a field to its schema. */
export function described<Schema extends v.GenericSchema>(schema: Schema, name: FieldTitle) {
  return v.pipe(schema, v.description(FIELD_TEXTS[name]));
}
