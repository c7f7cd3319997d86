import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { idAt } from "../../../src/core/blocks/block.ts";
import { MAX_ID, SEGMENT_STEP_MAX } from "../../../src/core/limits.ts";
import {
  type Allocation,
  allocateCount,
  allocateWidth,
  blockOf,
  type Segment,
  type SegmentNumbers,
} from "../../../src/core/segment/segment.ts";

const RUNS = 500;
const SAFE_END = 2n ** 53n;

function numbersOf(change: Partial<SegmentNumbers> = {}): SegmentNumbers {
  return { start: 1n, max: MAX_ID, delta: 1, remainder: 0, ...change };
}

/** Every ID of a segment. */
function idsOf(numbers: SegmentNumbers, segment: Segment): bigint[] {
  const block = blockOf(numbers, segment);
  return block ? Array.from({ length: block.count }, (_, offset) => idAt(block, offset)) : [];
}

/** A segment as its ends, its first ID, how many there are, and its last one; the code of a refusal. */
function shown(numbers: SegmentNumbers, allocation: Allocation): readonly unknown[] | string {
  if (!allocation.ok) return allocation.refusal.code;
  const { segment } = allocation;
  const block = blockOf(numbers, segment);
  if (!block) throw new Error("G5 a segment without an ID");
  return [segment.from, segment.until, block.first, block.count, idAt(block, block.count - 1)];
}

type Row = readonly [
  title: string,
  change: Partial<SegmentNumbers>,
  maxId: bigint,
  asked: number,
  expected: readonly [bigint, bigint, bigint, number, bigint] | "exhausted",
];

const ODD = { delta: 2, remainder: 1 };
const SEVENS = { delta: 10, remainder: 7 };
const WIDEST = { delta: SEGMENT_STEP_MAX, remainder: SEGMENT_STEP_MAX - 1 };

describe("the next numbers of a width", () => {
  it.each<Row>([
    ["from the start", {}, 1n, 1000, [1n, 1001n, 1n, 1000, 1000n]],
    ["from 0", { start: 0n }, 0n, 10, [0n, 10n, 0n, 10, 9n]],
    ["one number", {}, 5n, 1, [5n, 6n, 5n, 1, 5n]],
    ["the longest", {}, 1n, SEGMENT_STEP_MAX, [1n, 1_000_001n, 1n, 1_000_000, 1_000_000n]],
    ["every other one", ODD, 1n, 10, [1n, 11n, 1n, 5, 9n]],
    ["from between two IDs", SEVENS, 8n, 20, [8n, 28n, 17n, 2, 27n]],
    ["from an ID on", SEVENS, 7n, 10, [7n, 17n, 7n, 1, 7n]],
    ["from after an ID", SEVENS, 8n, 10, [8n, 18n, 17n, 1, 17n]],
    ["a remainder of 0", { delta: 10 }, 1n, 30, [1n, 31n, 10n, 3, 30n]],
    ["the widest delta", WIDEST, 1n, SEGMENT_STEP_MAX, [1n, 1_000_001n, 999_999n, 1, 999_999n]],
    [
      "across 2^53",
      {},
      SAFE_END - 1n,
      4,
      [SAFE_END - 1n, SAFE_END + 3n, SAFE_END - 1n, 4, SAFE_END + 2n],
    ],
    // 2^53 mod 10 is 2.
    [
      "a delta beyond 2^53",
      SEVENS,
      SAFE_END + 1n,
      10,
      [SAFE_END + 1n, SAFE_END + 11n, SAFE_END + 5n, 1, SAFE_END + 5n],
    ],
    ["fewer if max comes first", { max: 12n }, 8n, 1000, [8n, 13n, 8n, 5, 12n]],
    ["just up to max", { max: 12n }, 8n, 5, [8n, 13n, 8n, 5, 12n]],
    ["max alone", { max: 12n }, 12n, 5, [12n, 13n, 12n, 1, 12n]],
    ["nothing past max", { max: 12n }, 13n, 5, "exhausted"],
    ["nothing if no ID is left up to max", { ...SEVENS, max: 26n }, 18n, 10, "exhausted"],
    ["nothing past a max that was lowered", { max: 12n }, 500n, 5, "exhausted"],
    ["2^63 − 1", {}, MAX_ID, 1000, [MAX_ID, MAX_ID + 1n, MAX_ID, 1, MAX_ID]],
    ["nothing past 2^63 − 1", {}, MAX_ID + 1n, 1000, "exhausted"],
    // 2^63 − 1 mod 10 is 7.
    [
      "2^63 − 1 as the last of its remainder",
      SEVENS,
      MAX_ID - 9n,
      1000,
      [MAX_ID - 9n, MAX_ID + 1n, MAX_ID, 1, MAX_ID],
    ],
  ])("G1 G2 G4 are %s", (_, change, maxId, width, expected) => {
    const numbers = numbersOf(change);
    expect(shown(numbers, allocateWidth(numbers, maxId, width))).toEqual(expected);
  });

  it("G4 a refusal says that no number is left up to max", () => {
    const numbers = numbersOf({ max: 12n });
    const refused = allocateWidth(numbers, 13n, 5);
    expect(refused).toMatchObject({ ok: false, refusal: { code: "exhausted" } });
    expect(refused).toMatchObject({
      refusal: { detail: expect.stringMatching(/No number.* 12\./) },
    });
    expect(refused).not.toHaveProperty("refusal.retryAfterMs");
  });
});

describe("the next IDs of a count", () => {
  it.each<Row>([
    ["one", {}, 1n, 1, [1n, 2n, 1n, 1, 1n]],
    ["a million", {}, 1n, 1_000_000, [1n, 1_000_001n, 1n, 1_000_000, 1_000_000n]],
    ["one of its remainder", SEVENS, 1n, 1, [1n, 8n, 7n, 1, 7n]],
    ["the next one after it", SEVENS, 8n, 1, [8n, 18n, 17n, 1, 17n]],
    ["no more than asked for", SEVENS, 8n, 3, [8n, 38n, 17n, 3, 37n]],
    [
      "a million at the widest delta",
      WIDEST,
      1n,
      1_000_000,
      [1n, 1_000_000_000_000n, 999_999n, 1_000_000, 999_999_999_999n],
    ],
    [
      "across 2^53",
      {},
      SAFE_END - 1n,
      3,
      [SAFE_END - 1n, SAFE_END + 2n, SAFE_END - 1n, 3, SAFE_END + 1n],
    ],
    ["all that are left", { max: 12n }, 8n, 5, [8n, 13n, 8n, 5, 12n]],
    ["none if one is missing", { max: 12n }, 8n, 6, "exhausted"],
    ["none past max", { max: 12n }, 13n, 1, "exhausted"],
    ["none past a max that was lowered", { max: 12n }, 500n, 1, "exhausted"],
    ["all of a remainder", { ...SEVENS, max: 27n }, 8n, 2, [8n, 28n, 17n, 2, 27n]],
    ["none if max is one too low", { ...SEVENS, max: 26n }, 8n, 2, "exhausted"],
    ["2^63 − 1", {}, MAX_ID, 1, [MAX_ID, MAX_ID + 1n, MAX_ID, 1, MAX_ID]],
    ["none past 2^63 − 1", {}, MAX_ID, 2, "exhausted"],
    ["none if all were issued", {}, MAX_ID + 1n, 1, "exhausted"],
  ])("G3 G4 are %s", (_, change, maxId, count, expected) => {
    const numbers = numbersOf(change);
    expect(shown(numbers, allocateCount(numbers, maxId, count))).toEqual(expected);
  });

  it("G4 a refusal says that fewer are left up to max", () => {
    const numbers = numbersOf({ max: 12n });
    const refused = allocateCount(numbers, 11n, 3);
    expect(refused).toMatchObject({
      refusal: { detail: expect.stringMatching(/Fewer than 3.* 12\./) },
    });
    expect(allocateCount(numbers, 13n, 1)).toMatchObject({
      refusal: { detail: expect.stringMatching(/No number.* 12\./) },
    });
  });
});

describe("the block of a segment", () => {
  it.each([
    ["one number apart", numbersOf(), { first: 8n, count: 20 }],
    ["a delta apart", numbersOf(SEVENS), { first: 17n, count: 2, stride: 10 }],
    ["none at all", numbersOf({ delta: 100 }), undefined],
  ])("has its IDs %s", (_, numbers, block) => {
    expect(blockOf(numbers, { from: 8n, until: 28n })).toStrictEqual(block);
  });
});

interface Request {
  readonly kind: "width" | "count";
  readonly asked: number;
}

/** A short line of numbers, anywhere from 0 to 2^63 − 1, and its requests. */
const anyScript = fc
  .record({
    base: fc.oneof(
      fc.constantFrom(0n, 1n, SAFE_END - 30n, MAX_ID - 300n),
      fc.bigInt(0n, MAX_ID - 300n),
    ),
    length: fc.integer({ min: 0, max: 300 }),
    delta: fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 40 })),
    remainder: fc.nat(39),
    requests: fc.array(
      fc.record({
        kind: fc.constantFrom<Request["kind"]>("width", "count"),
        asked: fc.integer({ min: 1, max: 60 }),
      }),
      { maxLength: 30 },
    ),
  })
  .map(({ base, length, delta, remainder, requests }) => ({
    numbers: { start: base, max: base + BigInt(length), delta, remainder: remainder % delta },
    requests,
  }));

/** The numbers that may be issued from maxId on, found by checking each number. */
function walked({ max, delta, remainder }: SegmentNumbers, maxId: bigint): bigint[] {
  const ids: bigint[] = [];
  for (let n = maxId; n <= max; n += 1n) {
    if (n % BigInt(delta) === BigInt(remainder)) ids.push(n);
  }
  return ids;
}

/** remainder + k × delta, for the least k that reaches maxId. */
function firstAtOrAbove({ delta, remainder }: SegmentNumbers, maxId: bigint): bigint {
  const distance = BigInt(delta);
  const missing = maxId - BigInt(remainder);
  const steps = missing <= 0n ? 0n : (missing + distance - 1n) / distance;
  return BigInt(remainder) + steps * distance;
}

describe("the allocator under random requests", () => {
  it("G1 G2 G3 G4 G5 gives the numbers that counting one by one gives", () => {
    fc.assert(
      fc.property(anyScript, ({ numbers, requests }) => {
        let maxId = numbers.start;
        for (const { kind, asked } of requests) {
          const left = walked(numbers, maxId);
          // A step holds one ID at least: no namespace has a shorter one.
          const width = Math.max(asked, numbers.delta);
          const expected =
            kind === "width"
              ? left.filter((n) => n < maxId + BigInt(width))
              : left.slice(0, left.length < asked ? 0 : asked);
          const allocate = kind === "width" ? allocateWidth : allocateCount;
          const allocation = allocate(numbers, maxId, kind === "width" ? width : asked);
          expect(allocation.ok, "G5 refused only where there is no ID").toBe(expected.length > 0);
          if (!allocation.ok) continue;
          const { segment } = allocation;
          expect(idsOf(numbers, segment)).toEqual(expected);
          expect(segment.from, "G1 begins at maxId").toBe(maxId);
          const last = expected.at(-1) ?? 0n;
          const end = maxId + BigInt(width);
          const widthEnd = end > numbers.max ? numbers.max + 1n : end;
          expect(segment.until, "G1 G3").toBe(kind === "count" ? last + 1n : widthEnd);
          maxId = segment.until;
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("G1 G2 G4 G5 hold for numbers of any size", () => {
    const anyNumbers = fc
      .tuple(fc.bigInt(0n, MAX_ID), fc.bigInt(0n, MAX_ID), fc.integer({ min: 1, max: 1_000_000 }))
      .chain(([one, other, delta]) => {
        const [start, max] = one < other ? [one, other] : [other, one];
        return fc.record({
          numbers: fc.nat(delta - 1).map((remainder) => ({ start, max, delta, remainder })),
          maxId: fc.bigInt(start, max + 1n),
          width: fc.integer({ min: delta, max: 1_000_000 }),
        });
      });
    fc.assert(
      fc.property(anyNumbers, ({ numbers, maxId, width }) => {
        const allocation = allocateWidth(numbers, maxId, width);
        if (!allocation.ok) {
          expect(firstAtOrAbove(numbers, maxId), "G5 none is left").toBeGreaterThan(numbers.max);
          return;
        }
        const { from, until } = allocation.segment;
        expect(from).toBe(maxId);
        expect(until <= numbers.max + 1n && until <= maxId + BigInt(width)).toBe(true);
        const block = blockOf(numbers, allocation.segment);
        if (!block) throw new Error("G5 a segment without an ID");
        const last = idAt(block, block.count - 1);
        expect(block.first).toBe(firstAtOrAbove(numbers, from));
        expect(last, "G2 in the segment").toBeLessThan(until);
        expect(firstAtOrAbove(numbers, last + 1n), "none left out").toBe(
          last + BigInt(block.stride ?? 1),
        );
        expect(last + BigInt(block.stride ?? 1)).toBeGreaterThanOrEqual(until);
      }),
      { numRuns: RUNS },
    );
  });

  it("G4 after max is raised, numbers continue at maxId", () => {
    const lowered = numbersOf({ max: 10n });
    expect(allocateWidth(lowered, 21n, 5).ok).toBe(false);
    const raised = numbersOf({ max: 22n });
    expect(shown(raised, allocateWidth(raised, 21n, 5))).toEqual([21n, 23n, 21n, 2, 22n]);
  });
});
