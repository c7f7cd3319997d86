import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressOf, parseRoute } from "../../src/console/route.ts";

const text = fc.string({ unit: "grapheme", maxLength: 40 });
const filled = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 });

describe("addresses of the console", () => {
  it("are parsed back as written, with any names", () => {
    fc.assert(
      fc.property(
        filled,
        fc.array(text, { maxLength: 4 }),
        fc.dictionary(filled, filled, { maxKeys: 4, noNullPrototype: true }),
        (section, parts, query) => {
          expect(parseRoute(addressOf(section, parts, query))).toEqual({ section, parts, query });
        },
      ),
    );
  });

  it("omit empty parts", () => {
    expect(addressOf("decode", ["twitter"], { encoding: "" })).toBe("#/decode/twitter");
  });

  it("are parsed even if they are damaged", () => {
    fc.assert(
      fc.property(text, (hash) => {
        expect(typeof parseRoute(`#${hash}`).section).toBe("string");
      }),
    );
    expect(parseRoute("#/decode/%E0%A4%A/%")).toMatchObject({
      section: "decode",
      parts: ["%E0%A4%A", "%"],
    });
    expect(parseRoute("")).toEqual({ section: "", parts: [], query: {} });
  });
});
