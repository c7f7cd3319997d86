/** Schemas that queries and bodies share; each message says what is taken. */
import * as v from "valibot";

/** One of a few words. */
export function oneOf<const Words extends readonly string[]>(words: Words) {
  return v.picklist(words, `takes ${words.join(", ")}`);
}

/** A whole number of a query, in plain decimal: no sign, space, point, exponent or leading zero. */
export function wholeText(
  least: number,
  most: number,
  message = `takes a whole number from ${least} to ${most}`,
) {
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

/** A whole number of a JSON body. */
export function wholeNumber(least: number, most: number) {
  const message = `takes a whole number from ${least} to ${most}`;
  return v.pipe(
    v.number(message),
    v.integer(message),
    v.minValue(least, message),
    v.maxValue(most, message),
  );
}
