import { MAX_ID } from "./limits.ts";

/** Text forms of an ID. All have minimal length: no padding, no leading zero digit. */
export const ENCODINGS = ["decimal", "hex", "base32", "base36", "base58", "base62"] as const;
export type Encoding = (typeof ENCODINGS)[number];

const DECIMAL = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();

/** The digits of each encoding in the order of their values. */
const DIGITS: Readonly<Record<Encoding, string>> = {
  decimal: DECIMAL,
  hex: `${DECIMAL}abcdef`,
  // Crockford's alphabet. His aliases (i, l, o) are rejected, so that each ID has one text.
  base32: (DECIMAL + UPPER).replace(/[ILOU]/g, ""),
  base36: DECIMAL + LOWER,
  // Bitcoin's alphabet, without digits that look alike.
  base58: (DECIMAL + UPPER + LOWER).replace(/[0OIl]/g, ""),
  base62: DECIMAL + UPPER + LOWER,
};

/** The digits of each encoding, for messages. */
const DIGITS_TEXT: Readonly<Record<Encoding, string>> = {
  decimal: "digits 0-9",
  hex: "digits 0-9a-f in lower case",
  base32: "Crockford digits without I, L, O, U",
  base36: "digits 0-9a-z in lower case",
  base58: "Bitcoin's base58 digits, without 0, O, I, l",
  base62: "digits 0-9A-Za-z",
};

interface Reading {
  readonly radix: bigint;
  /** Digits of the largest ID, 2^63 − 1. */
  readonly maxLength: number;
  /** Value of each allowed digit. */
  readonly values: ReadonlyMap<string, bigint>;
}

/** Made on first use: the minter reads no IDs, so its bundle omits this. */
const readings = new Map<Encoding, Reading>();

/** The texts that `decode` reads in an encoding, as part of a sentence. */
export function encodingTakes(encoding: Encoding): string {
  return `1 to ${readingOf(encoding).maxLength} ${DIGITS_TEXT[encoding]}, without sign, space or leading zero`;
}

/** The digits of that encoding in the order of their values. */
export function digitsOf(encoding: Encoding): string {
  return DIGITS[encoding];
}

/** Writes an ID of 0 to 2^63 − 1 in minimal length. Throws RangeError outside of this range. */
export function encode(id: bigint, encoding: Encoding): string {
  if (id < 0n || id > MAX_ID) throw new RangeError(`cannot encode ${id}: not in 0..${MAX_ID}`);
  if (encoding === "decimal") return id.toString();
  const digits = DIGITS[encoding];
  const radix = BigInt(digits.length);
  let text = "";
  let rest = id;
  do {
    text = digits.charAt(Number(rest % radix)) + text;
    rest /= radix;
  } while (rest > 0n);
  return text;
}

/**
 * Reads exactly the texts that `encode` writes, and base32 in lower case. Returns undefined for any other text: empty,
 * too long, above 2^63 − 1, or with a leading zero, foreign digit, sign or space.
 */
export function decode(text: string, encoding: Encoding): bigint | undefined {
  const { values, radix, maxLength } = readingOf(encoding);
  // The length is checked first: long hostile input would cost quadratic BigInt work.
  if (text.length === 0 || text.length > maxLength) return undefined;
  if (text.length > 1 && text.startsWith(DIGITS[encoding].charAt(0))) return undefined;
  let id = 0n;
  for (const character of text) {
    const value = values.get(character);
    if (value === undefined) return undefined;
    id = id * radix + value;
  }
  return id > MAX_ID ? undefined : id;
}

function readingOf(encoding: Encoding): Reading {
  const known = readings.get(encoding);
  if (known) return known;
  const digits = DIGITS[encoding];
  const radix = BigInt(digits.length);
  const values = new Map<string, bigint>();
  for (const [value, digit] of [...digits].entries()) {
    values.set(digit, BigInt(value));
    if (encoding === "base32") values.set(digit.toLowerCase(), BigInt(value));
  }
  let maxLength = 0;
  for (let rest = MAX_ID; rest > 0n; rest /= radix) maxLength += 1;
  const made = { radix, maxLength, values };
  readings.set(encoding, made);
  return made;
}
