import { describe, expect, it } from "vitest";
import { makeLayout, tickAt, tickStartMs } from "../../../src/core/layout/layout.ts";
import { PRESETS } from "../../../src/core/layout/presets.ts";

const GOOD = {
  timestampBits: 41,
  datacenterBits: 0,
  workerBits: 10,
  laneBits: 0,
  sequenceBits: 12,
  epochMs: 0,
  tickMs: 1,
};

describe("layouts", () => {
  it.each([
    ["timestampBits", { timestampBits: 0 }],
    ["timestampBits", { timestampBits: 54, sequenceBits: 0, workerBits: 0 }],
    ["timestampBits", { timestampBits: 1.5 }],
    ["timestampBits", { timestampBits: Number.NaN }],
    ["datacenterBits", { datacenterBits: -1 }],
    ["workerBits", { workerBits: 23, timestampBits: 20 }],
    ["laneBits", { laneBits: 5, workerBits: 0 }],
    ["sequenceBits", { sequenceBits: -1 }],
    ["timestampBits + sequenceBits", { timestampBits: 42, workerBits: 0 }],
    ["datacenterBits + workerBits", { timestampBits: 20, datacenterBits: 12, workerBits: 11 }],
    ["laneBits + sequenceBits", { workerBits: 11 }],
    ["epochMs", { epochMs: -1 }],
    ["epochMs", { epochMs: 8_640_000_000_000_001 }],
    ["tickMs", { tickMs: 100 }],
  ])("reject and name %s in %j", (name, change) => {
    const result = makeLayout({ ...GOOD, ...change });
    expect(result.ok ? [] : result.problems).toContainEqual(expect.stringContaining(name));
  });

  it.each([
    ["a field", "salt", { salt: 1 }],
    ["a word", "lanePlace", { lanePlace: "aside" }],
    ["a text for a number", "workerBits", { workerBits: "10" }],
    ["nothing for a number", "laneBits", { laneBits: undefined }],
  ])("reject %s that could change every ID", (_, name, change) => {
    const result = makeLayout({ ...GOOD, ...change });
    expect(result.ok ? [] : result.problems).toEqual([expect.stringContaining(name)]);
  });

  it("reject values that are no objects", () => {
    for (const value of [undefined, null, 7, "41", []]) {
      expect(makeLayout(value)).toMatchObject({ ok: false });
    }
  });

  it("report all problems at once", () => {
    const result = makeLayout({ ...GOOD, epochMs: -1, tickMs: 2, workerBits: 99 });
    expect(result.ok ? 0 : result.problems.length).toBeGreaterThanOrEqual(3);
  });

  it.each([
    [{ timestampBits: 53, workerBits: 10, sequenceBits: 0 }],
    [{ timestampBits: 1, workerBits: 0, sequenceBits: 52 }],
    [{ timestampBits: 28, workerBits: 22, sequenceBits: 13, tickMs: 1000 }],
    [{ timestampBits: 41, workerBits: 6, laneBits: 4, tickMs: 10 }],
  ])("accept %j", (change) => {
    expect(makeLayout({ ...GOOD, ...change })).toMatchObject({ ok: true });
  });

  it("have different fingerprints if any field differs that affects IDs", () => {
    const changes = [
      {},
      { workerBits: 9 },
      { datacenterBits: 5, workerBits: 5 },
      { epochMs: 1 },
      { tickMs: 10 },
      { workerBits: 8, laneBits: 2 },
      { workerBits: 8, laneBits: 2, lanePlace: "aboveWorker" as const },
    ];
    const prints = changes.map((change) => {
      const result = makeLayout({ ...GOOD, ...change });
      return result.ok ? result.layout.fingerprint : "";
    });
    expect(new Set(prints).size).toBe(changes.length);
  });

  it("have ticks that begin at the epoch", () => {
    const js53 = PRESETS.get("js53");
    if (!js53) throw new Error("no js53");
    expect(tickAt(js53.layout, 1_546_300_799_999)).toBe(-1);
    expect(tickAt(js53.layout, 1_546_300_800_000)).toBe(0);
    expect(tickAt(js53.layout, 1_546_300_801_999)).toBe(1);
    expect(tickStartMs(js53.layout, 1)).toBe(1_546_300_801_000);
  });
});

describe("presets", () => {
  it.each([
    [
      "default",
      "timestamp41 worker10 sequence12",
      1,
      1735689600000,
      [3_600_000, 1000, 250, 0, 1000],
    ],
    ["twitter", "timestamp41 datacenter5 worker5 sequence12", 1, 1288834974657, [0, 0, 100, 0, 50]],
    ["leaf", "timestamp41 worker10 sequence12", 1, 1288834974657, [0, 0, 100, 100, 50]],
    ["js53", "timestamp32 lane1 worker4 sequence16", 1000, 1546300800000, [0, 1000, 1100, 0, 1000]],
    [
      "node",
      "timestamp41 datacenter3 worker5 lane2 sequence12",
      1,
      1580486400000,
      [0, 0, 100, 0, 50],
    ],
  ])("%s is the row of the table", (name, fields, tickMs, epochMs, numbers) => {
    const preset = PRESETS.get(name);
    if (!preset) throw new Error(`no ${name}`);
    const { layout, policy } = preset;
    expect(layout.fields.map((field) => `${field.name}${field.bits}`).join(" ")).toBe(fields);
    expect([layout.tickMs, layout.epochMs]).toEqual([tickMs, epochMs]);
    const { maxStepBackMs, maxBorrowMs, maxWaitMs, randomStart, reserveMs } = policy;
    expect([maxStepBackMs, maxBorrowMs, maxWaitMs, randomStart, reserveMs]).toEqual(numbers);
  });
});
