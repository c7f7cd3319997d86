import fc from "fast-check";
import { expect, it } from "vitest";
import { flatTextsInto } from "../../../src/client/flat-texts.ts";
import { idAt } from "../../../src/core/blocks/block.ts";

const first = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 62n }),
  fc.integer({ min: 1, max: 18 }).map((digits) => 10n ** BigInt(digits) - 3n),
);

it("gives each ID of a block as BigInt writes it, through every carry", () => {
  fc.assert(
    fc.property(
      first,
      fc.integer({ min: 1, max: 1000 }),
      fc.constantFrom(1, 1, 7),
      (from, count, step) => {
        const block = { first: from, count, step };
        const ids = ["before"];
        expect(flatTextsInto(ids, 1, block)).toBe(count + 1);
        const expected = Array.from({ length: count }, (_, offset) => `${idAt(block, offset)}`);
        expect(ids).toEqual(["before", ...expected]);
      },
    ),
  );
});
