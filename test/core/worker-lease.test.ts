import { describe, expect, it } from "vitest";
import { type Layout, layoutOf } from "../../src/core/layout.ts";
import { shardsMax } from "../../src/core/namespace.ts";
import {
  type DeskClocks,
  type Fenced,
  leasableWorkers,
  newFence,
  noWorkerFree,
  refuseMore,
  releasedFence,
  renewedFence,
  stateOf,
} from "../../src/core/worker-lease.ts";

const EPOCH_MS = 1_000_000;
const YEAR_MS = 365 * 86_400_000;
/** Ticks of each layout here, 2^20. */
const TICKS = 1_048_576;

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

/** The desk's clock that many ms after the epoch, its caller's the same. */
function clocksAt(ms: number): DeskClocks {
  return { nowMs: EPOCH_MS + ms, callerNowMs: EPOCH_MS + ms };
}

function ticksOf(fenced: Fenced): [notBefore: number, notAfter: number] {
  if (!fenced.ok) throw new Error(`refused: ${fenced.refusal.detail}`);
  return [fenced.fence.notBeforeTick, fenced.fence.notAfterTick];
}

type Ticks = [notBefore: number, notAfter: number];

describe("a new lease", () => {
  it.each<[title: string, tickMs: number, ms: number, ttlMs: number, restedFrom: number, Ticks]>([
    ["at the epoch", 1, 0, 5000, 0, [0, 5000]],
    ["one ms later", 1, 1, 5000, 0, [1, 5001]],
    ["rested until the tick before", 1, 100, 5000, 99, [100, 5100]],
    ["rested until now", 1, 100, 5000, 100, [100, 5100]],
    ["not rested for another tick", 1, 100, 5000, 101, [101, 5100]],
    ["whose last tick is the only one that rested", 1, 0, 5000, 4999, [4999, 5000]],
    ["that could begin only at its end", 1, 0, 5000, 5000, [5000, 5000]],
    ["that could begin only past its end", 1, 0, 5000, 6000, [6000, 6000]],
    ["that ends with the line", 1, TICKS - 5000, 5000, 0, [TICKS - 5000, TICKS]],
    ["cut at the line's end", 1, TICKS - 4999, 5000, 0, [TICKS - 4999, TICKS]],
    ["in the last tick", 1, TICKS - 1, 86_400_000, 0, [TICKS - 1, TICKS]],
    ["10 ms ticks: at the end of a tick", 10, 9, 5000, 0, [0, 500]],
    ["10 ms ticks: at the begin of a tick", 10, 10, 5000, 0, [1, 501]],
    ["10 ms ticks: a part of a tick is left out", 10, 8, 5001, 0, [0, 500]],
    ["10 ms ticks: a part that fills the tick counts", 10, 9, 5001, 0, [0, 501]],
    ["1 s ticks: at the end of a tick", 1000, 999, 5000, 0, [0, 5]],
    ["1 s ticks: at the begin of a tick", 1000, 1000, 5000, 0, [1, 6]],
    ["1 s ticks: a part of a tick is left out", 1000, 0, 5999, 0, [0, 5]],
    ["1 s ticks: a part that fills the tick counts", 1000, 1, 5999, 0, [0, 6]],
    ["1 s ticks: rested from the next tick on", 1000, 999, 5000, 1, [1, 5]],
    ["1 s ticks: in the last tick", 1000, TICKS * 1000 - 1, 5000, 0, [TICKS - 1, TICKS]],
  ])("E1 %s", (_, tickMs, ms, ttlMs, restedFrom, ticks) => {
    expect(ticksOf(newFence(layout(tickMs), clocksAt(ms), ttlMs, restedFrom))).toEqual(ticks);
  });
});

describe("a renewed lease", () => {
  it.each<[title: string, tickMs: number, ms: number, ttlMs: number, Ticks, notAfter: number]>([
    ["later ends later", 1, 2500, 5000, [0, 5000], 7500],
    ["at once keeps its end", 1, 0, 5000, [0, 5000], 5000],
    ["for less keeps its end", 1, 1, 5000, [0, 86_400], 86_400],
    ["by a clock that went back keeps its end", 1, 10, 5000, [6000, 11_000], 11_000],
    ["past its end goes on", 1, 60_000, 5000, [0, 5000], 65_000],
    ["whose fence is empty opens", 1, 100, 5000, [50, 50], 5100],
    ["ends with the line", 1, TICKS - 1, 5000, [0, 5000], TICKS],
    ["at the line's end keeps it", 1, 0, 5000, [0, TICKS], TICKS],
    ["10 ms ticks: in the same tick keeps its end", 10, 9, 5000, [0, 500], 500],
    ["10 ms ticks: in the next tick moves by one", 10, 10, 5000, [0, 500], 501],
    ["1 s ticks: in the same tick keeps its end", 1000, 999, 5000, [0, 5], 5],
    ["1 s ticks: in the next tick moves by one", 1000, 1000, 5000, [0, 5], 6],
  ])("E2 %s", (_, tickMs, ms, ttlMs, [notBeforeTick, notAfterTick], notAfter) => {
    const fence = { notBeforeTick, notAfterTick };
    const renewed = renewedFence(layout(tickMs), clocksAt(ms), ttlMs, fence);
    expect(ticksOf(renewed)).toEqual([notBeforeTick, notAfter]);
  });
});

describe("clocks", () => {
  const fences: [string, (layout: Layout, clocks: DeskClocks) => Fenced][] = [
    ["new", (one, clocks) => newFence(one, clocks, 5000, 0)],
    [
      "renewed",
      (one, clocks) => renewedFence(one, clocks, 5000, { notBeforeTick: 0, notAfterTick: 5 }),
    ],
  ];

  it.each<[title: string, tickMs: number, ms: number, aheadMs: number, code: string | undefined]>([
    ["E4 as far ahead as they may be", 1, 600_000, 60_000, undefined],
    ["E4 one ms further ahead", 1, 600_000, 60_001, "clock_disagreement"],
    ["E4 a year ahead", 1, 600_000, YEAR_MS, "clock_disagreement"],
    ["E4 a year behind", 1, 600_000, -YEAR_MS, undefined],
    ["at the epoch", 1, 0, 0, undefined],
    ["before the epoch", 1, -1, 0, "clock_before_epoch"],
    ["before the epoch of 1 s ticks", 1000, -1, 0, "clock_before_epoch"],
    ["before the epoch, and ahead", 1, -1, 60_001, "clock_before_epoch"],
    ["in the last tick", 1, TICKS - 1, 0, undefined],
    ["past the last tick", 1, TICKS, 0, "timestamp_exhausted"],
    ["past the last tick, and ahead", 1, TICKS, YEAR_MS, "timestamp_exhausted"],
    ["at the end of the last tick of 1 s", 1000, TICKS * 1000 - 1, 0, undefined],
    ["past the last tick of 1 s", 1000, TICKS * 1000, 0, "timestamp_exhausted"],
  ])("%s", (_, tickMs, ms, aheadMs, code) => {
    const nowMs = EPOCH_MS + ms;
    for (const [, fenceOf] of fences) {
      const fenced = fenceOf(layout(tickMs), { nowMs, callerNowMs: nowMs - aheadMs });
      expect(fenced.ok ? undefined : fenced.refusal.code).toBe(code);
    }
  });

  it.each(fences)("E4 that disagree say when to read them again: a lease that is %s", (_, of) => {
    const clocks = { nowMs: EPOCH_MS + 600_000, callerNowMs: EPOCH_MS };
    expect(of(layout(1), clocks)).toMatchObject({ ok: false, refusal: { retryAfterMs: 1000 } });
  });

  it.each([-1, TICKS])("beside the line at tick %i: time does not help", (tick) => {
    for (const [, fenceOf] of fences) {
      const fenced = fenceOf(layout(1), clocksAt(tick));
      expect(fenced.ok ? fenced : fenced.refusal.retryAfterMs).toBeUndefined();
    }
  });
});

describe("a released lease", () => {
  it.each<[title: string, untilTick: number | undefined, notAfter: number]>([
    ["by one who does not say keeps its end", undefined, 200],
    ["that stamped all keeps its end", 200, 200],
    ["that stamped all but one ends one earlier", 199, 199],
    ["that stamped its first tick ends after it", 101, 101],
    ["that stamped nothing is empty", 100, 100],
    ["is no lower than its begin", 99, 100],
    ["is no lower than its begin, whatever is said", -1, 100],
    ["does not grow", 201, 200],
  ])("E2 %s", (_, untilTick, notAfter) => {
    const fence = { notBeforeTick: 100, notAfterTick: 200 };
    expect(releasedFence(fence, untilTick)).toEqual({ notBeforeTick: 100, notAfterTick: notAfter });
  });

  it("E2 whose fence is empty stays empty", () => {
    const fence = { notBeforeTick: 100, notAfterTick: 100 };
    for (const untilTick of [undefined, 0, 100, 101]) {
      expect(releasedFence(fence, untilTick)).toEqual(fence);
    }
  });
});

describe("the state of a lease", () => {
  const lease = { worker: 1, token: "t", holder: "", ttlMs: 5000, notBeforeTick: 3 };

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
    expect(stateOf(layout(tickMs), { ...lease, notAfterTick, released: false }, nowMs)).toBe(is);
    const released = { ...lease, notAfterTick, released: true };
    expect(stateOf(layout(tickMs), released, nowMs)).toBe("released");
  });
});

describe("no worker free", () => {
  it.each([
    [1, 0, 5000, 5000],
    [1, 4999, 5000, 1],
    [1, 5000, 5000, 1],
    [1, 6000, 5000, 1],
    [10, 4, 1, 6],
    [1000, 999, 5, 4001],
    [1000, 0, TICKS, TICKS * 1000],
  ])(
    "with ticks of %i ms, %i ms after the epoch, tick %i free first: again in %i ms",
    (tickMs, ms, earliestEndTick, retryAfterMs) => {
      const refusal = noWorkerFree(layout(tickMs), EPOCH_MS + ms, earliestEndTick);
      expect(refusal).toMatchObject({ code: "no_worker_free", retryAfterMs });
      expect(refusal.detail).toContain(`${retryAfterMs} ms`);
    },
  );
});

describe("one worker ID more", () => {
  it.each([
    [0, 1, 1000, undefined],
    [1, 1, 1000, 1000],
    [2, 1, 1000, 1000],
    [255, 256, 1000, undefined],
    [256, 256, 1, 1],
  ])(
    "E6 for one who keeps %i of at most %i, the first until tick %i: again in %s ms",
    (count, most, firstEndTick, retryAfterMs) => {
      const refusal = refuseMore(layout(1), EPOCH_MS, { count, firstEndTick }, most);
      expect(refusal?.retryAfterMs).toBe(retryAfterMs);
      if (refusal) expect(refusal.detail).toContain(`has ${count} of at most ${most} worker IDs`);
    },
  );
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
