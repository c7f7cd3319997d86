/** Isolates on one segment object, each beside a model of what it should hold; every step is checked. */
import fc from "fast-check";
import { expect } from "vitest";
import { type Block, idAt } from "../../../src/core/blocks/block.ts";
import { BlockBuffer, CLAIM_LAPSES_MS, type Fetch } from "../../../src/core/blocks/block-buffer.ts";
import { takeBlocks } from "../../../src/core/blocks/take-blocks.ts";
import { MAX_ID, SEGMENT_STEP_MAX } from "../../../src/core/limits.ts";
import {
  allocateCount,
  allocateWidth,
  blockOf,
  type Segment,
  type SegmentNumbers,
} from "../../../src/core/segment/segment.ts";
import { SegmentDemand } from "../../../src/core/segment/segment-demand.ts";

const NOW_MS = 1_800_000_000_000;
const MINUTE_MS = 60_000;
const ISOLATES = 3;

type Action =
  /** "some": as many as `many`; "tenth": until a tenth is used; "left": all but `many`. */
  | { readonly kind: "take"; readonly upTo: "some" | "tenth" | "left"; readonly many: number }
  /** Counted back: 0 is the fetch planned last. Answered again, it brings the same. */
  | { readonly kind: "answer"; readonly fetch: number }
  | { readonly kind: "clock"; readonly stepMs: number }
  | { readonly kind: "reach" | "evict" | "restart" }
  | { readonly kind: "namespaceStep"; readonly step: number };

interface Taken {
  readonly first: bigint;
  readonly last: bigint;
}

/** The one object: a segment is on disk before it leaves, and a restart knows what is on disk only. */
class Allocator {
  readonly numbers: SegmentNumbers;
  #disk: string | undefined;
  #maxId: bigint;
  #end: bigint;

  constructor(numbers: SegmentNumbers) {
    this.numbers = numbers;
    this.#maxId = numbers.start;
    this.#end = numbers.start;
  }

  restart(): void {
    this.#maxId = this.#disk === undefined ? this.numbers.start : BigInt(this.#disk);
  }

  give(allocate: typeof allocateWidth, asked: number): Segment | undefined {
    const allocation = allocate(this.numbers, this.#maxId, asked);
    if (!allocation.ok) return undefined;
    const { from, until } = allocation.segment;
    expect(from, "G1 begins where all before it ended").toBe(this.#end);
    expect(until > from && until <= this.numbers.max + 1n, "G1 G4").toBe(true);
    this.#disk = `${until}`;
    this.#maxId = until;
    this.#end = until;
    return allocation.segment;
  }
}

/** The IDs of a segment that an isolate holds: the first one found by walking. */
class Held {
  readonly #delta: bigint;
  readonly #until: bigint;
  #next: bigint;
  readonly count: number;
  used = 0;

  constructor({ delta, remainder }: SegmentNumbers, { from, until }: Segment) {
    this.#delta = BigInt(delta);
    this.#until = until;
    this.#next = from;
    while (this.#next % this.#delta !== BigInt(remainder)) this.#next += 1n;
    this.count = Number((until - this.#next + this.#delta - 1n) / this.#delta);
  }

  get left(): number {
    return this.count - this.used;
  }

  take(many: number): Taken {
    const first = this.#next;
    this.#next += BigInt(many) * this.#delta;
    this.used += many;
    const last = this.#next - this.#delta;
    expect(last, "in its segment").toBeLessThan(this.#until);
    return { first, last };
  }
}

interface Asked {
  readonly fetch: Fetch;
  readonly count: number;
  readonly atMs: number;
  segment?: Segment | undefined;
}

/** Leaf's rule in its own words: from the third fetch on, by the time since the last one. */
function stepByRule(fetches: readonly Asked[], namespaceStep: number, nowMs: number): number {
  const last = fetches.at(-1);
  if (!last || fetches.length < 2) return namespaceStep;
  const minutes = (nowMs - last.atMs) / MINUTE_MS;
  if (minutes < 15) return last.count * 2 <= 1_000_000 ? last.count * 2 : last.count;
  if (minutes < 30) return last.count;
  const half = Math.floor(last.count / 2);
  return half >= namespaceStep ? half : last.count;
}

/** One isolate with a clock of its own, beside what it should hold. */
class Isolate {
  readonly #allocator: Allocator;
  readonly #demand: SegmentDemand;
  readonly #buffer: BlockBuffer;
  nowMs: number;
  #inUse: Held | undefined;
  #ahead: Held | undefined;
  readonly #asked: Asked[] = [];
  readonly #answered: Asked[] = [];

  constructor(allocator: Allocator, namespaceStep: number, nowMs: number) {
    this.#allocator = allocator;
    this.#demand = new SegmentDemand(namespaceStep);
    this.#buffer = new BlockBuffer(this.#demand);
    this.nowMs = nowMs;
  }

  /** As the service does: from the buffer; else from a fetch into it, if a segment is enough; else from the object. */
  take({ upTo, many }: Extract<Action, { kind: "take" }>, namespaceStep: number): Taken[] {
    this.#demand.namespaceStep = namespaceStep;
    const { count = 0, used = 0 } = this.#inUse ?? {};
    const all = (this.#inUse?.left ?? 0) + (this.#ahead?.left ?? 0);
    const wished = { some: many, tenth: Math.floor(count / 10) - used, left: all - many }[upTo];
    const wanted = Math.max(1, wished);
    const blocks = takeBlocks(this.#buffer, wanted, this.nowMs);
    const expected = wanted <= all ? this.#expected(wanted) : undefined;
    const taken = blocks?.map(takenOf);
    expect(taken).toEqual(expected);
    if (taken || wanted <= namespaceStep) this.#plan(namespaceStep);
    return taken ?? this.#exact(wanted);
  }

  /** The result of a fetch, which may have reached the object long ago. */
  answer(fetch: number): void {
    const asked = this.#asked.at(-1 - fetch);
    if (!asked) return;
    asked.segment ??= this.#allocator.give(allocateWidth, asked.count);
    const block = asked.segment && blockOf(this.#allocator.numbers, asked.segment);
    if (!asked.segment || !block) return;
    const isExpected = fetch === 0 && !this.#answered.includes(asked);
    const lease = { blocks: [block], shard: 0, askedAtMs: asked.atMs };
    expect(this.#buffer.fill(asked.fetch, lease, this.nowMs), "B1 B3").toBe(isExpected);
    if (!isExpected) return;
    expect(this.#ahead, "B4").toBeUndefined();
    this.#ahead = new Held(this.#allocator.numbers, asked.segment);
    this.#answered.push(asked);
  }

  /** The open fetches reach the object now; their responses may come later, or never. */
  reach(): void {
    const asked = this.#asked.at(-1);
    if (asked) asked.segment ??= this.#allocator.give(allocateWidth, asked.count);
  }

  #expected(count: number): Taken[] {
    const taken: Taken[] = [];
    for (let missing = count; missing > 0; ) {
      if (!this.#inUse?.left) {
        this.#inUse = this.#ahead;
        this.#ahead = undefined;
      }
      if (!this.#inUse) throw new Error("there are fewer than counted");
      const many = Math.min(missing, this.#inUse.left);
      taken.push(this.#inUse.take(many));
      missing -= many;
    }
    return taken;
  }

  #plan(namespaceStep: number): void {
    const last = this.#asked.at(-1);
    const sinceMs = this.nowMs - (last?.atMs ?? -Infinity);
    const isOpen = last !== undefined && !this.#answered.includes(last);
    const isClaimed = isOpen && sinceMs >= 0 && sinceMs < CLAIM_LAPSES_MS;
    const isDue = !this.#inUse || this.#inUse.used / this.#inUse.count > 0.1;
    const step = stepByRule(this.#answered, namespaceStep, this.nowMs);
    const fetch = this.#buffer.plan(this.nowMs, SEGMENT_STEP_MAX);
    const isExpected = isDue && !isClaimed && !this.#ahead;
    expect(fetch?.count, "the step of each fetch").toBe(isExpected ? step : undefined);
    if (fetch) this.#asked.push({ fetch, count: fetch.count, atMs: this.nowMs });
  }

  #exact(count: number): Taken[] {
    const { numbers } = this.#allocator;
    const segment = this.#allocator.give(allocateCount, count);
    const block = segment && blockOf(numbers, segment);
    if (!block) return [];
    expect(block.count, "G3").toBe(count);
    return [takenOf(block)];
  }
}

function takenOf(block: Block): Taken {
  return { first: block.first, last: idAt(block, block.count - 1) };
}

const between = (min: number, max: number) => fc.integer({ min, max });

const anyClockStep = fc.oneof(
  { weight: 3, arbitrary: between(0, 2000) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...[15, 30].flatMap((m) => [-1, 0, 1].map((ms) => m * MINUTE_MS + ms)),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(-1, -1000, -15 * MINUTE_MS, -86_400_000, 86_400_000) },
);

const anyAction: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant("take" as const),
      upTo: fc.constantFrom("some" as const, "tenth" as const, "left" as const),
      many: fc.oneof(between(0, 3), between(0, 200)),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("answer" as const),
      fetch: fc.oneof(
        { weight: 5, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: between(1, 3) },
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("clock" as const), stepMs: anyClockStep }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("reach" as const, "evict" as const, "restart" as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("namespaceStep" as const),
      step: fc.constantFrom(20, 21, 100, 999, 500_000),
    }),
  },
);

export const anyNumbers: fc.Arbitrary<SegmentNumbers> = fc
  .record({
    start: fc.constantFrom(0n, 1n, 2n ** 53n - 99n, MAX_ID - 5_000_000n),
    length: fc.constantFrom(300n, 20_000n, 3_000_000n, MAX_ID, MAX_ID, MAX_ID),
    delta: fc.oneof(fc.constant(1), between(2, 20)),
    remainder: fc.nat(19),
  })
  .map(({ start, length, delta, remainder }) => {
    const max = start + length;
    return { start, max: max > MAX_ID ? MAX_ID : max, delta, remainder: remainder % delta };
  });

/** Steps around which doubling ends, and short ones. None is shorter than a delta. */
export const anyStep = fc.constantFrom(20, 21, 1000, 125_000, 250_001, 500_000, 500_001, 1_000_000);

/** An event and its isolate. */
export const anyScript = fc.array(fc.tuple(fc.nat(ISOLATES - 1), anyAction), {
  maxLength: 120,
  size: "max",
});

/** Runs a script; all that was taken, in the order of its numbers. */
export function runSegments(
  numbers: SegmentNumbers,
  step: number,
  script: readonly [number, Action][],
): Taken[] {
  const allocator = new Allocator(numbers);
  let namespaceStep = step;
  const isolates = Array.from({ length: ISOLATES }, () => new Isolate(allocator, step, NOW_MS));
  const taken: Taken[] = [];
  for (const [place, action] of script) {
    const isolate = isolates[place];
    if (!isolate) throw new RangeError("no such isolate");
    if (action.kind === "take") taken.push(...isolate.take(action, namespaceStep));
    if (action.kind === "answer") isolate.answer(action.fetch);
    if (action.kind === "reach") isolate.reach();
    if (action.kind === "clock") isolate.nowMs += action.stepMs;
    if (action.kind === "restart") allocator.restart();
    if (action.kind === "namespaceStep") namespaceStep = action.step;
    if (action.kind === "evict") {
      isolates[place] = new Isolate(allocator, namespaceStep, isolate.nowMs);
    }
  }
  return taken.sort((one, other) => (one.first < other.first ? -1 : 1));
}
