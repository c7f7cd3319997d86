import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_ID } from "../../../src/core/limits.ts";
import type { Refusal, RefusalCode } from "../../../src/core/refusal.ts";
import type { Allocation, Segment } from "../../../src/core/segment/segment.ts";
import { readSegmentReply, writeSegmentReply } from "../../../src/core/segment/segment-reply.ts";

const CODES: readonly RefusalCode[] = ["exhausted", "idempotency_conflict", "layout_conflict"];

const anySegment: fc.Arbitrary<Segment> = fc
  .oneof(
    fc.tuple(fc.bigInt(0n, MAX_ID), fc.bigInt(1n, 1_000_000n)),
    fc.tuple(fc.bigInt(2n ** 53n - 9n, 2n ** 53n + 9n), fc.bigInt(1n, 9n)),
    fc.tuple(fc.bigInt(MAX_ID - 9n, MAX_ID), fc.bigInt(1n, 10n)),
  )
  .map(([from, width]) => {
    const until = from + width;
    return { from, until: until > MAX_ID ? MAX_ID + 1n : until };
  });

const anyRefusal: fc.Arbitrary<Refusal> = fc.record(
  { code: fc.constantFrom(...CODES), detail: fc.string({ unit: "binary" }) },
  { noNullPrototype: true },
);

const anyReply: fc.Arbitrary<Allocation> = fc.oneof(
  fc.record({ ok: fc.constant(true as const), segment: anySegment }, { noNullPrototype: true }),
  fc.record({ ok: fc.constant(false as const), refusal: anyRefusal }, { noNullPrototype: true }),
);

/** A refusal's text with one property changed, or left out. */
function refused(change: object): string {
  return JSON.stringify({ code: "exhausted", detail: "None left.", ...change });
}

describe("a segment object's reply as text", () => {
  it("is parsed as it was written", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        expect(readSegmentReply(writeSegmentReply(reply))).toStrictEqual(reply);
      }),
    );
  });

  it.each<[string, Allocation]>([
    ['["0","1"]', { ok: true, segment: { from: 0n, until: 1n } }],
    ['["1","1001"]', { ok: true, segment: { from: 1n, until: 1001n } }],
    [
      '["9007199254740993","9007199254740995"]',
      { ok: true, segment: { from: 2n ** 53n + 1n, until: 2n ** 53n + 3n } },
    ],
    [
      '["9223372036854775807","9223372036854775808"]',
      { ok: true, segment: { from: MAX_ID, until: MAX_ID + 1n } },
    ],
    [
      '{"code":"exhausted","detail":"None left."}',
      { ok: false, refusal: { code: "exhausted", detail: "None left." } },
    ],
  ])("is %s", (text, reply) => {
    expect(writeSegmentReply(reply)).toBe(text);
    expect(readSegmentReply(text)).toStrictEqual(reply);
  });

  it.each(["", "undefined", '["1","2"', '["1","2"]]', "{", "[1n,2n]"])(
    "%j, which is no JSON, is rejected",
    (text) => {
      expect(() => readSegmentReply(text)).toThrow();
    },
  );

  it.each([
    ["a text that is no array or object", ["null", "true", "5", '"1"']],
    ["a segment with a part missing", ["[]", '["1"]', '[null,"2"]', '["1",null]']],
    ["an empty or reversed segment", ['["5","5"]', '["9","5"]', '["0","0"]']],
    ["a negative number", ['["-1","5"]', '["-9","-5"]']],
    ["a broken number", ['["0.5","5"]', '["0","5.5"]', '["0","1e3"]', '["0","0x9"]']],
    [
      "a number with something around it",
      ['[" 1","5"]', '["1","5 "]', '["1","5\\n"]', '["+1","5"]'],
    ],
    ["an empty text", ['["","5"]', '["1",""]']],
    ["a number of 20 digits", ['["1","10000000000000000000"]', '["18446744073709551616","5"]']],
    ["what is no text", ["[1,2]", '["1",2]', '[1,"2"]', '[["1"],"2"]', '[true,"2"]']],
    [
      "a refusal with an unknown code",
      [refused({ code: "tired" }), refused({ code: 5 }), refused({ code: null })],
    ],
    ["a refusal with no code", ["{}", refused({ code: undefined })]],
    ["a refusal with no detail", [refused({ detail: undefined }), refused({ detail: 5 })]],
  ])("%s is rejected", (_, texts) => {
    for (const text of texts) expect(() => readSegmentReply(text), text).toThrow(TypeError);
  });
});
