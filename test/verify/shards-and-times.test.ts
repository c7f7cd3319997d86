/** Shards and times decoded from IDs. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compose } from "../../src/core/layout/id.ts";
import { layoutOf, makeLayout } from "../../src/core/layout/layout.ts";
import { PRESETS } from "../../src/core/layout/presets.ts";
import { IdFields } from "../../src/verify/known-layout.ts";
import { TimeCheck } from "../../src/verify/time-check.ts";
import { History, PLAIN } from "./history.ts";

describe("shards", () => {
  const fields = new IdFields(layoutOf(PRESETS.get("default")?.spec ?? never()));
  const idOf = (shard: number, sequence: number): bigint =>
    compose(PRESETS.get("default")?.layout ?? never(), { tick: 1, shard, lane: 0, sequence });

  it("are counted by the ID's own bits, else by the header", () => {
    const history = new History({ fields, count: 2 });
    history.answer(PLAIN, [idOf(3, 0), idOf(3, 1)], 3);
    history.answer(PLAIN, [idOf(4, 0), idOf(5, 1)]);
    expect([...history.checker.shards]).toEqual([
      [3, 2],
      [4, 1],
      [5, 1],
    ]);
    const unread = new History();
    unread.answer(PLAIN, [idOf(3, 0)], 7);
    expect([...unread.checker.shards]).toEqual([[7, 1]]);
  });

  it("header and ID must agree", () => {
    const history = new History({ fields });
    history.answer(PLAIN, [idOf(3, 0)], 3);
    expect(history.verdict("shards").verdict).toBe("held");
    history.answer(PLAIN, [idOf(3, 1)], 4);
    expect(history.verdict("shards")).toMatchObject({ verdict: "broken", broken: 1 });
  });

  it("the ID must be of the one asked for, whether a header says so or not", () => {
    const history = new History({ fields, shard: 3 });
    history.answer(PLAIN, [idOf(3, 0)]);
    expect(history.verdict("shards")).toMatchObject({
      verdict: "held",
      about: "header, ID and request name the same shard (1 compared)",
    });
    history.answer(PLAIN, [idOf(5, 0)]);
    history.answer(PLAIN, [idOf(5, 1)], 3);
    expect(history.verdict("shards")).toMatchObject({ verdict: "broken", broken: 2 });
    expect(history.verdict("shards").examples[0]).toBe(
      `${idOf(5, 0)} at 0.004 s (plain, shard 5): the ID's bits have shard 5, shard 3 was requested`,
    );
  });

  it("are not checked where each is named once", () => {
    const history = new History({ fields });
    history.answer(PLAIN, [idOf(3, 0)]);
    expect(history.verdict("shards")).toMatchObject({
      verdict: "not_checked",
      about: "no answer named its shard",
    });
    for (const change of [{}, { shard: 3 }]) {
      const headerOrRequest = new History(change);
      headerOrRequest.answer(PLAIN, [1n], change.shard === undefined ? 3 : undefined);
      expect(headerOrRequest.verdict("shards").verdict).toBe("not_checked");
    }
    const unread = new History();
    unread.answer(PLAIN, [1n]);
    expect(unread.verdict("shards").about).toBe(
      "no answer named its shard, or unknown layout (a test)",
    );
  });

  it("the one asked for must answer", () => {
    const history = new History({ shard: 3 });
    history.answer(PLAIN, [1n], 3);
    expect(history.verdict("shards").verdict).toBe("held");
    history.answer(PLAIN, [2n], 4);
    expect(history.verdict("shards")).toMatchObject({ verdict: "broken", broken: 1 });
  });
});

describe("times", () => {
  const layout = PRESETS.get("default")?.layout ?? never();
  const fields = new IdFields(layout);
  const times = { behindMaxMs: 250, aheadMaxMs: 1000 };
  /** A history with an ID of that time, from its request's sending, and one of its request's own. */
  const withOffset = (offsetMs: number): History => {
    const history = new History({ fields, times });
    for (const [sequence, ms] of [offsetMs, 0].entries()) {
      const tick = history.now().unixMs + 1 + ms - layout.epochMs;
      history.answer(PLAIN, [compose(layout, { tick, shard: 0, lane: 0, sequence })]);
    }
    return history;
  };

  it.each([
    [-251, "broken"],
    [-250, "held"],
    [0, "held"],
    // The answer came 1 ms after the sending.
    [1001, "held"],
    [1002, "broken"],
  ])("%d ms from the sending: %s", (offsetMs, verdict) => {
    expect(withOffset(offsetMs).verdict("times").verdict).toBe(verdict);
  });

  it.each([
    [30_000, 100],
    [-30_000, 100],
    // Stepped back again, with an answer in between.
    [30_000, 0],
  ])("are not checked where this machine's clock stepped by %d ms", (stepMs, thenMs) => {
    const history = new History({ fields, times });
    const idNow = (): bigint => {
      const tick = history.now().unixMs - history.steppedMs - layout.epochMs;
      return compose(layout, { tick, shard: 0, lane: 0, sequence: history.nowMs % 4096 });
    };
    history.answer(PLAIN, [idNow()]);
    const open = history.send();
    history.steppedMs = stepMs;
    history.end(open, { kind: "acknowledged", ids: [idNow()] });
    history.answer(PLAIN, [idNow()]);
    history.steppedMs = thenMs;
    history.answer(PLAIN, [idNow()]);
    expect(history.broken()).toEqual([]);
    expect(history.verdict("times")).toMatchObject({
      verdict: "not_checked",
      about: "this machine's clock stepped",
      examples: [],
    });
    expect(history.checker.times.summary()).toBeUndefined();
  });

  it("what was off before the step may have been this machine's own fault", () => {
    const history = withOffset(60_000);
    expect(history.broken()).toEqual(["times"]);
    history.steppedMs = 60_000;
    history.send();
    expect(history.verdict("times")).toMatchObject({ verdict: "not_checked", broken: 0 });
  });

  it("are judged by the larger bounds where the policy changed meanwhile", () => {
    const history = new History({ fields, times, requestsMax: 9 });
    const offsets = [-300, 0, 1500, 2500, 0];
    const ids = offsets.map((offsetMs) => {
      const tick = history.now().unixMs + offsetMs - layout.epochMs;
      return compose(layout, { tick, shard: 0, lane: 0, sequence: 0 });
    });
    for (const id of ids) history.answer(PLAIN, [id]);
    expect(history.verdict("times")).toMatchObject({ verdict: "broken", broken: 3 });
    history.checker.times.widen({ behindMaxMs: 100, aheadMaxMs: 2000 });
    const { broken, examples, about } = history.verdict("times");
    expect(broken).toBe(2);
    expect(about).toBe("IDs are at most 250 ms before and 2,000 ms after their request");
    expect(examples).toHaveLength(2);
    expect(examples[1]).toContain(`${ids[3]} at 0.008 s`);
    history.checker.times.widen({ behindMaxMs: 400, aheadMaxMs: 2500 });
    expect(history.verdict("times")).toMatchObject({ verdict: "held", examples: [] });
  });

  it("have the median of all to three digits, on both sides of 0", () => {
    const offset = fc.integer({ min: -100, max: 100 });
    const offsets = fc.array(offset, { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(offsets, fc.constantFrom(1, 86_399), (some, factor) => {
        const all = some.map((one) => one * factor);
        const check = new TimeCheck(fields, times, all.length);
        const requestTick = 100 * factor;
        const at = { ms: 0, unixMs: layout.epochMs + requestTick };
        for (const offsetMs of all) {
          const tick = requestTick + offsetMs;
          check.add(compose(layout, { tick, shard: 0, lane: 0, sequence: 0 }), at, at);
        }
        const sorted = all.toSorted((one, other) => one - other);
        const is = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
        const { minMs, medianMs = Number.NaN, maxMs } = check.summary() ?? {};
        expect([minMs, maxMs]).toEqual([sorted[0], sorted.at(-1)]);
        expect(Math.abs(medianMs - is)).toBeLessThanOrEqual(Math.abs(is) / 1000);
        expect(medianMs).toBeGreaterThanOrEqual(minMs ?? Number.NaN);
        expect(medianMs).toBeLessThanOrEqual(maxMs ?? Number.NaN);
      }),
    );
  });

  it("are off by far if the ID is much larger than its layout", () => {
    const small = { ...PRESETS.get("default")?.spec, timestampBits: 9, workerBits: 0 };
    const made = makeLayout({ ...small, sequenceBits: 1, tickMs: 1000 });
    if (!made.ok) throw new Error(made.problems.join());
    const history = new History({ fields: new IdFields(made.layout), times });
    history.answer(PLAIN, [2n ** 63n - 1n]);
    expect(history.broken()).toEqual(["times"]);
    expect(history.checker.times.summary()?.maxMs).toBeGreaterThan(2 ** 62);
  });

  it("are not checked where the layout is not known", () => {
    const history = new History();
    history.answer(PLAIN, [1n]);
    expect(history.verdict("times").verdict).toBe("not_checked");
  });
});

function never(): never {
  throw new Error("there is no such preset");
}
