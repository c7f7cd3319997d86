/** Random values of a JSON Schema, as the API document has them, and values that it does not take. */
import * as v from "valibot";
import type { Random } from "./random.ts";

const whole = v.optional(v.number());

/** As much of JSON Schema as the document uses. */
export type ValueSchema = Readonly<Record<string, unknown>>;

const ReadSchema = v.object({
  type: v.optional(v.string()),
  enum: v.optional(v.array(v.unknown())),
  const: v.optional(v.unknown()),
  minimum: whole,
  maximum: whole,
  minLength: whole,
  maxLength: whole,
  minItems: whole,
  maxItems: whole,
  properties: v.optional(v.record(v.string(), v.looseObject({})), {}),
  required: v.optional(v.array(v.string()), []),
  items: v.optional(v.looseObject({}), {}),
  oneOf: v.optional(v.array(v.looseObject({}))),
  anyOf: v.optional(v.array(v.looseObject({}))),
});
type Read = v.InferOutput<typeof ReadSchema>;

/** One value in so many is invalid by its schema, at each place of a body. */
const WRONG_ONE_IN = 12;
/** Where a schema names no bound. */
const INTEGER_MAX = Number.MAX_SAFE_INTEGER;
const LENGTH_MAX = 300;
const ITEMS_MAX = 8;

/** Texts that parsers trip over. */
export const ODD_TEXTS: readonly string[] = [
  "",
  " ",
  "0",
  "-1",
  "1.5",
  "01",
  "1e9",
  "0x10",
  "NaN",
  "null",
  "[]",
  "٣",
  "clé",
  "😀",
  "\u0000",
  "\ud800",
  "a\nb",
  "../..",
  "__proto__",
  "constructor",
  "'; DROP TABLE lane; --",
  "9".repeat(20),
  "9".repeat(400),
  "x".repeat(5000),
];

/** A value that the schema takes, except for one place in WRONG_ONE_IN. */
export function someValue(schema: ValueSchema, random: Random): unknown {
  if (random.isOneOf(WRONG_ONE_IN)) return oddValue(schema, random);
  const read = v.parse(ReadSchema, schema);
  if (read.const !== undefined) return read.const;
  if (read.enum) return random.pick(read.enum);
  const parts = read.oneOf ?? read.anyOf;
  if (parts) return someValue(random.pick(parts), random);
  if (read.type === "object") return objectOf(read, random);
  if (read.type === "array") {
    const count = random.between(
      read.minItems ?? 0,
      Math.min(read.maxItems ?? ITEMS_MAX, ITEMS_MAX),
    );
    return Array.from({ length: count }, () => someValue(read.items, random));
  }
  if (read.type === "string") return textOf(read, random);
  if (read.type === "null") return null;
  if (read.type === "boolean") return random.isOneOf(2);
  return integerOf(read, random);
}

function objectOf({ properties, required }: Read, random: Random): Record<string, unknown> {
  const entries = Object.entries(properties)
    .filter(([name]) =>
      required.includes(name) ? !random.isOneOf(WRONG_ONE_IN) : random.isOneOf(3),
    )
    .map(([name, schema]) => [name, someValue(schema, random)]);
  if (random.isOneOf(WRONG_ONE_IN)) entries.push([random.pick(ODD_TEXTS), 1]);
  return Object.fromEntries(entries);
}

function textOf({ minLength = 0, maxLength = LENGTH_MAX }: Read, random: Random): string {
  const length = random.isOneOf(4)
    ? random.pick([minLength, maxLength])
    : random.between(Math.max(1, minLength), Math.min(20, maxLength));
  return "abcdefgh".repeat(1 + length / 8).slice(0, length);
}

/** At a bound or near it half of the time. */
function integerOf({ minimum = 0, maximum = INTEGER_MAX }: Read, random: Random): number {
  if (random.isOneOf(4)) return random.pick([minimum, minimum + 1, maximum - 1, maximum]);
  return minimum + random.spread(1, Math.min(maximum - minimum, 10_000) + 2) - 1;
}

/** Another type, just past a bound, or far past all. */
export function oddValue(schema: ValueSchema, random: Random): unknown {
  const { minimum = 0, maximum = INTEGER_MAX } = v.parse(ReadSchema, schema);
  return random.pick<unknown>([
    ...ODD_TEXTS,
    minimum - 1,
    maximum + 1,
    1.5,
    1e300,
    null,
    true,
    [],
    {},
    [[[[[[[[]]]]]]]],
    { a: 1 },
    Array.from({ length: 200 }, () => "x"),
  ]);
}
