import { describe, expect, it } from "vitest";
import {
  type Bounds,
  boundsIn,
  duration,
  type ShardFacts,
  shardFacts,
  shardState,
} from "../../src/console/shards/shard-state.ts";
import { PRESETS } from "../../src/core/layout/presets.ts";

const HOUR_MS = 3_600_000;

/** A built-in namespace, as in the service's response. */
function boundsOf(name: string): Bounds {
  const { policy, spec } = PRESETS.get(name) ?? {};
  return boundsIn({ policy, layout: spec });
}

function shard(change: Partial<ShardFacts> = {}): ShardFacts {
  return {
    shard: 0,
    region: "weur",
    leadMs: 0,
    issued: 0,
    writes: 0,
    refusals: {},
    isUnused: false,
    fault: "",
    faultCode: "",
    ...change,
  };
}

const words = (leadMs: number, bounds: Bounds, recent = {}) =>
  shardState(shard({ leadMs }), recent, bounds).words;

describe("the state of a shard", () => {
  const bounds = boundsOf("default");

  it("in step: a lead up to maxBorrow and the current tick", () => {
    expect(words(0, bounds)).toBe("in step");
    expect(words(1001, bounds)).toBe("in step");
    expect(words(1002, bounds)).not.toBe("in step");
  });

  it("idle: it never issued an ID; without demand it is in step", () => {
    const status = (mark: number, issued = 0) => ({
      lanes: [{ mark, leadMs: 0 }],
      counters: { issued, writes: 0 },
    });
    const of = (json: object): string => shardState(shardFacts({ ...json }), {}, bounds).words;
    expect(of(status(0))).toBe("idle");
    expect(of(status(4096))).toBe("in step");
    expect(of(status(0, 1))).toBe("in step");
    expect(shardState(shard({ isUnused: true }), { shard_saturated: 1 }, bounds).words).toBe(
      "saturated",
    );
  });

  it("names the error that callers get, for a link to the reference", () => {
    const codeOf = (change: Partial<ShardFacts>, recent = {}) =>
      shardState(shard(change), recent, bounds).code;
    expect(codeOf({ leadMs: 2 * HOUR_MS })).toBe("clock_behind");
    expect(codeOf({}, { shard_saturated: 1 })).toBe("shard_saturated");
    expect(codeOf({ clockMs: 0 })).toBe("clock_before_epoch");
    expect(codeOf(shardFacts({ fault: { code: "shard_unavailable", detail: "Away." } }))).toBe(
      "shard_unavailable",
    );
    expect(codeOf({})).toBeUndefined();
  });

  it("in step under a strict clock: the tick that is used up, and the mark after a start", () => {
    const strict = boundsOf("twitter");
    expect(words(1, strict)).toBe("in step");
    expect(words(50, strict)).toBe("in step");
    // It forgives no step back: up to maxWaitMs it waits.
    expect(words(80, strict)).toBe("waiting out a step back of 80 ms");
    expect(words(101, strict)).toBe("waiting out a step back of 101 ms");
    expect(words(102, strict)).toBe("behind by 102 ms");
  });

  it("serving after a step back up to maxStepBack; beyond it, waiting", () => {
    expect(words(HOUR_MS / 2, bounds)).toBe("riding out a step back of 30 min");
    expect(words(HOUR_MS + 1001, bounds)).toBe("riding out a step back of 60 min");
    expect(words(HOUR_MS + 1002, bounds)).toBe("waiting out a step back of 60 min");
    expect(words(HOUR_MS + 1251, bounds)).toBe("waiting out a step back of 60 min");
    const behind = shardState(shard({ leadMs: HOUR_MS + 1252 }), {}, bounds);
    expect(behind).toMatchObject({ level: "bad", words: "behind by 60 min" });
    expect(behind.advice).toMatch(/maxStepBackMs/);
  });

  it("behind: gives the remedies of docs/OPERATIONS.md", () => {
    const advice = (leadMs: number, isBuiltIn: boolean): string =>
      shardState(shard({ leadMs }), {}, { ...bounds, isBuiltIn }).advice;
    const day = 24 * HOUR_MS;
    expect(advice(2 * HOUR_MS, false)).toMatch(/by itself.*a larger maxStepBackMs/);
    expect(advice(day + 1000, false)).toMatch(/a larger maxStepBackMs/);
    expect(advice(2 * HOUR_MS, true)).toMatch(/by itself.*never changes/);
    expect(advice(2 * HOUR_MS, true)).not.toMatch(/maxStepBackMs/);
    // No policy forgives more than a day.
    for (const isBuiltIn of [true, false]) {
      expect(advice(day + 1001, isBuiltIn)).toMatch(/successor/);
      expect(advice(day + 1001, isBuiltIn)).not.toMatch(/maxStepBackMs|by itself/);
    }
    expect(boundsIn({ builtIn: true }).isBuiltIn).toBe(true);
    expect(boundsIn({}).isBuiltIn).toBe(false);
  });

  it.each([
    ["timestamp_exhausted", "timestamps exhausted"],
    ["clock_disagreement", "clock disagreement"],
  ])("%s: %s, only while it rejects requests", (code, said) => {
    expect(words(0, bounds, { [code]: 2 })).toBe(said);
    expect(words(0, bounds, { [code]: 0 })).toBe("in step");
  });

  it("a clock before the epoch, or exhausted timestamps, wins over all other states", () => {
    const { spec } = PRESETS.get("default") ?? {};
    const at = (clockMs: number): string =>
      shardState(shard({ clockMs, leadMs: 25_000 * 24 * HOUR_MS }), {}, bounds).words;
    const epochMs = spec?.epochMs ?? 0;
    expect(at(epochMs - 1)).toBe("clock before the epoch");
    expect(at(epochMs)).toMatch(/^behind/);
    expect(at(epochMs + 2 ** 41 - 1)).toMatch(/^behind/);
    expect(at(epochMs + 2 ** 41)).toBe("timestamps exhausted");
    expect(shardFacts({ clock: 7 }).clockMs).toBe(7);
  });

  it("is derived from any response", () => {
    const unread = shard({
      region: "",
      fault: "This console can’t read its status.",
    });
    expect(shardFacts({})).toEqual(unread);
    const lanesOf = (...lanes: unknown[]) => ({ lanes, counters: { issued: 1, writes: 1 } });
    expect(shardFacts(lanesOf({ leadMs: 0 })).fault).toBe("");
    const sound = [{ leadMs: 0 }];
    for (const counters of [{ issued: "5", writes: 1 }, { issued: -1, writes: 1 }, []]) {
      expect(shardFacts({ lanes: sound, counters }).fault).toBe(unread.fault);
    }
    expect(shardFacts(JSON.parse('{"lanes":{},"counters":{"issued":1e999}}')).fault).not.toBe("");
    for (const lane of [null, 1, { leadMs: "y" }]) {
      expect(shardFacts(lanesOf({ leadMs: 0 }, lane)).fault).toBe(unread.fault);
    }
    expect(shardFacts({ shard: "x", lanes: [null, 1, { leadMs: "y" }], counters: [] })).toEqual(
      unread,
    );
    expect(shardFacts({ fault: {} }).fault).toBe("It does not answer.");
    const lanes = [{ leadMs: 9 }, { leadMs: 4 }];
    expect(shardFacts({ lanes }).leadMs).toBe(4);
  });
});

describe("durations", () => {
  it.each([
    [0, "0 ms"],
    [999, "999 ms"],
    [1000, "1 s"],
    [59_499, "59 s"],
    [1_800_000, "30 min"],
    [5_400_000, "2 h"],
    [172_800_000, "2 days"],
  ])("%d ms: %s", (ms, said) => {
    expect(duration(ms)).toBe(said);
  });
});
