import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  anyNumbers,
  anyScript,
  anyStep,
  runSegments,
} from "../../support/models/segment-simulator.ts";

const RUNS = 1000;

describe("segments under random clocks, demand, evictions and restarts, in isolates at once", () => {
  it("no number twice, none outside its segment, each fetch of the step that the rule gives", () => {
    fc.assert(
      fc.property(anyNumbers, anyStep, anyScript, (numbers, step, script) => {
        let before = numbers.start - 1n;
        for (const { first, last } of runSegments(numbers, step, script)) {
          expect(first, "no number twice, none below start").toBeGreaterThan(before);
          expect(last, "a block is not reversed").toBeGreaterThanOrEqual(first);
          for (const id of [first, last]) {
            expect(id % BigInt(numbers.delta), "G2").toBe(BigInt(numbers.remainder));
          }
          before = last;
        }
        expect(before, "G4 none past max").toBeLessThanOrEqual(numbers.max);
      }),
      { numRuns: RUNS },
    );
  });
});
