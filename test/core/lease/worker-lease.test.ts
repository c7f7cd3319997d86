import { describe, expect, it } from "vitest";
import { type Layout, layoutOf } from "../../../src/core/layout/layout.ts";
import { leasableWorkers, stateOf } from "../../../src/core/lease/worker-lease.ts";
import { shardsMax } from "../../../src/core/namespace/namespace.ts";

const EPOCH_MS = 1_000_000;

function layout(tickMs: number, workerBits = 1): Layout {
  return layoutOf({
    timestampBits: 20,
    datacenterBits: 0,
    workerBits,
    laneBits: 0,
    sequenceBits: 12,
    epochMs: EPOCH_MS,
    tickMs,
  });
}

describe("the state of a lease", () => {
  it.each([
    [1, 2999, "held"],
    [1, 4999, "held"],
    [1, 5000, "expired"],
    [10, 49_999, "held"],
    [10, 50_000, "expired"],
    [1000, 4_999_999, "held"],
    [1000, 5_000_000, "expired"],
    [1, -1, "held"],
  ])("with ticks of %i ms, %i ms after the epoch: %s, unless it was released", (tickMs, ms, is) => {
    const notAfterTick = 5000;
    const nowMs = EPOCH_MS + ms;
    expect(stateOf(layout(tickMs), { notAfterTick, released: false }, nowMs)).toBe(is);
    expect(stateOf(layout(tickMs), { notAfterTick, released: true }, nowMs)).toBe("released");
  });
});

describe("workers that may be leased", () => {
  it.each([
    [1, []],
    [2, [1]],
    [3, [2]],
    [4, [2, 3]],
    [16, [8, 9, 10, 11, 12, 13, 14, 15]],
    [1024, Array.from({ length: 512 }, (_, index) => 512 + index)],
  ])("E5 of %i are the upper half", (workerCount, workers) => {
    const { first, end } = leasableWorkers({ ...layout(1), workerCount });
    const count = Math.max(0, end - first);
    expect(Array.from({ length: count }, (_, index) => first + index)).toEqual(workers);
  });

  it("E5 are never a shard's, of every width that a layout may have", () => {
    for (let workerBits = 0; workerBits <= 22; workerBits += 1) {
      const one = layout(1, workerBits);
      const { first, end } = leasableWorkers(one);
      expect(first).toBeGreaterThanOrEqual(shardsMax(one));
      expect(end).toBeLessThanOrEqual(one.workerCount);
      if (workerBits > 0) expect(end - first).toBe(one.workerCount / 2);
    }
  });
});
