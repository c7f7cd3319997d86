/** The checker's parts: reading IDs, their times, and the layout. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decode } from "../../src/core/codec.ts";
import { fieldsOf } from "../../src/core/json.ts";
import { compose, decompose } from "../../src/core/layout/id.ts";
import { makeLayout, tickStartMs } from "../../src/core/layout/layout.ts";
import { PRESETS } from "../../src/core/layout/presets.ts";
import { describedLayout, IdFields, presetLayout } from "../../src/verify/known-layout.ts";
import { idsOf } from "../../src/verify/outcome.ts";
import { offsetMsOf } from "../../src/verify/time-check.ts";

describe("idsOf", () => {
  const answer = {
    kind: "answer",
    status: 200,
    text: "",
    shard: undefined,
    delimited: true,
  } as const;

  it("reads the decimals that the core reads, and nothing else", () => {
    const nearly = fc.stringMatching(/^[-+0-9 ex.]{0,21}$/);
    const number = fc.bigInt({ min: 0n, max: 2n ** 64n }).map(String);
    fc.assert(
      fc.property(fc.oneof(nearly, number, fc.string()), (text) => {
        const id = decode(text, "decimal");
        const ids = id === undefined ? undefined : [id];
        expect(fieldsOf(idsOf([text], answer)).ids).toEqual(ids);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("IdFields", () => {
  const bits = (max: number) => fc.integer({ min: 0, max });
  const spec = fc.record({
    timestampBits: fc.integer({ min: 1, max: 41 }),
    datacenterBits: bits(8),
    workerBits: bits(8),
    laneBits: bits(3),
    sequenceBits: bits(12),
    epochMs: fc.constantFrom(0, 1_735_689_600_000),
    tickMs: fc.constantFrom(1, 10, 1000),
    lanePlace: fc.constantFrom("aboveWorker" as const, "belowWorker" as const),
  });

  it("reads time and shard as the core does", () => {
    fc.assert(
      fc.property(spec, fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (one, random) => {
        const made = makeLayout(one);
        if (!made.ok) return;
        const { layout } = made;
        const id = BigInt.asUintN(layout.totalBits, random);
        const parts = decompose(layout, id);
        const fields = new IdFields(layout);
        expect(fields.shardOf(id)).toBe(parts?.shard);
        expect(fields.unixMsOf(id)).toBe(tickStartMs(layout, parts?.tick ?? -1));
      }),
    );
  });

  it("sees bits above the layout as a time far off", () => {
    const { layout } = presetLayout("js53", "");
    if (!layout) throw new Error("no layout");
    const id = compose(layout, { tick: 5, shard: 1, lane: 0, sequence: 0 });
    const fields = new IdFields(layout);
    const aboveMs = fields.unixMsOf(id + 2n ** 53n) - fields.unixMsOf(id);
    expect(aboveMs).toBe(2 ** 32 * 1000);
  });
});

describe("offsetMsOf", () => {
  it.each([
    [1000, 1, 1000, 1005, 0],
    [1005, 1, 1000, 1005, 0],
    [1006, 1, 1000, 1005, 1],
    [999, 1, 1000, 1005, -1],
    // A tick of 1 s that was not over when the request was sent.
    [0, 1000, 999, 1005, 0],
    [0, 1000, 1000, 1005, -1],
    // The caller's clock stepped back in between.
    [1003, 1, 1005, 1000, 0],
    [1006, 1, 1005, 1000, 1],
  ])("a tick at %d of %d ms, asked from %d to %d: %d", (unixMs, tickMs, sentMs, answeredMs, is) => {
    expect(offsetMsOf({ unixMs, tickMs }, sentMs, answeredMs)).toBe(is);
  });
});

describe("what is known of a layout", () => {
  it.each([...PRESETS.keys()])("%s, as the service describes it, is the preset", (name) => {
    const preset = PRESETS.get(name);
    const policy = { ...preset?.policy, freshForMs: 250 };
    const body = { name, kind: "snowflake", layout: preset?.spec, policy };
    const described = describedLayout(JSON.parse(JSON.stringify(body)), "said");
    const { layout, ...rest } = presetLayout(name, "said");
    // When a further lane is used decides nothing about reading.
    const read = { fields: layout?.fields, fingerprint: layout?.fingerprint };
    expect(described).toMatchObject({ ...rest, layout: read });
  });

  it("allows an ID what its namespace promises, and clocks that differ", () => {
    expect(presetLayout("default", "").times).toEqual({
      behindMaxMs: 5250,
      aheadMaxMs: 3_606_000,
    });
    expect(presetLayout("leaf", "").times).toEqual({ behindMaxMs: 5250, aheadMaxMs: 5000 });
  });

  it("is nothing for a segment", () => {
    const source = "segment namespace: its IDs have no time";
    expect(describedLayout({ kind: "segment", step: 1 }, "")).toEqual({ source });
  });

  it.each([
    ["nothing", undefined],
    ["a text", "no"],
    ["another kind", { kind: "ulid" }],
    ["no layout", { kind: "snowflake", policy: PRESETS.get("default")?.policy }],
    ["no policy", { kind: "snowflake", layout: PRESETS.get("default")?.spec }],
    [
      "a lane somewhere else",
      {
        kind: "snowflake",
        layout: { ...PRESETS.get("js53")?.spec, lanePlace: "atEnd" },
        policy: { ...PRESETS.get("js53")?.policy, freshForMs: 250 },
      },
    ],
  ])("is not made up from %s", (_, body) => {
    expect(describedLayout(body, "")).toBeUndefined();
  });
});
