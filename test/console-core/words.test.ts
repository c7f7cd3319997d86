import { describe, expect, it } from "vitest";
import { type Input, linesOf } from "../../src/console/code-lines.ts";
import { facts } from "../../src/console/design/layout-facts.ts";
import { builtIn, namespaceIn } from "../../src/console/namespaces.ts";
import { relativeTime } from "../../src/console/relative-time.ts";
import { isSendable } from "../../src/console/session.ts";
import {
  segmentFacts,
  segmentRows,
  segmentState,
  timeLeft,
  usedOf,
} from "../../src/console/shards/segment-state.ts";
import { layoutOf } from "../../src/core/layout/layout.ts";
import { NAMESPACE_NAME } from "../../src/core/namespace/namespace.ts";
import { presetOf } from "../core/vectors.ts";

const NOW_MS = Date.UTC(2026, 5, 1);

describe("relative times", () => {
  it.each([
    [0, "now"],
    [-999, "now"],
    [-1000, "1 second ago"],
    [-59_999, "59 seconds ago"],
    [-60_000, "1 minute ago"],
    [7_200_000, "in 2 hours"],
    [-47 * 3_600_000, "1 day ago"],
    [-40 * 86_400_000, "1 month ago"],
    [70 * 31_557_600_000, "in 70 years"],
  ])("%d ms away: %s", (awayMs, said) => {
    expect(relativeTime(NOW_MS + awayMs, NOW_MS)).toBe(said);
  });
});

describe("the facts of a layout", () => {
  it("an epoch in the future, and a time range that is over", () => {
    const spec = { datacenterBits: 0, workerBits: 0, laneBits: 0, sequenceBits: 0, tickMs: 1 };
    const said = (timestampBits: number, epochMs: number) =>
      Object.fromEntries(facts(layoutOf({ ...spec, timestampBits, epochMs }), 1, NOW_MS));
    expect(said(41, NOW_MS + 1).Begins).toMatch(/clock_before_epoch/);
    expect(said(41, NOW_MS).Begins).toBe("2026-06-01T00:00:00.000Z");
    expect(said(1, NOW_MS - 2)["Runs out"]).toMatch(/timestamp_exhausted/);
  });

  it("names the default number of shards, even if another is set", () => {
    const said = Object.fromEntries(facts(presetOf("default").layout, 100, NOW_MS));
    expect(said.Shards).toBe("100; 8 by default, at most 512");
  });
});

describe("equivalent code", () => {
  const input: Input = { name: "orders", count: "1", encoding: "decimal", key: "" };
  const of = (change: Partial<Input>, withKey = false) =>
    linesOf({ ...input, ...change }, "https://ids.example.com", withKey).map(([, line]) => line);

  it("one ID, with defaults", () => {
    expect(of({})).toEqual([
      'curl "https://ids.example.com/v1/ids/orders?count=1"',
      'import { Edgeflake } from "edgeflake/client";\nconst ids = new Edgeflake({ url: "https://ids.example.com", namespace: "orders" });\nawait ids.next();',
      '// IDS: a service binding with entrypoint = "Edgeflake"\nawait env.IDS.nextId("orders");',
    ]);
  });

  it("many IDs, with an encoding, a key text and an API key, which is not shown", () => {
    expect(of({ count: "7", encoding: "base58", key: "user-17" }, true)).toEqual([
      'curl -H "Authorization: Bearer $KEY" "https://ids.example.com/v1/ids/orders?count=7&encoding=base58&key=user-17"',
      'import { Edgeflake } from "edgeflake/client";\nconst ids = new Edgeflake({ url: "https://ids.example.com", key: process.env.KEY, namespace: "orders" });\nawait ids.take(7, { key: "user-17" }); // decimal texts',
      '// IDS: a service binding with entrypoint = "Edgeflake"\nawait env.IDS.nextIds("orders", 7, { key: "user-17", encoding: "base58" });',
    ]);
  });
});

describe("a segment", () => {
  const status = (maxId: string, max = "1000") =>
    segmentFacts({ max_id: maxId, start: "1", max, step: 10, update_time: null });

  it("is in use, nearly exhausted, or exhausted", () => {
    expect(segmentState(status("1")).words).toBe("in use");
    expect(segmentState(status("900")).words).toBe("in use");
    expect(segmentState(status("901")).words).toBe("nearly used up");
    expect(segmentState(status("1000")).words).toBe("nearly used up");
    expect(segmentState(status("1001")).words).toBe("used up");
    expect(usedOf(status("501"))).toBe(0.5);
  });

  it.each([
    ["1", "1", "0", /^idle/],
    ["1001", "1001", "0", /^none/],
    ["1", "1001", "100", /^none/],
    ["1", "501", "50", /^about 10 seconds$/],
    ["1", "1000", "100", /^about 1 second$/],
  ])("from %s to %s of 1000 in 10 s: says how long they last", (before, now, perSecond, words) => {
    const samples = [
      { atMs: 0, nextNumber: BigInt(before) },
      { atMs: 10_000, nextNumber: BigInt(now) },
    ];
    const rows = new Map(segmentRows(status(now), samples));
    expect(rows.get("time left at this rate")).toMatch(words);
    expect(rows.get("numbers per second")).toBe(perSecond);
  });

  it("lasts years, or too long to say", () => {
    const max = `${2n ** 63n - 1n}`;
    const leftAt = (perSecond: bigint): string => {
      return timeLeft(status(`${perSecond}`, max), Number(perSecond) / 1000);
    };
    expect(leftAt(10n ** 11n)).toBe("about 2 years");
    expect(leftAt(1000n)).toBe("more than 1,000 years");
  });

  it("is read out of anything", () => {
    expect(segmentFacts({ max_id: "x", fetches: [7, { from: "a" }] })).toMatchObject({
      nextNumber: 0n,
      updated: "never",
      last: [{ width: 0 }],
    });
    expect(usedOf(status("4611686018427387904", "9223372036854775807"))).toBeCloseTo(0.5, 5);
  });
});

describe("names and keys", () => {
  it("of namespaces", () => {
    for (const name of ["a", "Orders-7_x.y", `a${"b".repeat(62)}`]) {
      expect(NAMESPACE_NAME.test(name)).toBe(true);
    }
    for (const name of ["", "7a", "a/b", "..", "a b", `a${"b".repeat(63)}`, "<img>"]) {
      expect(NAMESPACE_NAME.test(name)).toBe(false);
    }
    expect(builtIn("twitter")?.layout).toBe(presetOf("twitter").layout);
    expect(builtIn("constructor")).toBeUndefined();
  });

  it("a namespace's layout is read from the response, and checked", () => {
    const { spec, layout } = presetOf("js53");
    expect(namespaceIn({ name: "own", kind: "snowflake", layout: { ...spec } })).toEqual({
      name: "own",
      layout,
    });
    expect(namespaceIn({ name: "own", kind: "segment" }).layout).toBeUndefined();
    expect(() => namespaceIn({ kind: "snowflake", layout: "none" })).toThrow(/Unexpected layout/);
  });

  it("only API keys that a header can carry are valid", () => {
    expect(isSendable("efk_Az09-_.~+/==")).toBe(true);
    for (const key of ["", "a b", "schlüssel", "a\nb"]) expect(isSendable(key)).toBe(false);
  });
});
