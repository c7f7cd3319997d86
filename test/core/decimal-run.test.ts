import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DecimalRun } from "../../src/core/decimal-run.ts";
import { MAX_ID } from "../../src/core/limits.ts";

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
});
