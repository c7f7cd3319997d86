import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseInstant } from "../../src/core/instant.ts";
import { decodedId } from "../../src/core/layout/decoded.ts";
import { decompose } from "../../src/core/layout/id.ts";
import { layoutOf, tickStartMs } from "../../src/core/layout/layout.ts";
import { PRESETS } from "../../src/core/layout/presets.ts";
import { rangeOf } from "../../src/core/layout/range.ts";
import { presetOf } from "./vectors.ts";

describe("instants", () => {
  it.each([
    ["0", 0],
    ["1767225600000", 1767225600000],
    ["2026-01-01", Date.UTC(2026, 0, 1)],
    ["2026-01-01T12:30", Date.UTC(2026, 0, 1, 12, 30)],
    ["2026-01-01T12:30:15", Date.UTC(2026, 0, 1, 12, 30, 15)],
    ["2026-01-01T12:30:15Z", Date.UTC(2026, 0, 1, 12, 30, 15)],
    ["2026-01-01T12:30:15.5Z", Date.UTC(2026, 0, 1, 12, 30, 15, 500)],
    ["2026-01-01T12:30:15.123+02:00", Date.UTC(2026, 0, 1, 10, 30, 15, 123)],
    ["2026-01-01T00:00:00-05:30", Date.UTC(2026, 0, 1, 5, 30)],
    ["2024-02-29", Date.UTC(2024, 1, 29)],
    ["2026-01-01T00:00:00.000000001Z", Date.UTC(2026, 0, 1) + 1],
    ["2026-01-01T00:00:00.999999999Z", Date.UTC(2026, 0, 1) + 1000],
  ])("%s is %d", (text, unixMs) => {
    expect(parseInstant(text)).toBe(unixMs);
  });

  it.each(
    [
      "",
      "abc",
      "-1",
      "+1",
      "1.5",
      "1e12",
      "007",
      "8640000000000001",
      "99999999999999999999",
      "2026-13-01",
      "2026-02-30",
      "2025-02-29",
      "2026-01-01T24:00",
      "2026-01-01T12:60",
      "2026-01-01T12:30:60",
      "2026-01-01T12:30:15+2",
      "2026-01-01T12:30:15+01:60",
      "2026-01-01 12:30",
      "2026-1-1",
      "tomorrow",
      "2026-01-01T12:30:15.1234567890Z",
    ].filter((text) => text !== "2026"),
  )("refuses %j", (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});

describe("the time of an ID", () => {
  const layout = layoutOf({
    timestampBits: 53,
    datacenterBits: 0,
    workerBits: 0,
    laneBits: 0,
    sequenceBits: 0,
    epochMs: 0,
    tickMs: 1,
  });

  it("is null after the year 9999, the last of RFC 3339; unixMs is still there", () => {
    expect(decodedId(layout, 253_402_300_799_999n)).toMatchObject({
      time: "9999-12-31T23:59:59.999Z",
      unixMs: 253_402_300_799_999,
    });
    for (const unixMs of [253_402_300_800_000, 8_640_000_000_000_000, 8_640_000_000_000_001]) {
      expect(decodedId(layout, BigInt(unixMs))).toMatchObject({ time: null, unixMs });
    }
  });
});

describe("ranges", () => {
  it("are the smallest and the largest ID of [from, until)", () => {
    for (const { layout } of PRESETS.values()) {
      const duration = fc.integer({ min: 0, max: 10_000 });
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 10 ** 9 }), duration, (offsetMs, durationMs) => {
          const fromMs = layout.epochMs + offsetMs;
          const untilMs = fromMs + durationMs;
          const range = rangeOf(layout, fromMs, untilMs);
          const inside = (id: bigint): boolean => {
            const parts = decompose(layout, id);
            if (!parts) return false;
            const unixMs = tickStartMs(layout, parts.tick);
            return unixMs >= fromMs && unixMs < untilMs;
          };
          if (!range) {
            const firstTickMs = Math.ceil(offsetMs / layout.tickMs) * layout.tickMs;
            expect(firstTickMs >= offsetMs + durationMs).toBe(true);
            return;
          }
          expect([inside(range.first), inside(range.last)]).toEqual([true, true]);
          expect([inside(range.first - 1n), inside(range.last + 1n)]).toEqual([false, false]);
        }),
      );
    }
  });

  it("are limited to the layout's own time", () => {
    const { layout } = presetOf("twitter");
    expect(rangeOf(layout, 0, layout.epochMs + 1)?.first).toBe(0n);
    expect(rangeOf(layout, 3487858230208, 8.64e15)?.last).toBe((1n << 63n) - 1n);
    expect(rangeOf(layout, 0, layout.epochMs)).toBeUndefined();
    expect(rangeOf(layout, 3487858230209, 8.64e15)).toBeUndefined();
  });
});
