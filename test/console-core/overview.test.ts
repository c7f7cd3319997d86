/** The health of namespaces, as the Overview shows it. */
import { describe, expect, it } from "vitest";
import { endOf, healthOf } from "../../src/console/health/namespace-health.ts";
import { PRESETS } from "../../src/core/layout/presets.ts";

const NOW_MS = Date.UTC(2026, 10, 1);
const YEAR_MS = 366 * 86_400_000;

const preset = PRESETS.get("default");
if (!preset) throw new Error("no preset default");
const { layout, policy } = preset;

/** A namespace with the layout of the preset, or with another epoch. */
const definition = (epochMs = layout.epochMs) => ({
  name: "orders",
  kind: "snowflake",
  layout: { timestampBits: 41, sequenceBits: 12, tickMs: 1, epochMs },
  policy,
});

/** A position on the line `aheadMs` ahead of the clock. */
const positionAt = (aheadMs: number): number =>
  (NOW_MS + aheadMs - layout.epochMs) * layout.sequenceCount;

const shard = (number: number, more: object = {}) => ({
  shard: number,
  clock: NOW_MS,
  lanes: [{ lane: 0, mark: positionAt(1000), leadMs: 0 }],
  counters: { issued: 100, writes: 1, refusals: {} },
  ...more,
});

const shown = (
  page: readonly object[],
  of: object = definition(),
  before: readonly object[] = [],
) => {
  const { level, summary, attention } = healthOf({ ...of }, { shards: page }, { shards: before });
  return [level, summary, attention.map(({ subject, address }) => `${subject} ${address}`)];
};

describe("a namespace", () => {
  it("is idle until it issues, then healthy", () => {
    const counters = { issued: 0, writes: 0, refusals: {} };
    expect(shown([shard(0, { counters })])).toEqual(["idle", "idle", []]);
    expect(shown([shard(0), shard(1)])).toEqual(["good", "healthy", []]);
  });

  it("needs attention for a shard that does not answer, and links to it", () => {
    const [level, summary, attention] = shown([shard(0), shard(3, { fault: { detail: "Down." } })]);
    expect([level, summary]).toEqual(["bad", "does not answer"]);
    expect(attention).toEqual(["orders, shard 3 #/shards/orders"]);
  });

  it("needs attention for a mark far ahead", () => {
    const lanes = [{ lane: 0, mark: positionAt(3 * 3_600_000), leadMs: 0 }];
    expect(shown([shard(2, { lanes })])).toEqual([
      "warning",
      "mark ahead by 3 h",
      ["orders, shard 2 #/shards/orders"],
    ]);
  });

  it("needs attention if its timestamps end within a year", () => {
    const spanMs = layout.tickCount * layout.tickMs;
    const ending = definition(NOW_MS + YEAR_MS / 2 - spanMs);
    expect(endOf({ ...ending }, NOW_MS)).toMatchObject([
      { level: "warning", problem: "ends in 6 months", address: "#/namespaces/orders" },
    ]);
    expect(endOf({ ...definition(NOW_MS + 2 * YEAR_MS - spanMs) }, NOW_MS)).toEqual([]);
  });

  it("needs attention for a shard that refuses now, not for refusals of long ago", () => {
    const counters = (times: number) => ({
      counters: { issued: 9, writes: 1, refusals: { shard_saturated: times } },
    });
    expect(shown([shard(0, counters(5))])).toEqual(["good", "healthy", []]);
    const [level, summary] = shown([shard(0, counters(6))], definition(), [shard(0, counters(5))]);
    expect([level, summary]).toEqual(["warning", "saturated"]);
  });

  it("of the kind segment needs attention if it is nearly used up", () => {
    const segment = { name: "invoices", kind: "segment" };
    const status = { shard: 0, max_id: "951", start: "1", max: "1000", step: 10 };
    expect(shown([status], segment)).toEqual([
      "warning",
      "nearly used up",
      ["invoices #/namespaces/invoices"],
    ]);
  });

  it("shows the worst first", () => {
    const lanes = [{ lane: 0, mark: positionAt(3 * 3_600_000), leadMs: 0 }];
    const [level] = shown([shard(0, { lanes }), shard(1, { fault: { detail: "Down." } })]);
    expect(level).toBe("bad");
  });
});
