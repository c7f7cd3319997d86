import { describe, expect, it } from "vitest";
import { MAX_ID, SEGMENT_STEP_DEFAULT } from "../../../src/core/limits.ts";
import {
  defineNamespace,
  type NamespaceDefinition,
} from "../../../src/core/namespace/namespace.ts";
import {
  defineSegment,
  type SegmentDefinition,
  type SegmentInput,
  segmentConflicts,
  segmentNumbersOf,
} from "../../../src/core/segment/segment-definition.ts";

type Wished = Omit<SegmentInput, "kind">;

const DEFAULT: SegmentDefinition = {
  kind: "segment",
  step: 1000,
  start: "1",
  max: "9223372036854775807",
  delta: 1,
  remainder: 0,
  description: "",
};

/** A namespace with nothing left at its default. */
const STORED: SegmentDefinition = {
  kind: "segment",
  step: 2000,
  start: "500",
  max: "9007199254740993",
  delta: 10,
  remainder: 3,
  description: "orders",
};

function input(wished: Wished = {}): SegmentInput {
  return { kind: "segment", ...wished };
}

/** The fields that a input has wrong. */
function wrongIn(wished: Wished, stored?: SegmentDefinition): string[] {
  return defineSegment(input(wished), stored).errors.map(({ field }) => field);
}

function defined(wished: Wished, stored?: NamespaceDefinition): NamespaceDefinition {
  const result = defineNamespace(input(wished), stored);
  if (result.kind !== "defined") throw new Error(`not defined but ${JSON.stringify(result)}`);
  return result.definition;
}

describe("a new segment namespace", () => {
  it("has the defaults if no field is given", () => {
    expect(defined({})).toStrictEqual(DEFAULT);
    expect(SEGMENT_STEP_DEFAULT).toBe(1000);
    expect(DEFAULT.max).toBe(`${MAX_ID}`);
  });

  it("has the given fields", () => {
    const { kind: _, ...wished } = STORED;
    expect(defined(wished)).toStrictEqual(STORED);
  });

  it.each([
    [1, 1000],
    [999, 1000],
    [1000, 1000],
    [1001, 1001],
    [1_000_000, 1_000_000],
  ])("with a delta of %d and no step has one of %d", (delta, step) => {
    expect(defined({ delta })).toStrictEqual({ ...DEFAULT, delta, step });
  });

  it.each<[string, Wished]>([
    ["a step as long as its delta", { step: 7, delta: 7 }],
    ["a step of 1", { step: 1 }],
    ["the largest remainder", { delta: 7, remainder: 6 }],
    ["one number", { start: "5", max: "5" }],
    ["one number that its remainder allows", { start: "11", max: "20", delta: 10, remainder: 0 }],
    ["the last number", { start: "9223372036854775807" }],
    ["0 alone", { start: "0", max: "0" }],
  ])("may have %s", (_, wished) => {
    expect(defined(wished)).toStrictEqual({ ...DEFAULT, ...wished });
  });

  it.each<[string, Wished, string[]]>([
    ["a step shorter than its delta", { step: 9, delta: 10 }, ["step"]],
    ["the shortest step and a delta", { step: 1, delta: 2 }, ["step"]],
    ["a start past max", { start: "6", max: "5" }, ["start"]],
    ["the default start past max", { max: "0" }, ["start"]],
    [
      "a start past max by 1 beyond 2^53",
      { start: "9007199254740993", max: "9007199254740992" },
      ["start"],
    ],
    ["texts whose order is not that of their numbers", { start: "10", max: "9" }, ["start"]],
    ["a remainder as large as its delta", { delta: 7, remainder: 7 }, ["remainder"]],
    ["a remainder and no delta", { remainder: 1 }, ["remainder"]],
    ["no number of its remainder up to max", { start: "11", max: "19", delta: 10 }, ["max"]],
    [
      "no number of its remainder up to 2^63 − 1",
      { start: "9223372036854775807", delta: 10, remainder: 6 },
      ["max"],
    ],
    [
      "everything wrong at once",
      { start: "6", max: "5", step: 1, delta: 7, remainder: 8 },
      ["remainder", "start", "step"],
    ],
  ])("may not have %s", (_, wished, fields) => {
    expect(wrongIn(wished).sort()).toEqual(fields);
    expect(defineNamespace(input(wished))).toMatchObject({ kind: "invalid" });
  });

  it.each<[Wished, string]>([
    [{ step: 9, delta: 10 }, "at least delta (10)"],
    [{ start: "6", max: "5" }, "at most max (5)"],
    [{ delta: 7, remainder: 7 }, "from 0 to 6"],
    [{ start: "11", max: "19", delta: 10 }, "no number from start to max"],
  ])("names the allowed values for %j", (wished, detail) => {
    expect(defineNamespace(input(wished))).toMatchObject({
      errors: [{ detail: expect.stringContaining(detail) }],
    });
  });
});

describe("a segment namespace that exists", () => {
  it("N1 keeps start, max, delta and remainder if they are omitted, and no other field", () => {
    expect(defined({}, STORED)).toStrictEqual({
      ...DEFAULT,
      max: STORED.max,
      start: "500",
      delta: 10,
      remainder: 3,
    });
  });

  it("has a step of at least its delta if step is omitted", () => {
    const stored = { ...STORED, delta: 5000, step: 5000 };
    expect(defined({}, stored)).toMatchObject({ step: 5000, delta: 5000 });
  });

  it.each<Wished>([
    { step: 10 },
    { step: 1_000_000 },
    { max: STORED.max },
    { max: "9007199254740994" },
    { max: "9223372036854775807" },
    { description: "" },
    { description: "invoices" },
    { start: "500", delta: 10, remainder: 3 },
  ])("N1 may be changed to %j", (wished) => {
    const { step, description } = DEFAULT;
    expect(defined(wished, STORED)).toStrictEqual({ ...STORED, step, description, ...wished });
  });

  it.each<[Wished, string[]]>([
    [{ start: "501" }, ["start"]],
    [{ start: "499" }, ["start"]],
    [{ delta: 11 }, ["delta"]],
    [{ remainder: 4 }, ["remainder"]],
    [{ max: "9007199254740992" }, ["max"]],
    [{ max: "499" }, ["max"]],
    [{ start: "1", delta: 1, remainder: 0 }, ["delta", "remainder", "start"]],
    // Beside what cannot be, what may not change counts.
    [{ delta: 5000, step: 1 }, ["delta"]],
    [{ remainder: 10 }, ["remainder"]],
  ])("N1 may not be changed to %j", (wished, fields) => {
    const result = defineNamespace(input(wished), STORED);
    if (result.kind !== "conflict") throw new Error(`not a conflict but ${result.kind}`);
    expect([...result.fields].sort()).toEqual(fields);
    expect(result.stored).toBe(STORED);
    expect(result.wished).toStrictEqual(defineSegment(input(wished), STORED).definition);
  });

  it.each<[string, Wished, string[]]>([
    ["a step below the delta that it has", { step: 9 }, ["step"]],
  ])("may not get %s", (_, wished, fields) => {
    expect(wrongIn(wished, STORED)).toEqual(fields);
    expect(defineNamespace(input(wished), STORED)).toMatchObject({ kind: "invalid" });
  });

  it("has no conflict with itself", () => {
    expect(segmentConflicts(STORED, { ...STORED })).toEqual([]);
  });
});

describe("the kind of a namespace", () => {
  it("N1 never changes", () => {
    const snowflake = defineNamespace({ kind: "snowflake" });
    if (snowflake.kind !== "defined") throw new Error("the default is not defined");
    const toSegment = defineNamespace(input(), snowflake.definition);
    expect(toSegment).toMatchObject({ kind: "conflict", fields: ["kind"], wished: DEFAULT });
    const toSnowflake = defineNamespace({ kind: "snowflake" }, STORED);
    expect(toSnowflake).toMatchObject({ kind: "conflict", fields: ["kind"], stored: STORED });
    expect(toSnowflake).toMatchObject({ wished: snowflake.definition });
  });
});

describe("the numbers of a segment namespace", () => {
  it("equal their texts, exact beyond 2^53", () => {
    expect(segmentNumbersOf(STORED)).toStrictEqual({
      start: 500n,
      max: 9_007_199_254_740_993n,
      delta: 10,
      remainder: 3,
    });
    expect(segmentNumbersOf(DEFAULT)).toMatchObject({ start: 1n, max: MAX_ID });
  });
});
