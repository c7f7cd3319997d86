import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DecimalRun } from "../../../src/core/blocks/decimal-run.ts";
import { MAX_ID } from "../../../src/core/limits.ts";

describe("a decimal run", () => {
  it("writes what BigInt writes, at any offsets in any order", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.bigInt(0n, MAX_ID), fc.bigInt(0n, 30_000n)),
        fc.array(fc.nat(25_000), { maxLength: 50 }),
        (first, offsets) => {
          const run = new DecimalRun(first);
          for (const offset of offsets) expect(run.at(offset)).toBe(`${first + BigInt(offset)}`);
        },
      ),
    );
  });

  it.each([0n, 9998n, 99_999_999n - 5n, 999_999_999_999_999_999n - 5n, MAX_ID - 20n])(
    "from %d on crosses every carry",
    (first) => {
      const run = new DecimalRun(first);
      for (let offset = 0; offset <= 20; offset += 1) {
        expect(run.at(offset)).toBe(`${first + BigInt(offset)}`);
      }
    },
  );

  it("at any distance writes what BigInt writes, at any offsets in any order", () => {
    const step = fc.oneof(
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(9999, 10_000, 10_001, 123_456, 1_000_000),
    );
    fc.assert(
      fc.property(
        fc.oneof(fc.bigInt(0n, 30_000n), fc.bigInt(0n, MAX_ID - 10n ** 12n)),
        step,
        fc.array(fc.oneof(fc.nat(3000), fc.nat(1_000_000)), { maxLength: 50 }),
        (first, distance, offsets) => {
          const run = new DecimalRun(first, distance);
          for (const offset of offsets) {
            expect(run.at(offset)).toBe(`${first + BigInt(offset) * BigInt(distance)}`);
          }
        },
      ),
    );
  });

  it.each([2, 3, 10, 4999, 10_000, 10_001, 1_000_000])(
    "up to 2^63 − 1 in steps of %d, and back",
    (step) => {
      const first = MAX_ID - 20n * BigInt(step);
      const run = new DecimalRun(first, step);
      const upAndDown = [...Array(21).keys(), ...[...Array(20).keys()].reverse()];
      for (const offset of upAndDown) {
        expect(run.at(offset)).toBe(`${first + BigInt(offset * step)}`);
      }
    },
  );
});
