/** Numbers from the isolate's double buffer, with Leaf's rules: when a segment is fetched, how long it is, what fails. */
import { describe, expect, it } from "vitest";
import { CLAIM_LAPSES_MS } from "../../../src/core/blocks/block-buffer.ts";
import { SEGMENT_STEP_MAX } from "../../../src/core/limits.ts";
import { SEGMENT_LASTS_MS } from "../../../src/core/segment/segment-demand.ts";
import type { Placement } from "../../../src/service/calls/pick-shard.ts";
import { clock, useClock } from "../../support/clock.ts";
import {
  allocator,
  heldSegments,
  holderOf,
  STEP,
  someNamespace,
} from "../../support/models/number-holder.ts";
import { recordedSegments } from "../../support/recorded/recorded-segments.ts";
import { numbersFrom } from "../../support/segments.ts";

useClock();

const overloaded = () => Object.assign(new Error("overloaded"), { overloaded: true });

/** Long enough for everything that waits for nothing outside. */
const settled = () => scheduler.wait(1);

describe("a lone isolate", () => {
  it("gets start, start + 1 and so on, all but the first from memory", async () => {
    const { segments, asked } = recordedSegments();
    const { take, works } = holderOf(segments, someNamespace({ start: "500" }));
    expect(await take()).toEqual({ ids: [500n], fromMemory: false });
    expect(asked()).toEqual([["nextSegment", STEP]]);
    expect(await take()).toEqual({ ids: [501n], fromMemory: true });
    expect(await take(5)).toEqual({ ids: numbersFrom(502, 5), fromMemory: true });
    for (let id = 507n; id < 1507n; id += 1n) {
      expect(await take()).toEqual({ ids: [id], fromMemory: true });
      await Promise.all(works);
    }
    expect(asked().every(([method]) => method === "nextSegment")).toBe(true);
  });

  it("gets a batch from memory also across two segments", async () => {
    const { segments, asked } = recordedSegments();
    const { take, works } = holderOf(segments, someNamespace({ delta: 10, remainder: 3 }));
    // 10 IDs a segment: the second is fetched once two of the first are used.
    const ids = [...(await take(8)).ids, ...(await take(1)).ids];
    await Promise.all(works);
    const across = await take(8);
    expect(across.fromMemory).toBe(true);
    ids.push(...across.ids);
    expect(ids).toEqual(Array.from({ length: 17 }, (_, index) => BigInt(3 + index * 10)));
    // The same request fetches the third, because it used most of the second.
    expect(asked()).toEqual([
      ["nextSegment", STEP],
      ["nextSegment", STEP],
      ["nextSegment", 2 * STEP],
    ]);
  });

  it.each([STEP + 1, 5000])(
    "a count above the step comes straight from the object: %d",
    async (count) => {
      const { segments, asked } = heldSegments();
      const { take, works } = holderOf(segments);
      expect((await take(count)).ids).toEqual(numbersFrom(1, count));
      expect(asked()).toEqual([["nextNumbers", count]]);
      expect(works).toEqual([]);
    },
  );

  it.each<[string, Placement]>([
    ["order=strict", { strict: true }],
    ["key", { strict: false, orderingKey: "a" }],
    ["shard", { strict: false, shard: 0 }],
    ["an Idempotency-Key", { strict: false, idempotencyKey: "admin k" }],
  ])("%s comes from the object, not from memory", async (_, placement) => {
    const { segments, asked, calls } = heldSegments();
    const { take } = holderOf(segments);
    await take();
    expect(await take(3, placement)).toEqual({ ids: numbersFrom(101, 3), fromMemory: false });
    expect(asked()).toEqual([
      ["nextSegment", STEP],
      ["nextNumbers", 3],
    ]);
    expect(calls[1]?.key).toBe(placement.idempotencyKey ?? "");
    expect(await take()).toEqual({ ids: [2n], fromMemory: true });
  });
});

describe("the next segment", () => {
  it("is fetched after more than a tenth of one is used: one fetch, in the background", async () => {
    const { segments, asked, held } = heldSegments();
    const { times, take, works } = holderOf(segments);
    await times(10);
    expect(asked()).toHaveLength(1);
    const [first] = works;
    await first;
    expect(works).toHaveLength(1);
    expect((await take()).fromMemory).toBe(true);
    await times(50);
    expect(asked()).toHaveLength(2);
    expect(works).toHaveLength(2);
    held[0]?.give();
    await Promise.all(works);
    await times(39);
    // The second is in memory, so the third is not fetched before a tenth of it is used.
    expect(asked()).toHaveLength(2);
    expect(await times(11)).toEqual(numbersFrom(101, 11));
    expect(asked()).toHaveLength(3);
  });

  it.each([
    ["refused", 1],
    ["failed, twice", 2],
  ])(
    "that is %s fails no request, and is not requested again within its claim",
    async (_, tries) => {
      const { segments, asked, held } = heldSegments();
      const { times, works } = holderOf(segments);
      await times(11);
      if (tries === 1) held[0]?.refuse("exhausted");
      for (let failed = 0; failed < tries; failed += 1) {
        held[failed]?.fail(new Error("broken"));
        await settled();
      }
      expect(await times(20)).toEqual(numbersFrom(12, 20));
      expect(asked()).toHaveLength(1 + tries);
      clock.step(CLAIM_LAPSES_MS);
      expect(await times(1)).toEqual([32n]);
      expect(asked()).toHaveLength(2 + tries);
      held[tries]?.give();
      // None of the works failed either.
      await Promise.all(works);
    },
  );

  it("that hangs delays no request: the rest is issued, then each request calls the object", async () => {
    const { segments, asked, held } = heldSegments();
    const { times, take } = holderOf(segments);
    expect(await times(100)).toEqual(numbersFrom(1, 100));
    expect((await take()).ids).toEqual([101n]);
    expect((await take(4)).ids).toEqual(numbersFrom(102, 4));
    expect(asked()).toEqual([
      ["nextSegment", STEP],
      ["nextSegment", STEP],
      ["nextNumbers", 1],
      ["nextNumbers", 4],
    ]);
    held[0]?.give();
    await settled();
    expect(await take()).toEqual({ ids: [106n], fromMemory: true });
  });

  it("that comes late is used, unless another was requested", async () => {
    const { segments, held } = heldSegments();
    const { times, take } = holderOf(segments);
    await times(11);
    clock.step(CLAIM_LAPSES_MS * 60);
    await times(1);
    expect(held).toHaveLength(2);
    held[0]?.give();
    held[1]?.give();
    await settled();
    await times(88);
    // 101 to 200 were the first's, which is a gap.
    expect((await take()).ids).toEqual([201n]);
  });

  it("of an empty stock is awaited by the request that fetched it; others call the object", async () => {
    const { segments, asked, held } = heldSegments(0);
    const { take, works } = holderOf(segments);
    const first = take();
    const others = await Promise.all([take(), take(3), take(STEP + 1)]);
    expect(others.flatMap(({ ids }) => ids)).toEqual(numbersFrom(1, 105));
    expect(asked().map(([method]) => method)).toEqual([
      "nextSegment",
      "nextNumbers",
      "nextNumbers",
      "nextNumbers",
    ]);
    // The request that fetched may be cancelled meanwhile.
    expect(works).toHaveLength(1);
    held[0]?.give();
    expect((await first).ids).toEqual([106n]);
    expect(await take()).toEqual({ ids: [107n], fromMemory: true });
  });

  it("of an empty stock that is refused or fails decides the response of the request that fetched it", async () => {
    const { segments, held, asked } = heldSegments(0);
    const refused = holderOf(segments).take();
    const failed = holderOf(segments).take();
    held[0]?.refuse("exhausted");
    held[1]?.fail(overloaded());
    await expect(refused).rejects.toThrow("exhausted");
    await expect(failed).rejects.toThrow("shard_overloaded");
    expect(asked()).toHaveLength(2);
  });
});

describe("the step", () => {
  /** The widths of a holder that uses up one segment after the other, so far apart each. */
  async function widthsOf(gapsMs: readonly number[], step: number): Promise<unknown[]> {
    const { segments, asked } = recordedSegments(async (call) => allocate(call));
    const allocate = allocator();
    const { take } = holderOf(segments, someNamespace({ step }));
    await take();
    for (const gapMs of gapsMs) {
      clock.step(gapMs);
      const before = asked().length;
      while (asked().length === before) await take(step / 10);
      await settled();
    }
    expect(asked().every(([method]) => method === "nextSegment")).toBe(true);
    return asked().map(([, width]) => width);
  }

  it("doubles below 15 min, stays below 30 min, halves from then on, never below the namespace's step", async () => {
    const short = SEGMENT_LASTS_MS - 1;
    const long = 2 * SEGMENT_LASTS_MS;
    const gaps = [short, short, short, SEGMENT_LASTS_MS, long - 1, long, long, long, 1];
    expect(await widthsOf(gaps, 100)).toEqual([100, 100, 200, 400, 400, 400, 200, 100, 100, 200]);
  });

  it("stops doubling at the largest step", async () => {
    const widths = await widthsOf([1000, 1000, 1000], 300_000);
    expect(widths).toEqual([300_000, 300_000, 600_000, 600_000]);
    expect(Math.max(...widths.map(Number))).toBeLessThanOrEqual(SEGMENT_STEP_MAX);
  });

  it("of the namespace, if changed, applies from the next fetch on", async () => {
    const { segments, asked } = heldSegments(2);
    const { take, namespace } = holderOf(segments);
    await take();
    const changed = holderOf(segments, someNamespace({ step: 40 }, namespace.name));
    await changed.take(11);
    expect(asked()).toEqual([
      ["nextSegment", STEP],
      ["nextSegment", 40],
    ]);
  });
});
