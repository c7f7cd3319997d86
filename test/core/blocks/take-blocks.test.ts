import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Block, idAt } from "../../../src/core/blocks/block.ts";
import { BlockBuffer, type RefillRule } from "../../../src/core/blocks/block-buffer.ts";
import { leftAt, takeBlocks } from "../../../src/core/blocks/take-blocks.ts";

const NOW_MS = 1_800_000_000_000;
const FRESH_MS = 250;

/** Always asks for one stock ahead. */
const EAGER: RefillRule = {
  countAt: () => 1000,
  isDue: ({ count }) => count < Infinity,
  ended: () => undefined,
  missed: () => undefined,
  answered: () => undefined,
};

function fill(buffer: BlockBuffer, blocks: readonly Block[]): boolean {
  const fetch = buffer.plan(NOW_MS, 1000);
  if (!fetch) return false;
  return buffer.fill(fetch, { blocks, shard: 0, askedAtMs: NOW_MS }, NOW_MS);
}

function holding(...blocks: Block[]): BlockBuffer {
  const buffer = new BlockBuffer(EAGER);
  expect(fill(buffer, blocks)).toBe(true);
  return buffer;
}

function idsOf(blocks: readonly Block[]): bigint[] {
  return blocks.flatMap((block) =>
    Array.from({ length: block.count }, (_, offset) => idAt(block, offset)),
  );
}

const TENS: Block = { first: 7n, count: 5, stride: 10 };
const BEYOND: Block = { first: 2n ** 53n + 1n, count: 5 };

describe("IDs taken from a buffer together", () => {
  it.each<[string, Block[], number, Block[]]>([
    ["one", [BEYOND], 1, [{ first: 2n ** 53n + 1n, count: 1 }]],
    ["some", [BEYOND], 3, [{ first: 2n ** 53n + 1n, count: 3 }]],
    ["all", [BEYOND], 5, [{ first: 2n ** 53n + 1n, count: 5 }]],
    ["some a delta apart", [TENS], 3, [{ first: 7n, count: 3, stride: 10 }]],
    ["all of two blocks", [BEYOND, TENS], 10, [BEYOND, TENS]],
    ["all of one and some of the other", [TENS, BEYOND], 7, [TENS, { ...BEYOND, count: 2 }]],
  ])("are %s", (_, blocks, count, taken) => {
    expect(takeBlocks(holding(...blocks), count, NOW_MS)).toStrictEqual(taken);
  });

  it("B1 continue after the last ones", () => {
    const buffer = holding(TENS);
    const taken = [2, 1, 2].flatMap((count) => takeBlocks(buffer, count, NOW_MS) ?? []);
    expect(idsOf(taken)).toEqual([7n, 17n, 27n, 37n, 47n]);
    expect(takeBlocks(buffer, 1, NOW_MS)).toBeUndefined();
    expect(takeBlocks(buffer, 2, NOW_MS)).toBeUndefined();
  });

  it("B1 continue in the prefetched stock", () => {
    const buffer = holding(TENS);
    expect(takeBlocks(buffer, 4, NOW_MS)).toHaveLength(1);
    expect(fill(buffer, [BEYOND])).toBe(true);
    const taken = takeBlocks(buffer, 4, NOW_MS) ?? [];
    expect(taken).toStrictEqual([
      { first: 47n, count: 1, stride: 10 },
      { first: 2n ** 53n + 1n, count: 3 },
    ]);
    expect(leftAt(buffer, NOW_MS)).toBe(2);
  });

  it.each([6, 7, 1_000_000])("are none if %d are requested and 5 are left", (count) => {
    const buffer = holding(BEYOND);
    expect(takeBlocks(buffer, count, NOW_MS)).toBeUndefined();
    expect(leftAt(buffer, NOW_MS)).toBe(5);
    expect(takeBlocks(buffer, 5, NOW_MS)).toStrictEqual([BEYOND]);
  });

  it.each([1, 2])("are none if %d are requested from an empty buffer", (count) => {
    expect(takeBlocks(new BlockBuffer(EAGER), count, NOW_MS)).toBeUndefined();
  });

  it("B2 are none if the stock is too old", () => {
    const buffer = new BlockBuffer(EAGER, FRESH_MS);
    expect(fill(buffer, [BEYOND])).toBe(true);
    expect(takeBlocks(buffer, 2, NOW_MS + FRESH_MS)).toHaveLength(1);
    expect(takeBlocks(buffer, 2, NOW_MS + FRESH_MS + 1)).toBeUndefined();
    expect(takeBlocks(buffer, 1, NOW_MS + FRESH_MS + 1)).toBeUndefined();
  });

  it("B1 are each ID once, in order, in any portions; as many as requested or none", () => {
    const anyBlocks = fc.array(
      fc.record({ count: fc.integer({ min: 1, max: 6 }), step: fc.constantFrom(1, 1, 3) }),
      { minLength: 1, maxLength: 4 },
    );
    const portions = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.array(anyBlocks, { maxLength: 5 }), portions, (stocks, counts) => {
        const buffer = new BlockBuffer(EAGER);
        const waiting = stocks.map((stock, index) =>
          stock.map((block, place) => ({ first: BigInt(index * 1000 + place * 100), ...block })),
        );
        const held: bigint[] = [];
        for (const count of counts) {
          const [next] = waiting;
          if (next && fill(buffer, next)) held.push(...idsOf(waiting.shift() ?? []));
          const blocks = takeBlocks(buffer, count, NOW_MS);
          const expected = held.length < count ? undefined : held.splice(0, count);
          expect(blocks && idsOf(blocks)).toEqual(expected);
          expect(leftAt(buffer, NOW_MS)).toBe(held.length);
        }
      }),
      { numRuns: 500 },
    );
  });
});
