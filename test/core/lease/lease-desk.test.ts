import { describe, expect, it } from "vitest";
import { type Layout, layoutOf } from "../../../src/core/layout/layout.ts";
import {
  acquire,
  newFence,
  releasedFence,
  renew,
  renewedFence,
} from "../../../src/core/lease/lease-desk.ts";
import { type DeskClocks, noWorkerFree } from "../../../src/core/lease/lease-refusals.ts";
import type { Fence, WorkerLease } from "../../../src/core/lease/worker-lease.ts";
import { isSameToken, MemoryRows } from "../../support/models/memory-desk.ts";

const EPOCH_MS = 1_000_000;
const YEAR_MS = 365 * 86_400_000;
/** Ticks of each layout here, 2^20. */
const TICKS = 1_048_576;

function layout(tickMs: number): Layout {
  return layoutOf({
    timestampBits: 20,
    datacenterBits: 0,
    workerBits: 2,
    laneBits: 0,
    sequenceBits: 12,
    epochMs: EPOCH_MS,
    tickMs,
  });
}

const TERMS = { owner: "key-1", leasesMax: null, ttlMaxMs: YEAR_MS };
const INPUT = { holder: "pod", ttlMs: 5000, idempotencyKey: "new", terms: TERMS };
const LEASE: WorkerLease = {
  worker: 2,
  token: "token",
  holder: "pod",
  ttlMs: 5000,
  notBeforeTick: 0,
  notAfterTick: 5000,
  released: false,
  owner: "key-1",
  askedTtlMs: 5000,
  idempotencyKey: "key",
};
const RENEWAL = { worker: LEASE.worker, token: LEASE.token, ttlMs: undefined, terms: TERMS };

function rowsWith(lease: WorkerLease): MemoryRows {
  const rows = new MemoryRows();
  rows.write([{ lease, before: undefined }]);
  return rows;
}

/** An acquire and a renewal by these clocks. */
function askedAt(one: Layout, clocks: DeskClocks) {
  const desk = { layout: one, rows: rowsWith(LEASE), ...clocks };
  return [acquire(desk, INPUT, "next"), renew(desk, RENEWAL, isSameToken)];
}

type Ticks = [notBefore: number, notAfter: number];

function ticksOf({ notBeforeTick, notAfterTick }: Fence): Ticks {
  return [notBeforeTick, notAfterTick];
}

describe("a new lease", () => {
  it.each<[title: string, tickMs: number, ms: number, ttlMs: number, restedFrom: number, Ticks]>([
    ["at the epoch", 1, 0, 5000, 0, [0, 5000]],
    ["one ms later", 1, 1, 5000, 0, [1, 5001]],
    ["rested until the tick before", 1, 100, 5000, 99, [100, 5100]],
    ["rested until now", 1, 100, 5000, 100, [100, 5100]],
    ["not rested for another tick", 1, 100, 5000, 101, [101, 5100]],
    ["whose last tick is the only unused one", 1, 0, 5000, 4999, [4999, 5000]],
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
    expect(ticksOf(newFence(layout(tickMs), EPOCH_MS + ms, ttlMs, restedFrom))).toEqual(ticks);
  });
});

describe("a renewed lease", () => {
  it.each<[title: string, tickMs: number, ms: number, ttlMs: number, Ticks, notAfter: number]>([
    ["later ends later", 1, 2500, 5000, [0, 5000], 7500],
    ["at once keeps its end", 1, 0, 5000, [0, 5000], 5000],
    ["for less keeps its end", 1, 1, 5000, [0, 86_400], 86_400],
    ["by a clock that went back keeps its end", 1, 10, 5000, [6000, 11_000], 11_000],
    ["past its end continues", 1, 60_000, 5000, [0, 5000], 65_000],
    ["whose fence is empty opens", 1, 100, 5000, [50, 50], 5100],
    ["ends with the line", 1, TICKS - 1, 5000, [0, 5000], TICKS],
    ["at the line's end keeps it", 1, 0, 5000, [0, TICKS], TICKS],
    ["10 ms ticks: in the same tick keeps its end", 10, 9, 5000, [0, 500], 500],
    ["10 ms ticks: in the next tick moves by one", 10, 10, 5000, [0, 500], 501],
    ["1 s ticks: in the same tick keeps its end", 1000, 999, 5000, [0, 5], 5],
    ["1 s ticks: in the next tick moves by one", 1000, 1000, 5000, [0, 5], 6],
  ])("E2 %s", (_, tickMs, ms, ttlMs, [notBeforeTick, notAfterTick], notAfter) => {
    const fence = { notBeforeTick, notAfterTick };
    const renewed = renewedFence(layout(tickMs), EPOCH_MS + ms, ttlMs, fence);
    expect(ticksOf(renewed)).toEqual([notBeforeTick, notAfter]);
  });
});

describe("clocks", () => {
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
    for (const outcome of askedAt(layout(tickMs), { nowMs, callerNowMs: nowMs - aheadMs })) {
      expect(outcome.ok ? undefined : outcome.refusal.code).toBe(code);
      expect(outcome.writes.length > 0).toBe(outcome.ok);
    }
  });

  it("E4 that disagree get a time to retry", () => {
    const clocks = { nowMs: EPOCH_MS + 600_000, callerNowMs: EPOCH_MS };
    for (const outcome of askedAt(layout(1), clocks)) {
      expect(outcome).toMatchObject({ ok: false, refusal: { retryAfterMs: 1000 } });
    }
  });

  it.each([-1, TICKS])("outside of the line at tick %i: time does not help", (tick) => {
    const nowMs = EPOCH_MS + tick;
    for (const outcome of askedAt(layout(1), { nowMs, callerNowMs: nowMs })) {
      expect(outcome).toMatchObject({ ok: false });
      expect(outcome).not.toHaveProperty("refusal.retryAfterMs");
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
    "with ticks of %i ms, %i ms after the epoch, the first free at tick %i: retry in %i ms",
    (tickMs, ms, earliestEndTick, retryAfterMs) => {
      const refusal = noWorkerFree(layout(tickMs), EPOCH_MS + ms, earliestEndTick);
      expect(refusal).toMatchObject({ code: "no_worker_free", retryAfterMs });
      expect(refusal.detail).toContain(`${retryAfterMs} ms`);
    },
  );
});

describe("one worker ID more", () => {
  const bare = { layout: layout(1), nowMs: EPOCH_MS, callerNowMs: EPOCH_MS };

  it.each([
    [0, 1, 1000, undefined],
    [1, 1, 1000, 1000],
    [2, 1, 1000, 1000],
    [255, 256, 1000, undefined],
    [256, 256, 1, 1],
  ])(
    "E6 for an owner of %i of at most %i, the first until tick %i: retry in %s ms",
    (count, leasesMax, firstEndTick, retryAfterMs) => {
      const rows = Object.assign(new MemoryRows(), { keptBy: () => ({ count, firstEndTick }) });
      const input = { ...INPUT, terms: { ...TERMS, leasesMax } };
      const outcome = acquire({ ...bare, rows }, input, "next");
      if (outcome.ok) expect(retryAfterMs).toBeUndefined();
      else {
        expect(outcome.refusal).toMatchObject({ code: "forbidden", retryAfterMs });
        expect(outcome.refusal.detail).toContain(`${count} of at most ${leasesMax} worker IDs`);
      }
    },
  );

  it("E6 is the only use of an owner's count: a repeated request for a held lease does not need it", () => {
    const keptBy = () => {
      throw new Error("counted");
    };
    const desk = { ...bare, rows: Object.assign(rowsWith(LEASE), { keptBy }) };
    const terms = { ...TERMS, leasesMax: 1 };
    const again = { ...INPUT, idempotencyKey: "key", terms };
    expect(acquire(desk, again, "next")).toMatchObject({ lease: LEASE });
    expect(renew(desk, { ...RENEWAL, terms }, isSameToken).ok).toBe(true);
    const other = { ...again, idempotencyKey: "new" };
    expect(() => acquire(desk, other, "next")).toThrow("counted");
  });
});
