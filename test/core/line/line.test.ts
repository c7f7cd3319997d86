import { describe, expect, it } from "vitest";
import { layoutOf, tickStartMs } from "../../../src/core/layout/layout.ts";
import type { Preset } from "../../../src/core/layout/presets.ts";
import { idleCapacity } from "../../../src/core/line/lanes.ts";
import {
  breachOf,
  type LineState,
  markFor,
  type Outcome,
  type Raise,
  type StepRequest,
  startLine,
  step,
} from "../../../src/core/line/line.ts";
import { presetOf } from "../vectors.ts";

const TICK = 100_000_000;

/** One step at TICK + `ticks`, asking for one ID unless said otherwise. */
function at(
  preset: Preset,
  state: LineState,
  ticks: number,
  change: Partial<StepRequest> = {},
): Outcome {
  const nowMs = tickStartMs(preset.layout, TICK + ticks);
  return step(preset.layout, preset.policy, state, {
    nowMs,
    callerNowMs: nowMs,
    count: 1,
    waitLeftMs: preset.policy.maxWaitMs,
    lastLaneOnly: false,
    random: 0,
    ...change,
  });
}

const fresh = ({ layout }: Preset) => startLine(Array.from({ length: layout.laneCount }, () => 0));

/** The grant, relative to the position at which TICK begins. */
function granted(preset: Preset, outcome: Outcome): [lane: number, start: number, end: number] {
  if (outcome.kind !== "granted") throw new Error(`not granted but ${JSON.stringify(outcome)}`);
  const { lane, start, end } = outcome.grant;
  const base = TICK * preset.layout.sequenceCount;
  return [lane, start - base, end - base];
}

function refusal(outcome: Outcome): [code: string, retryAfterMs: number | undefined] {
  if (outcome.kind !== "refused") throw new Error(`not refused but ${outcome.kind}`);
  return [outcome.refusal.code, outcome.refusal.retryAfterMs];
}

describe("one lane", () => {
  const twitter = presetOf("twitter");
  const standard = presetOf("default");

  it("L1 starts a fresh tick at its first sequence and continues from there", () => {
    const first = at(twitter, fresh(twitter), 0, { count: 3 });
    expect(granted(twitter, first)).toEqual([0, 0, 3]);
    const second = at(twitter, first.state, 0);
    expect(granted(twitter, second)).toEqual([0, 3, 4]);
    expect(granted(twitter, at(twitter, second.state, 5))).toEqual([0, 5 * 4096, 5 * 4096 + 1]);
  });

  it("L1 the 4,097th ID of a ms waits for the next ms (IdWorker's `if` repeated IDs here)", () => {
    const full = at(twitter, fresh(twitter), 0, { count: 4097 });
    expect(granted(twitter, full)).toEqual([0, 0, 4096]);
    expect(at(twitter, full.state, 0)).toMatchObject({ kind: "wait", waitMs: 1 });
    expect(granted(twitter, at(twitter, full.state, 1))).toEqual([0, 4096, 4097]);
  });

  it("L4 borrows no more than maxBorrow ahead of the clock", () => {
    const burst = at(standard, fresh(standard), 0, { count: 5_000_000 });
    expect(granted(standard, burst)).toEqual([0, 0, 1001 * 4096]);
    expect(burst).toMatchObject({ leadTicks: 1000 });
    expect(at(standard, burst.state, 0)).toMatchObject({ kind: "wait", waitMs: 1 });
  });

  it("a step back up to maxStepBack is forgiven: the line continues from its place", () => {
    let state = at(standard, fresh(standard), 0).state;
    for (const [index, ticks] of [-1, -1000, -1_800_000, -3_600_000].entries()) {
      const outcome = at(standard, state, ticks);
      expect(granted(standard, outcome)).toEqual([0, index + 1, index + 2]);
      state = outcome.state;
    }
    expect(state.forgivenTicks).toBe(3_600_000);
  });

  it("L4 after a step back beyond maxStepBack + maxBorrow, requests are refused with the time to wait", () => {
    const { state } = at(standard, fresh(standard), 0);
    const back = at(standard, state, -3_602_000);
    expect(refusal(back)).toEqual(["clock_behind", 1000]);
    const inTime = at(standard, back.state, -3_601_000);
    expect(granted(standard, inTime)).toEqual([0, 1, 2]);
  });

  it("the forgiven lead falls as the clock catches up, and demand can't keep it", () => {
    const { state } = at(standard, fresh(standard), 0);
    const back = at(standard, state, -10_000).state;
    expect(back.forgivenTicks).toBe(10_000);
    const nearer = at(standard, back, -4000).state;
    expect(nearer.forgivenTicks).toBe(4000);
    expect(at(standard, nearer, 1).state.forgivenTicks).toBe(0);
  });

  it("L4 a step back is forgiven once, however often it is seen", () => {
    let { state } = at(standard, fresh(standard), 0);
    for (let looks = 0; looks < 20; looks += 1) state = at(standard, state, -10).state;
    const burst = at(standard, state, -10, { count: 5_000_000 });
    expect(burst).toMatchObject({ kind: "granted", leadTicks: 1010 });
  });

  it("grants the IDs that a forgiven line opens within the wait: it continues at full rate", () => {
    const forgiving = { ...twitter, policy: { ...twitter.policy, maxStepBackMs: 1000 } };
    const { state } = at(forgiving, fresh(forgiving), 0);
    const outcome = at(forgiving, state, -50, { count: 60 * 4096 });
    expect(granted(forgiving, outcome)).toEqual([0, 1, 4096]);
    const wait = at(forgiving, outcome.state, -50, { count: 60 * 4096 });
    expect(wait).toMatchObject({ kind: "wait", waitMs: 1 });
  });

  it("without forgiveness a request waits for a clock 100 ms back, and is refused if it is further back", () => {
    const { state } = at(twitter, fresh(twitter), 0, { count: 4096 });
    expect(at(twitter, state, -99)).toMatchObject({ kind: "wait", waitMs: 100 });
    expect(refusal(at(twitter, state, -100))).toEqual(["clock_behind", 101]);
  });

  it("L3 a restart begins at the mark", () => {
    const mark = (TICK + 50) * 4096;
    const started = startLine([mark]);
    expect(at(twitter, started, 0)).toMatchObject({ kind: "wait", waitMs: 50 });
    expect(granted(twitter, at(twitter, started, 50))).toEqual([0, 50 * 4096, 50 * 4096 + 1]);
    expect(granted(standard, at(standard, started, 0))).toEqual([0, 50 * 4096, 50 * 4096 + 1]);
  });

  it("leaf starts each fresh tick at random 0..99", () => {
    const leaf = presetOf("leaf");
    const low = at(leaf, fresh(leaf), 0, { random: 0 });
    expect(granted(leaf, low)).toEqual([0, 0, 1]);
    const high = at(leaf, low.state, 1, { random: 0.9999999 });
    expect(granted(leaf, high)).toEqual([0, 4096 + 99, 4096 + 100]);
    const same = at(leaf, high.state, 1, { random: 0.5 });
    expect(granted(leaf, same)).toEqual([0, 4096 + 100, 4096 + 101]);
  });
});

describe("refusing a count before anything is granted", () => {
  const twitter = presetOf("twitter");
  const standard = presetOf("default");

  it("L7 that can't open within the remaining wait", () => {
    const nothing = fresh(twitter);
    expect(granted(twitter, at(twitter, nothing, 0, { count: 101 * 4096 }))).toEqual([0, 0, 4096]);
    expect(refusal(at(twitter, nothing, 0, { count: 101 * 4096 + 1 }))[0]).toBe("shard_saturated");
    expect(refusal(at(twitter, nothing, 0, { count: 4097, waitLeftMs: 0 }))).toEqual([
      "shard_saturated",
      1,
    ]);
  });

  it("and says when a call with its full wait would succeed", () => {
    const { state } = at(twitter, fresh(twitter), 0, { count: 4096 });
    expect(refusal(at(twitter, state, 0, { count: 101 * 4096 }))).toEqual(["shard_saturated", 1]);
    const borrowed = at(standard, fresh(standard), 0, { count: 1001 * 4096 }).state;
    const large = at(standard, borrowed, 0, { count: 300 * 4096 });
    expect(refusal(large)).toEqual(["shard_saturated", 50]);
    const then = at(standard, borrowed, 50, { count: 300 * 4096 });
    expect(granted(standard, then)).toEqual([0, 1001 * 4096, 1051 * 4096]);
  });

  it("as saturated if the line opens with the next tick, as behind if it takes longer", () => {
    const { state } = at(twitter, fresh(twitter), 0, { count: 4096 });
    const noWait = { waitLeftMs: 0 };
    expect(refusal(at(twitter, state, 0, noWait))).toEqual(["shard_saturated", 1]);
    expect(refusal(at(twitter, state, -1, noWait))).toEqual(["clock_behind", 2]);
  });

  it("L8 if its clock would poison the mark: over 60 s ahead of the caller's", () => {
    const nowMs = tickStartMs(twitter.layout, TICK);
    const wild = at(twitter, fresh(twitter), 0, { callerNowMs: nowMs - 60_001 });
    expect(refusal(wild)).toEqual(["clock_disagreement", 1000]);
    const near = at(twitter, fresh(twitter), 0, { callerNowMs: nowMs - 60_000 });
    expect(near.kind).toBe("granted");
    const belowMark = at(twitter, near.state, 0, { callerNowMs: nowMs - 600_000 });
    expect(belowMark.kind).toBe("granted");
    const lagging = at(twitter, fresh(twitter), 0, { callerNowMs: nowMs + 10 ** 9 });
    expect(lagging.kind).toBe("granted");
  });
});

describe("L5 the ends of the line", () => {
  it.each(["twitter", "leaf"])("%s: unix ms 3487858230208 is the last tick", (name) => {
    const preset = presetOf(name);
    const nowMs = 3487858230208;
    const clock = { nowMs, callerNowMs: nowMs };
    const last = at(preset, fresh(preset), 0, { ...clock, count: 4096 });
    expect(last).toMatchObject({ kind: "granted", grant: { end: preset.layout.lineEnd } });
    expect(refusal(at(preset, last.state, 0, clock))[0]).toBe("timestamp_exhausted");
    expect(refusal(at(preset, fresh(preset), 0, { ...clock, count: 4097 }))[0]).toBe(
      "timestamp_exhausted",
    );
    const after = { nowMs: nowMs + 1, callerNowMs: nowMs };
    expect(refusal(at(preset, fresh(preset), 0, after))[0]).toBe("timestamp_exhausted");
  });

  it.each(["default", "js53", "node"])("%s: neither borrowing nor marks pass the end", (name) => {
    const preset = presetOf(name);
    const nowMs = tickStartMs(preset.layout, preset.layout.tickCount - 1);
    const outcome = at(preset, fresh(preset), 0, { nowMs, callerNowMs: nowMs });
    expect(outcome.kind).toBe("granted");
    const { mark } = outcome.state.lanes[0] ?? { mark: Number.NaN };
    expect(mark).toBe(preset.layout.lineEnd);
  });

  it("before the epoch nothing is granted", () => {
    const preset = presetOf("default");
    const nowMs = preset.layout.epochMs - 1;
    expect(refusal(at(preset, fresh(preset), 0, { nowMs }))).toEqual([
      "clock_before_epoch",
      undefined,
    ]);
  });
});

describe("lanes", () => {
  const js53 = presetOf("js53");
  const node = presetOf("node");
  const second = js53.layout.sequenceCount;

  it("js53 uses lane 1 when a second is used up, then lane 1 borrows the next second", () => {
    const one = at(js53, fresh(js53), 0, { count: 150_000 });
    expect(granted(js53, one)).toEqual([0, 0, second]);
    const two = at(js53, one.state, 0, { count: 150_000 - second });
    expect(granted(js53, two)).toEqual([1, 0, 150_000 - second]);
    const three = at(js53, two.state, 0, { count: second });
    expect(granted(js53, three)).toEqual([1, 150_000 - second, 2 * second]);
    expect(at(js53, three.state, 0)).toMatchObject({ kind: "wait", waitMs: 1000 });
  });

  it("js53 uses lane 1 when the clock went back", () => {
    const { state } = at(js53, fresh(js53), 0);
    expect(granted(js53, at(js53, state, -1))).toEqual([1, -second, -second + 1]);
  });

  it("node waits with an exhausted lane, and moves on only when the clock went back", () => {
    const full = at(node, fresh(node), 0, { count: 4096 });
    expect(at(node, full.state, 0)).toMatchObject({ kind: "wait", waitMs: 1 });
    const back1 = at(node, full.state, -10);
    expect(granted(node, back1)).toEqual([1, -10 * 4096, -10 * 4096 + 1]);
    const back2 = at(node, back1.state, -20);
    expect(granted(node, back2)).toEqual([2, -20 * 4096, -20 * 4096 + 1]);
    const back3 = at(node, back2.state, -30);
    expect(granted(node, back3)).toEqual([3, -30 * 4096, -30 * 4096 + 1]);
    expect(at(node, back3.state, -40)).toMatchObject({ kind: "wait", waitMs: 10 });
    expect(granted(node, at(node, back3.state, 1))).toEqual([0, 4096, 4097]);
  });

  it("node, behind on all lanes, waits for the lane that opens first", () => {
    const marks = [10, 40, 30, 20].map((ticks) => (TICK + ticks) * 4096);
    expect(at(node, startLine(marks), 0)).toMatchObject({ kind: "wait", waitMs: 10 });
    const others = [40, 10, 30, 20].map((ticks) => (TICK + ticks) * 4096);
    expect(at(node, startLine(others), 0)).toMatchObject({ kind: "wait", waitMs: 10 });
  });

  it("node's lanes survive a restart: each starts at its own mark", () => {
    const marks = [100, 50, 0, 0].map((ticks) => (TICK + ticks) * 4096);
    expect(granted(node, at(node, startLine(marks), 0))).toEqual([2, 0, 1]);
    expect(granted(node, at(node, startLine(marks), 50))).toEqual([1, 50 * 4096, 50 * 4096 + 1]);
    expect(granted(node, at(node, startLine(marks), 100))).toEqual([0, 100 * 4096, 100 * 4096 + 1]);
  });

  it.each(["js53", "node"])("%s in strict order uses the last lane only", (name) => {
    const preset = presetOf(name);
    const outcome = at(preset, fresh(preset), 0, { lastLaneOnly: true });
    expect(granted(preset, outcome)).toEqual([preset.layout.laneCount - 1, 0, 1]);
  });
});

describe("L2 marks", () => {
  it("reach reserveMs past the clock", () => {
    const { layout, policy } = presetOf("default");
    expect(markFor(layout, policy, TICK, TICK * 4096 + 1)).toBe((TICK + 1000) * 4096);
  });

  it("reach a twentieth of reserveMs past the grant if that is further", () => {
    const { layout, policy } = presetOf("default");
    const end = (TICK + 990) * 4096;
    expect(markFor(layout, policy, TICK, end)).toBe(end + 50 * 4096);
  });

  it("reach a tick ahead if the reserve is shorter", () => {
    const { layout, policy } = presetOf("js53");
    const nextTick = (TICK + 1) * layout.sequenceCount;
    for (const reserveMs of [1, 250, layout.tickMs]) {
      const mark = (end: number) => markFor(layout, { ...policy, reserveMs }, TICK, end);
      expect(mark(TICK * layout.sequenceCount + 1)).toBe(nextTick);
      expect(mark(nextTick)).toBeGreaterThan(nextTick);
    }
  });

  it("are raised only when a grant would pass them", () => {
    const preset = presetOf("default");
    const first = at(preset, fresh(preset), 0);
    expect(first).toMatchObject({ raise: { lane: 0, from: 0, to: (TICK + 1000) * 4096 } });
    expect(at(preset, first.state, 999)).not.toHaveProperty("raise");
    expect(at(preset, first.state, 1000)).toMatchObject({
      raise: { lane: 0, from: (TICK + 1000) * 4096, to: (TICK + 2000) * 4096 },
    });
  });
});

describe("the largest count of an idle line", () => {
  it.each([
    ["default", false, 1251 * 4096],
    ["twitter", false, 101 * 4096],
    ["leaf", false, 101 * (4096 - 99)],
    ["js53", false, 5 * 65536],
    ["js53", true, 3 * 65536],
    ["node", false, 101 * 4096],
  ])("%s, strict %s: %d", (name, strict, most) => {
    const { layout, policy } = presetOf(name);
    expect(idleCapacity(layout, policy, strict)).toBe(most);
  });

  it("is granted by that idle line at any moment of its tick", () => {
    const js53 = presetOf("js53");
    const count = idleCapacity(js53.layout, js53.policy, false);
    for (const phaseMs of [0, 1, 499, 900, 999]) {
      const nowMs = tickStartMs(js53.layout, TICK) + phaseMs;
      expect(at(js53, fresh(js53), 0, { nowMs, callerNowMs: nowMs, count }).kind).toBe("granted");
    }
  });

  it("is one ID a tick if the layout has no sequence", () => {
    const layout = layoutOf({
      timestampBits: 41,
      datacenterBits: 0,
      workerBits: 10,
      laneBits: 0,
      sequenceBits: 0,
      epochMs: 0,
      tickMs: 1,
    });
    const policy = { ...presetOf("twitter").policy, reserveMs: 50 };
    expect(idleCapacity(layout, policy, false)).toBe(101);
  });
});

describe("S8 a grant that breaks an invariant", () => {
  const before = { lanes: [{ next: 100, mark: 200 }], lastTick: 1, forgivenTicks: 0 };
  type Granted = Parameters<typeof breachOf>[1];
  const granted = (start: number, end: number, next = end, mark = 200, raise?: Raise): Granted => ({
    kind: "granted",
    state: { ...before, lanes: [{ next, mark }] },
    grant: { lane: 0, start, end },
    leadTicks: 0,
    ...(raise && { raise }),
  });

  it.each<[string, string | undefined, Granted]>([
    ["one at the last end", undefined, granted(100, 200)],
    ["one with a raise", undefined, granted(150, 300, 300, 400, { lane: 0, from: 200, to: 400 })],
    ["one below the last end", "L1", granted(99, 120)],
    ["one of part of a position", "L1", granted(100, 101.5)],
    ["an empty one", "L1", granted(100, 100)],
    ["one whose end is not remembered", "L1", granted(100, 120, 119)],
    ["one above the mark", "L2", granted(100, 201)],
    ["a raise to no more", "L2", granted(100, 120, 120, 200, { lane: 0, from: 200, to: 200 })],
    [
      "a raise that memory does not have",
      "L2",
      granted(100, 120, 120, 200, { lane: 0, from: 200, to: 300 }),
    ],
    ["a raise of another lane", "L2", granted(100, 120, 120, 300, { lane: 1, from: 200, to: 300 })],
    [
      "a raise from another mark",
      "L2",
      granted(100, 120, 120, 300, { lane: 0, from: 90, to: 300 }),
    ],
    ["a mark that moved without one", "L2", granted(100, 120, 120, 300)],
    [
      "one of another lane",
      "lane 1",
      { ...granted(100, 120), grant: { lane: 1, start: 1, end: 2 } },
    ],
  ])("%s: %s", (_, broken, outcome) => {
    const breach = breachOf(before, outcome);
    if (broken === undefined) expect(breach).toBeUndefined();
    else expect(breach).toContain(broken);
  });
});
