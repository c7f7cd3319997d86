import { MAX_ID } from "./limits.ts";

/** Text forms of an ID. All have minimal length: no padding, no leading zero digit. */
export const ENCODINGS = ["decimal", "hex", "base32", "base36", "base58", "base62"] as const;
export type Encoding = (typeof ENCODINGS)[number];

interface Alphabet {
  readonly digits: string;
  readonly radix: bigint;
  /** Digits of the largest ID, 2^63 − 1. */
  readonly maxLength: number;
  /** Value of each digit character that may be read. */
  readonly values: ReadonlyMap<string, bigint>;
  /** What a person may type, for messages. */
  readonly takes: string;
}

const DECIMAL = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();

const ALPHABETS: Readonly<Record<Encoding, Alphabet>> = {
  decimal: alphabet(DECIMAL, "digits 0-9"),
  hex: alphabet(`${DECIMAL}abcdef`, "digits 0-9a-f in lower case"),
  // Crockford's order; his aliases (i, l, o) are not read, so that a text has one meaning only.
  base32: alphabet("0123456789ABCDEFGHJKMNPQRSTVWXYZ", "Crockford digits without I, L, O, U", true),
  base36: alphabet(DECIMAL + LOWER, "digits 0-9a-z in lower case"),
  base58: alphabet(
    "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "Bitcoin's base58 digits, without 0, O, I, l",
  ),
  base62: alphabet(DECIMAL + UPPER + LOWER, "digits 0-9A-Za-z"),
};

/** What `decode` takes in that encoding, as part of a sentence. */
export function encodingTakes(encoding: Encoding): string {
  const { takes, maxLength } = ALPHABETS[encoding];
  return `1 to ${maxLength} ${takes}, without sign, space or leading zero`;
}

/** The digits of that encoding in the order of their values. */
export function digitsOf(encoding: Encoding): string {
  return ALPHABETS[encoding].digits;
}

/** Writes an ID of 0..2^63−1 in minimal length. Throws RangeError outside. */
export function encode(id: bigint, encoding: Encoding): string {
  if (id < 0n || id > MAX_ID) throw new RangeError(`cannot encode ${id}: not in 0..${MAX_ID}`);
  if (encoding === "decimal") return id.toString();
  const { digits, radix } = ALPHABETS[encoding];
  let text = "";
  let rest = id;
  do {
    text = digits.charAt(Number(rest % radix)) + text;
    rest /= radix;
  } while (rest > 0n);
  return text;
}

/**
 * Reads what `encode` writes, and nothing else (base32 in lower case too).
 * Undefined for every other text: empty, overlong, leading zero, foreign digit, sign, space, past 2^63 − 1.
 */
export function decode(text: string, encoding: Encoding): bigint | undefined {
  const { values, radix, maxLength, digits } = ALPHABETS[encoding];
  // The length bound comes first: it keeps hostile input from costing quadratic BigInt work.
  if (text.length === 0 || text.length > maxLength) return undefined;
  if (text.length > 1 && text.startsWith(digits.charAt(0))) return undefined;
  let id = 0n;
  for (const character of text) {
    const value = values.get(character);
    if (value === undefined) return undefined;
    id = id * radix + value;
  }
  return id > MAX_ID ? undefined : id;
}

function alphabet(digits: string, takes: string, alsoLowerCase = false): Alphabet {
  const radix = BigInt(digits.length);
  const values = new Map<string, bigint>();
  for (const [value, digit] of [...digits].entries()) {
    values.set(digit, BigInt(value));
    if (alsoLowerCase) values.set(digit.toLowerCase(), BigInt(value));
  }
  let maxLength = 0;
  for (let rest = MAX_ID; rest > 0n; rest /= radix) maxLength += 1;
  return { digits, radix, maxLength, values, takes };
}
