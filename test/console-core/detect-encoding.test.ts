import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodingsOf } from "../../src/console/detect-encoding.ts";
import { decode, ENCODINGS, encode } from "../../src/core/codec.ts";
import { compose, decompose, maxIdOf } from "../../src/core/layout/id.ts";
import { PRESETS } from "../../src/core/layout/presets.ts";
import { presetOf } from "../core/vectors.ts";

const NOW_MS = Date.UTC(2026, 5, 1);
const layouts = fc.constantFrom(...[...PRESETS.values()].map(({ layout }) => layout));

describe("detecting an encoding", () => {
  it("includes the true encoding, for any ID of any layout", () => {
    fc.assert(
      fc.property(layouts, fc.bigInt({ min: 0n, max: 2n ** 63n }), (layout, number) => {
        const id = number % (maxIdOf(layout) + 1n);
        for (const encoding of ENCODINGS) {
          expect(encodingsOf(encode(id, encoding), layout, NOW_MS)).toContain(encoding);
        }
      }),
    );
  });

  it("finds only encodings in which the text is an ID of the layout", () => {
    fc.assert(
      fc.property(layouts, fc.string({ maxLength: 20 }), (layout, text) => {
        for (const encoding of encodingsOf(text, layout, NOW_MS)) {
          const id = decode(text, encoding);
          expect(id === undefined ? undefined : decompose(layout, id)).toBeDefined();
        }
      }),
    );
  });

  it("treats digits alone as decimal", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (id) => {
        expect(encodingsOf(`${id}`, presetOf("default").layout, NOW_MS)[0]).toBe("decimal");
      }),
    );
  });

  it("is right for a present-day ID, unless its text has only digits", () => {
    const { layout } = presetOf("twitter");
    const day = fc.integer({ min: NOW_MS - 86_400_000, max: NOW_MS });
    const place = fc.record({
      unixMs: day,
      shard: fc.nat({ max: 1023 }),
      sequence: fc.nat({ max: 4095 }),
    });
    fc.assert(
      fc.property(place, ({ unixMs, shard, sequence }) => {
        const tick = unixMs - layout.epochMs;
        const id = compose(layout, { tick, shard, lane: 0, sequence });
        for (const encoding of ENCODINGS) {
          const text = encode(id, encoding);
          if (encoding !== "decimal" && /^\d+$/.test(text)) continue;
          expect(encodingsOf(text, layout, NOW_MS)[0]).toBe(encoding);
        }
      }),
    );
  });

  it("without a layout, returns every encoding in which the text is a number", () => {
    expect(encodingsOf("7", undefined, NOW_MS)).toEqual([...ENCODINGS]);
    expect(encodingsOf("z", undefined, NOW_MS)).toEqual(["base32", "base36", "base58", "base62"]);
    expect(encodingsOf("-", undefined, NOW_MS)).toEqual([]);
  });
});
