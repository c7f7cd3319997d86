import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Layout, makeLayout } from "../../../src/core/layout/layout.ts";
import type { Policy } from "../../../src/core/layout/policy.ts";
import { PRESETS } from "../../../src/core/layout/presets.ts";
import { idleCapacity } from "../../../src/core/line/lanes.ts";
import { LineSimulator, type SimulatedCall } from "../../support/models/line-simulator.ts";

const YEAR_MS = 365 * 86_400_000;
const RUNS = 1500;
/** Fewer: each waits through thousands of ticks, and every grant is compared with all before it. */
const IDLE_RUNS = 150;

interface Line {
  readonly layout: Layout;
  readonly policy: Policy;
}

const presetLine: fc.Arbitrary<Line> = fc.constantFrom(...PRESETS.values());

const customLine: fc.Arbitrary<Line> = fc
  .record({
    timestampBits: fc.integer({ min: 30, max: 42 }),
    datacenterBits: fc.integer({ min: 0, max: 2 }),
    workerBits: fc.integer({ min: 0, max: 4 }),
    laneBits: fc.integer({ min: 0, max: 4 }),
    sequenceBits: fc.integer({ min: 0, max: 11 }),
    epochMs: fc.constantFrom(0, 1_700_000_000_000),
    tickMs: fc.constantFrom(1, 10, 1000),
    lanePlace: fc.constantFrom("aboveWorker" as const, "belowWorker" as const),
    laneUse: fc.constantFrom("always" as const, "back" as const),
  })
  .chain((spec) => {
    const result = makeLayout(spec);
    if (!result.ok) throw new Error(result.problems.join());
    const { layout } = result;
    const upTo = (most: number) => fc.integer({ min: 0, max: most });
    return fc.record({
      layout: fc.constant(layout),
      policy: fc.record({
        maxStepBackMs: fc.oneof(fc.constant(0), upTo(5000)),
        maxBorrowMs: fc.oneof(fc.constant(0), upTo(3000)),
        maxWaitMs: upTo(1500),
        randomStart: fc.oneof(fc.constant(0), upTo(layout.sequenceCount)),
        reserveMs: fc.oneof(fc.constant(0), upTo(3000)),
      }),
    });
  });

const stepMs = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 20 }) },
  { weight: 3, arbitrary: fc.constantFrom(-1, -3, -1000, -1_800_000, -YEAR_MS) },
  { weight: 1, arbitrary: fc.constantFrom(1000, 60_000, 3_600_000, YEAR_MS) },
  { weight: 2, arbitrary: fc.integer({ min: -5000, max: 5000 }) },
);

const call: fc.Arbitrary<SimulatedCall> = fc.record({
  count: fc.oneof(
    fc.constantFrom(1, 4095, 4096, 4097, 10_000),
    fc.integer({ min: 1, max: 70_000 }),
  ),
  strict: fc.boolean(),
  callerSkewMs: fc.oneof(
    { weight: 9, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.constantFrom(-60_001, -60_000, -YEAR_MS, YEAR_MS) },
  ),
  clockMoves: fc.constantFrom(0, 1, 1, 1, 3),
  random: fc.constantFrom(0, 0.5, 0.999999),
  diesAfterWrite: fc.oneof(
    { weight: 5, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
});

type Action =
  | { readonly kind: "call"; readonly instance: 0 | 1; readonly call: SimulatedCall }
  | { readonly kind: "clock"; readonly stepMs: number }
  | { readonly kind: "restart"; readonly instance: 0 | 1 };

function actions(instances: fc.Arbitrary<0 | 1>): fc.Arbitrary<Action[]> {
  return fc.array(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constant("call" as const),
          instance: instances,
          call,
        }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("clock" as const), stepMs }) },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant("restart" as const), instance: instances }),
      },
    ),
    { maxLength: 60 },
  );
}

/** Three years into the layout's time, or half of it if that is less. */
function startOf({ epochMs, tickCount, tickMs }: Layout): number {
  return epochMs + Math.min(3 * YEAR_MS, (tickCount * tickMs) / 2);
}

/** Runs the actions; every invariant is checked inside the simulator, on each grant. */
function run({ layout, policy }: Line, script: readonly Action[]): LineSimulator {
  const startMs = startOf(layout);
  const simulator = new LineSimulator(layout, policy, layout.workerCount - 1, startMs);
  const endMs = layout.epochMs + layout.tickCount * layout.tickMs;
  for (const action of script) {
    if (action.kind === "call") simulator.call(action.instance, action.call);
    if (action.kind === "restart") simulator.restart(action.instance);
    if (action.kind === "clock") {
      const movedMs = simulator.nowMs + action.stepMs;
      simulator.nowMs = Math.max(layout.epochMs - 5, Math.min(endMs + 5, movedMs));
    }
  }
  return simulator;
}

const PLAIN_CALL: SimulatedCall = {
  count: 1,
  strict: false,
  callerSkewMs: 0,
  clockMoves: 1,
  random: 0,
  diesAfterWrite: false,
};

describe("the line under random requests, clocks, restarts and crashes", () => {
  const line = fc.oneof(presetLine, customLine);

  it("L1 L2 L3 L4 L5 L7 L8 hold, with two instances alive on one storage", () => {
    const script = actions(fc.constantFrom(0, 1));
    fc.assert(
      fc.property(line, script, (anyLine, anyScript) => {
        run(anyLine, anyScript);
      }),
      { numRuns: RUNS },
    );
  });

  it("L6 when the clock has caught up, the next request is granted", () => {
    fc.assert(
      fc.property(presetLine, actions(fc.constant(0)), fc.boolean(), (preset, script, strict) => {
        const simulator = run(preset, script);
        simulator.nowMs = Math.max(simulator.nowMs, simulator.caughtUpMs());
        expect(simulator.call(0, { ...PLAIN_CALL, strict })).toBe("answered");
      }),
      { numRuns: RUNS },
    );
  });

  it("a count within an idle line's capacity is granted by an idle line", () => {
    fc.assert(
      fc.property(line, fc.boolean(), fc.nat(999), ({ layout, policy }, strict, phaseMs) => {
        const plain = { ...policy, randomStart: 0 };
        const startMs = startOf(layout) + phaseMs;
        const simulator = new LineSimulator(layout, plain, 0, startMs);
        const count = idleCapacity(layout, plain, strict);
        expect(simulator.call(0, { ...PLAIN_CALL, strict, count })).toBe("answered");
      }),
      { numRuns: IDLE_RUNS },
    );
  });
});
