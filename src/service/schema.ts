/** Schemas that queries and bodies share; each message says what is taken. */
import * as v from "valibot";
import { oneOfTakes, type Takes, wholeTakes } from "../core/takes.ts";

/** What the messages of the schemas below say, by message. As many as there are schemas: all are made at the start. */
const known = new Map<string, Takes>();

/** What the schema with that message takes. */
export function takesOf(message: string): Takes {
  return known.get(message) ?? { detail: message };
}

/** The message of a schema that takes this. */
export function messageOf(takes: Takes): string {
  known.set(takes.detail, takes);
  return takes.detail;
}

/** One of a few words. */
export function oneOf<const Words extends readonly string[]>(words: Words) {
  return v.picklist(words, messageOf(oneOfTakes(words)));
}

/** A whole number of a query, in plain decimal: no sign, space, point, exponent or leading zero. */
export function wholeText(least: number, most: number) {
  const message = messageOf(wholeTakes(least, most));
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

/** A whole number of a query or path, however large. */
export const anyWholeText = wholeText(0, Number.MAX_SAFE_INTEGER);

/** A whole number of a JSON body. */
export function wholeNumber(least: number, most: number) {
  const message = messageOf(wholeTakes(least, most));
  return v.pipe(
    v.number(message),
    v.integer(message),
    v.minValue(least, message),
    v.maxValue(most, message),
  );
}
