import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Grant } from "../../../src/core/blocks/block.ts";
import {
  type GrantResult,
  readGrantReply,
  writeGrantReply,
} from "../../../src/core/line/grant-reply.ts";
import type { Refusal, RefusalCode } from "../../../src/core/refusal.ts";

const LINE_END_MAX = 2 ** 53;

const anyGrant: fc.Arbitrary<Grant> = fc
  .tuple(
    fc.nat(15),
    fc.integer({ min: 0, max: LINE_END_MAX - 1 }),
    fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.constant(LINE_END_MAX)),
  )
  .map(([lane, start, count]) => ({ lane, start, end: Math.min(start + count, LINE_END_MAX) }));

const CODES: readonly RefusalCode[] = [
  "clock_before_epoch",
  "clock_behind",
  "clock_disagreement",
  "layout_conflict",
  "shard_overloaded",
  "shard_saturated",
  "timestamp_exhausted",
];

const anyRefusal: fc.Arbitrary<Refusal> = fc.record(
  {
    code: fc.constantFrom(...CODES),
    detail: fc.string({ unit: "binary" }),
    retryAfterMs: fc.nat(),
  },
  { requiredKeys: ["code", "detail"], noNullPrototype: true },
);

const anyResult: fc.Arbitrary<GrantResult> = fc.oneof(
  fc.record(
    { ok: fc.constant(true as const), grants: fc.array(anyGrant, { maxLength: 9 }) },
    { noNullPrototype: true },
  ),
  fc.record(
    { ok: fc.constant(false as const), refusal: anyRefusal, granted: fc.nat(), waitedMs: fc.nat() },
    { noNullPrototype: true },
  ),
);

const CLOCK = { instance: 7, nowMs: 8 };
const REFUSED = { code: "clock_behind", detail: "Later.", granted: 1, waitedMs: 2, ...CLOCK };

/** A refusal's text with one property changed, or left out. */
function refused(change: object): string {
  return JSON.stringify({ ...REFUSED, ...change });
}

describe("a shard's reply as text", () => {
  it("is parsed as it was written", () => {
    fc.assert(
      fc.property(anyResult, fc.nat(), fc.nat(), (result, instance, nowMs) => {
        const clock = { instance, nowMs };
        expect(readGrantReply(writeGrantReply(result, clock))).toStrictEqual({ clock, result });
      }),
    );
  });

  it.each<[string, GrantResult]>([
    ["[7,8]", { ok: true, grants: [] }],
    ["[7,8,0,5,9]", { ok: true, grants: [{ lane: 0, start: 5, end: 9 }] }],
    [
      "[7,8,1,0,1,3,8,9007199254740992]",
      {
        ok: true,
        grants: [
          { lane: 1, start: 0, end: 1 },
          { lane: 3, start: 8, end: LINE_END_MAX },
        ],
      },
    ],
    [
      '{"code":"clock_behind","detail":"Later.","retryAfterMs":3,"granted":1,"waitedMs":2,"instance":7,"nowMs":8}',
      {
        ok: false,
        refusal: { code: "clock_behind", detail: "Later.", retryAfterMs: 3 },
        granted: 1,
        waitedMs: 2,
      },
    ],
  ])("is %s", (text, result) => {
    expect(writeGrantReply(result, CLOCK)).toBe(text);
    expect(readGrantReply(text)).toStrictEqual({ clock: CLOCK, result });
  });

  it.each(["", "undefined", "[0,5,9", "[0,5,9]]", "{", "[0,5,NaN]", "[0,5,9n]"])(
    "%j, which is no JSON, is rejected",
    (text) => {
      expect(() => readGrantReply(text)).toThrow();
    },
  );

  it.each([
    ["a text that is no array or object", ["null", "true", "5", '"[0,5,9]"']],
    ["no clock", ["[]", "[7]", "[7,-1]", '["7",8]', refused({ nowMs: undefined })]],
    ["a grant with a part missing", ["[7,8,0]", "[7,8,0,5]", "[7,8,0,5,9,1]", "[7,8,0,5,9,1,12]"]],
    ["an empty or reversed grant", ["[7,8,0,5,5]", "[7,8,0,9,5]", "[7,8,0,5,9,0,12,12]"]],
    ["a negative number", ["[7,8,-1,5,9]", "[7,8,0,-5,9]", "[7,8,0,-9,-5]"]],
    ["a broken number", ["[7,8,0.5,5,9]", "[7,8,0,5.5,9]", "[7,8,0,5,9.5]"]],
    [
      "a number past 2^53",
      [
        "[7,8,9007199254740994,5,9]",
        "[7,8,0,5,9007199254740994]",
        "[7,8,0,5,1e300]",
        "[7,8,0,5,1e999]",
      ],
    ],
    [
      "what is no number",
      ['[7,8,"0",5,9]', "[7,8,0,null,9]", "[7,8,0,5,[9]]", "[7,8,[0,5,9]]", "[7,8,true,5,9]"],
    ],
    [
      "a refusal with an unknown code",
      [refused({ code: "tired" }), refused({ code: 5 }), refused({ code: null })],
    ],
    ["a refusal with no code", ["{}", refused({ code: undefined })]],
    ["a refusal with no detail", [refused({ detail: undefined }), refused({ detail: 5 })]],
    ["a refusal with no granted", [refused({ granted: undefined }), refused({ granted: "1" })]],
    ["a refusal with no waitedMs", [refused({ waitedMs: undefined }), refused({ waitedMs: null })]],
  ])("%s is rejected", (_, texts) => {
    for (const text of texts) expect(() => readGrantReply(text), text).toThrow(TypeError);
  });
});
