import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decode, ENCODINGS, encode } from "../../src/core/codec.ts";

const MAX_ID = (1n << 63n) - 1n;
const anyId = fc.oneof(fc.bigInt(0n, MAX_ID), fc.bigInt(0n, 5000n), fc.constantFrom(0n, MAX_ID));
const anyEncoding = fc.constantFrom(...ENCODINGS);

describe("codecs", () => {
  it.each([
    ["decimal", 9223372036854775807n, "9223372036854775807"],
    ["hex", 9223372036854775807n, "7fffffffffffffff"],
    ["base32", 9223372036854775807n, "7ZZZZZZZZZZZZ"],
    ["base36", 9223372036854775807n, "1y2p0ij32e8e7"],
    ["base58", 9223372036854775807n, "NQm6nKp8qFC"],
    ["base62", 9223372036854775807n, "AzL8n0Y58m7"],
    ["base58", 0n, "1"],
    ["base62", 0n, "0"],
    ["base32", 31n, "Z"],
    ["base36", 35n, "z"],
    ["base62", 61n, "z"],
    ["base62", 10n, "A"],
  ] as const)("%s of %s is %s, and back", (encoding, id, text) => {
    expect(encode(id, encoding)).toBe(text);
    expect(decode(text, encoding)).toBe(id);
  });

  it("agree with BigInt's own digits", () => {
    fc.assert(
      fc.property(anyId, (id) => {
        expect(encode(id, "decimal")).toBe(id.toString());
        expect(encode(id, "hex")).toBe(id.toString(16));
        expect(encode(id, "base36")).toBe(id.toString(36));
      }),
    );
  });

  it("round trip exactly, in minimal length", () => {
    fc.assert(
      fc.property(anyId, anyEncoding, (id, encoding) => {
        const text = encode(id, encoding);
        expect(decode(text, encoding)).toBe(id);
        if (id > 0n) expect(text[0]).not.toBe(encode(0n, encoding));
      }),
    );
  });

  it("have one text per ID: a decoded text encodes to itself", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), anyEncoding, (text, encoding) => {
        const id = decode(text, encoding);
        if (id === undefined) return;
        const canonical = encoding === "base32" ? text.toUpperCase() : text;
        expect(encode(id, encoding)).toBe(canonical);
      }),
    );
  });

  it("accept Crockford's lower case, not the aliases", () => {
    expect(decode("7zzzzzzzzzzzz", "base32")).toBe(MAX_ID);
    for (const alias of ["i", "l", "o", "u", "I", "L", "O", "U"]) {
      expect(decode(`1${alias}`, "base32")).toBeUndefined();
    }
  });

  it.each([
    ["decimal", ["9223372036854775808", "99999999999999999999", "1e3", "0x1f", "1_000", "１"]],
    ["hex", ["8000000000000000", "7FFFFFFFFFFFFFFF", "fffffffffffffffff", "0x1", "g"]],
    ["base32", ["8000000000000", "7ZZZZZZZZZZZZZ", "*"]],
    ["base36", ["1y2p0ij32e8e8", "1Y2P0IJ32E8E7", "_"]],
    ["base58", ["NQm6nKp8qFD", "0", "O", "I", "l", "11", "12"]],
    ["base62", ["AzL8n0Y58m8", "zzzzzzzzzzz", "-", "é"]],
  ] as const)(
    "%s rejects overlong texts, values out of range and foreign digits",
    (encoding, texts) => {
      for (const text of texts) expect(decode(text, encoding)).toBeUndefined();
    },
  );

  it.each(ENCODINGS)("%s rejects empty texts, signs, spaces and leading zeros", (encoding) => {
    const one = encode(1n, encoding);
    const zero = encode(0n, encoding);
    const texts = [
      "",
      " ",
      `+${one}`,
      `-${one}`,
      ` ${one}`,
      `${one} `,
      `${one}\n`,
      `${zero}${one}`,
    ];
    for (const text of [...texts, "z".repeat(100_000)]) {
      expect(decode(text, encoding)).toBeUndefined();
    }
  });

  it("do not encode an invalid ID", () => {
    expect(() => encode(-1n, "hex")).toThrow(RangeError);
    expect(() => encode(MAX_ID + 1n, "decimal")).toThrow(RangeError);
  });
});
