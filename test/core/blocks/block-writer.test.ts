import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Block, blocksOf, type Grant } from "../../../src/core/blocks/block.ts";
import {
  bytesMax,
  type Surround,
  writeAscii,
  writeBlock,
} from "../../../src/core/blocks/block-writer.ts";
import { digitsOf, ENCODINGS, type Encoding, encode } from "../../../src/core/codec.ts";
import { compose } from "../../../src/core/layout/id.ts";
import { PRESETS } from "../../../src/core/layout/presets.ts";
import { MAX_ID } from "../../../src/core/limits.ts";

const RUNS = 300;
/** Fewer: each block is longer than the table of low digits. */
const LONG_RUNS = 8;
const LOW_SPAN_MAX = 10_000;

/** The value of bytes before they are written: not ASCII. */
const UNTOUCHED = 0xee;
const MARGIN = 64;

const LINE: Surround = { before: "", after: "\n" };
const anyAscii = fc.string({ unit: "binary-ascii", maxLength: 6 });
const anySurround: fc.Arbitrary<Surround> = fc.oneof(
  fc.constantFrom(LINE, { before: '"', after: '",' }, { before: "", after: "," }),
  fc.record({ before: anyAscii, after: anyAscii }),
);
const anyEncoding = fc.constantFrom(...ENCODINGS);

/** An ID just before or after a number that ends in zeros: the low digits carry there, or the length grows. */
function nearCarry(encoding: Encoding): fc.Arbitrary<bigint> {
  const radix = BigInt(digitsOf(encoding).length);
  return fc
    .tuple(fc.integer({ min: 1, max: 18 }), fc.bigInt(1n, radix * radix), fc.bigInt(-300n, 5n))
    .map(([zeros, high, offset]) => high * radix ** BigInt(zeros) + offset)
    .filter((id) => id >= 0n && id <= MAX_ID);
}

function anyFirst(encoding: Encoding): fc.Arbitrary<bigint> {
  return fc.oneof(
    fc.bigInt(0n, MAX_ID),
    fc.bigInt(0n, 20_000n),
    fc.bigInt(MAX_ID - 600n, MAX_ID),
    nearCarry(encoding),
  );
}

/** A block at that encoding's difficult numbers, cut at the last possible ID. */
function anyBlock(encoding: Encoding, countMax: number): fc.Arbitrary<Block> {
  return fc.tuple(anyFirst(encoding), fc.integer({ min: 1, max: countMax })).map(cut);
}

function cut([first, count]: readonly [bigint, number]): Block {
  const left = MAX_ID - first + 1n;
  return { first, count: left < BigInt(count) ? Number(left) : count };
}

function idsOf({ first, count, stride = 1 }: Block): bigint[] {
  return Array.from({ length: count }, (_, index) => first + BigInt(index) * BigInt(stride));
}

/** A block of IDs at a distance, cut at the last possible ID. */
function anySpaced(encoding: Encoding): fc.Arbitrary<Block> {
  const stride = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(10_000, 1_000_000));
  return fc
    .tuple(anyFirst(encoding), fc.integer({ min: 1, max: 100 }), stride)
    .map(([first, count, distance]) => {
      const fits = (MAX_ID - first) / BigInt(distance) + 1n;
      return { first, count: fits < BigInt(count) ? Number(fits) : count, stride: distance };
    });
}

function textOf(ids: readonly bigint[], encoding: Encoding, { before, after }: Surround): string {
  return ids.map((id) => before + encode(id, encoding) + after).join("");
}

/** Writes blocks one after another into the middle of a buffer; fails if any other byte changed. */
function written(blocks: readonly Block[], encoding: Encoding, surround: Surround): string {
  const room = bytesMax(blocks, encoding, surround);
  const memory = new Uint8Array(room + 4 * MARGIN).fill(UNTOUCHED);
  const target = memory.subarray(MARGIN, -MARGIN);
  let place = MARGIN;
  for (const block of blocks) place = writeBlock(target, place, block, encoding, surround);
  expect(place - MARGIN).toBeLessThanOrEqual(room);
  const untouched = [memory.subarray(0, 2 * MARGIN), memory.subarray(MARGIN + place)];
  expect(untouched.every((bytes) => bytes.every((byte) => byte === UNTOUCHED))).toBe(true);
  return new TextDecoder().decode(target.subarray(MARGIN, place));
}

describe("a block written as text", () => {
  it("equals its IDs written one by one, in every encoding and with every separator", () => {
    const anyCase = anyEncoding.chain((encoding) =>
      fc.tuple(fc.constant(encoding), anyBlock(encoding, 400), anySurround),
    );
    fc.assert(
      fc.property(anyCase, ([encoding, block, surround]) => {
        expect(written([block], encoding, surround)).toBe(textOf(idsOf(block), encoding, surround));
      }),
      { numRuns: RUNS },
    );
  });

  it.each(ENCODINGS)("in %s does so over more than one table of low digits", (encoding) => {
    const count = fc.integer({ min: LOW_SPAN_MAX, max: 2 * LOW_SPAN_MAX + 5 });
    fc.assert(
      fc.property(fc.tuple(anyFirst(encoding), count), anySurround, (place, surround) => {
        const block = cut(place);
        expect(
          written([block], encoding, surround) === textOf(idsOf(block), encoding, surround),
        ).toBe(true);
      }),
      { numRuns: LONG_RUNS },
    );
  });

  it("is followed by the next block without a gap", () => {
    const anyBlocks = fc.array(anyBlock("decimal", 40), { maxLength: 6 });
    fc.assert(
      fc.property(anyBlocks, anyEncoding, anySurround, (blocks, encoding, surround) => {
        const expected = textOf(blocks.flatMap(idsOf), encoding, surround);
        expect(written(blocks, encoding, surround)).toBe(expected);
      }),
      { numRuns: RUNS },
    );
  });

  it.each([1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 17, 18].map((nines) => 10n ** BigInt(nines)))(
    "crosses over to %s",
    (id) => {
      const block = { first: id - 3n, count: 6 };
      const lines = [-3n, -2n, -1n, 0n, 1n, 2n].map((offset) => `${id + offset}\n`);
      expect(written([block], "decimal", LINE)).toBe(lines.join(""));
    },
  );

  it.each(ENCODINGS)("in %s crosses every carry and every length", (encoding) => {
    const radix = BigInt(digitsOf(encoding).length);
    for (let id = radix; id <= MAX_ID; id *= radix) {
      for (const first of [id - 3n, 2n * id - 3n, (radix - 1n) * id - 3n]) {
        const block = cut([first > MAX_ID ? MAX_ID : first, 6]);
        expect(written([block], encoding, LINE)).toBe(textOf(idsOf(block), encoding, LINE));
      }
    }
  });

  it.each(ENCODINGS)("in %s ends at 2^63 − 1", (encoding) => {
    for (const count of [1, 2, 300]) {
      const block = { first: MAX_ID - BigInt(count) + 1n, count };
      const text = written([block], encoding, LINE);
      expect(text).toBe(textOf(idsOf(block), encoding, LINE));
      expect(text.endsWith(`${encode(MAX_ID, encoding)}\n`)).toBe(true);
    }
  });

  it.each(ENCODINGS)("in %s is not written if one of its IDs is invalid", (encoding) => {
    const target = new Uint8Array(LOW_SPAN_MAX).fill(UNTOUCHED);
    for (const [first, count] of [
      [MAX_ID, 2],
      [MAX_ID - 299n, 301],
      [MAX_ID + 1n, 1],
      [2n ** 64n, 1],
      [-1n, 1],
      [-3n, 10],
    ] as const) {
      const write = () => writeBlock(target, MARGIN, { first, count }, encoding, LINE);
      expect(write).toThrow(RangeError);
      expect(write).toThrow(`cannot write ${count} IDs from ${first} on`);
      expect(target.every((byte) => byte === UNTOUCHED)).toBe(true);
    }
  });

  it("of no IDs is empty", () => {
    for (const first of [1n, 20_000n, MAX_ID]) {
      expect(written([{ first, count: 0 }], "decimal", LINE)).toBe("");
    }
    expect(written([], "decimal", LINE)).toBe("");
  });
});

describe("a block of IDs at a distance", () => {
  it("equals its IDs written one by one, in every encoding and with every separator", () => {
    const anyCase = anyEncoding.chain((encoding) =>
      fc.tuple(fc.constant(encoding), anySpaced(encoding), anySurround),
    );
    fc.assert(
      fc.property(anyCase, ([encoding, block, surround]) => {
        expect(written([block], encoding, surround)).toBe(textOf(idsOf(block), encoding, surround));
      }),
      { numRuns: RUNS },
    );
  });

  it.each(ENCODINGS)("in %s is followed by the next block without a gap", (encoding) => {
    const blocks = [
      { first: 7n, count: 4, stride: 1000 },
      { first: 4000n, count: 2 },
      { first: 2n ** 53n + 1n, count: 3, stride: 2 },
    ];
    const expected = textOf(blocks.flatMap(idsOf), encoding, LINE);
    expect(written(blocks, encoding, LINE)).toBe(expected);
  });

  it.each(ENCODINGS)("in %s ends at 2^63 − 1", (encoding) => {
    const block = { first: MAX_ID - 300n, count: 101, stride: 3 };
    const text = written([block], encoding, LINE);
    expect(text).toBe(textOf(idsOf(block), encoding, LINE));
    expect(text.endsWith(`\n${encode(MAX_ID, encoding)}\n`)).toBe(true);
    const target = new Uint8Array(LOW_SPAN_MAX);
    const past = { ...block, count: 102 };
    expect(() => writeBlock(target, 0, past, encoding, LINE)).toThrow(RangeError);
    expect(() => bytesMax([past], encoding, LINE)).toThrow(RangeError);
  });
});

describe("the bytes reserved for blocks", () => {
  it.each<[string, readonly Block[], Surround, number]>([
    ["none", [], LINE, 0],
    ["one ID", [{ first: 7n, count: 1 }], LINE, 2],
    ["its longest ID, as often as there are IDs", [{ first: 8n, count: 3 }], LINE, 9],
    ["IDs at a distance", [{ first: 8n, count: 3, stride: 50 }], LINE, 12],
    ["its surround", [{ first: 10n, count: 3 }], { before: '"', after: '",' }, 15],
    [
      "all of them",
      [
        { first: 1n, count: 2 },
        { first: 100n, count: 1 },
      ],
      LINE,
      8,
    ],
    ["the largest ID", [{ first: MAX_ID, count: 1 }], LINE, 20],
  ])("are those for %s", (_, blocks, surround, bytes) => {
    expect(bytesMax(blocks, "decimal", surround)).toBe(bytes);
  });

  it("are none for an invalid ID", () => {
    expect(() => bytesMax([{ first: MAX_ID, count: 2 }], "hex", LINE)).toThrow(RangeError);
  });
});

describe("ASCII", () => {
  it("is written at its place, and not beyond", () => {
    const target = new Uint8Array(9).fill(UNTOUCHED);
    expect(writeAscii(target, 2, '{"ids"')).toBe(8);
    expect(new TextDecoder().decode(target.subarray(2, 8))).toBe('{"ids"');
    expect([target[0], target[1], target[8]]).toEqual([UNTOUCHED, UNTOUCHED, UNTOUCHED]);
    expect(writeAscii(target, 9, "")).toBe(9);
  });
});

const lanes = [...PRESETS].flatMap(([name, { layout }]) =>
  Array.from({ length: layout.laneCount }, (_, lane) => ({ name, lane, layout })),
);

describe("grants written as text", () => {
  it.each(lanes)("of $name, lane $lane, are the IDs of their positions", ({ lane, layout }) => {
    const { sequenceCount, tickCount, workerCount } = layout;
    const upTo = (most: number) => fc.integer({ min: 0, max: most });
    const anyGrant: fc.Arbitrary<Grant> = fc
      .tuple(
        fc.integer({ min: 1, max: tickCount - 1 }),
        upTo(100),
        fc.integer({ min: 1, max: 100 }),
      )
      .map(([tick, before, after]) => ({
        lane,
        start: tick * sequenceCount - before,
        end: tick * sequenceCount + after,
      }));
    const anyGrants = fc.array(anyGrant, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(anyGrants, upTo(workerCount - 1), anyEncoding, (grants, shard, encoding) => {
        const ids = grants.flatMap(({ start, end }) =>
          Array.from({ length: end - start }, (_, index) => {
            const position = start + index;
            const tick = Math.floor(position / sequenceCount);
            return compose(layout, { tick, shard, lane, sequence: position % sequenceCount });
          }),
        );
        const blocks = blocksOf(layout, shard, grants);
        expect(written(blocks, encoding, LINE)).toBe(textOf(ids, encoding, LINE));
      }),
      { numRuns: 30 },
    );
  });

  it.each(lanes)("of $name, lane $lane, may be whole ticks", ({ lane, layout }) => {
    const { sequenceCount, tickCount, workerCount } = layout;
    const start = Math.floor(tickCount / 3) * sequenceCount;
    const blocks = blocksOf(layout, workerCount - 1, [{ lane, start, end: start + sequenceCount }]);
    const ids = blocks.flatMap(idsOf);
    expect(ids).toHaveLength(sequenceCount);
    expect(written(blocks, "decimal", LINE) === textOf(ids, "decimal", LINE)).toBe(true);
  });
});
