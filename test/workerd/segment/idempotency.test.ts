/** Idempotency-Key on segments: the same key gets the same numbers again (D6 of objects/segments). */
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { IDEMPOTENCY_KEPT_MS } from "../../../src/core/limits.ts";
import { ask, keyFor, put } from "../../support/admin.ts";
import { clock, START_MS, useClock } from "../../support/clock.ts";
import { keysKept, numbersOf, refusalOf, someSegment } from "../../support/numbers.ts";
import {
  breakWrites,
  evict,
  maxIdOf,
  moveBehind,
  numbersFrom,
  segmentsOf,
  specOf,
} from "../../support/segments.ts";

useClock();

describe("D6 the same key", () => {
  it("gets the same numbers on /v1/ids and /v1/blocks, as JSON and text, after an eviction too", async () => {
    const name = await someSegment({ delta: 3, remainder: 2 });
    const first = await numbersOf(`/v1/ids/${name}?count=4`, { key: "order-1" });
    expect(first).toEqual([2n, 5n, 8n, 11n]);
    expect(await numbersOf(`/v1/ids/${name}?count=4`)).not.toEqual(first);
    for (const restarted of [false, true]) {
      if (restarted) await evict(name);
      for (const path of [
        `/v1/ids/${name}?count=4`,
        `/v1/ids/${name}?count=4&format=text`,
        `/v1/ids/${name}?count=4&order=strict`,
        `/v1/ids/${name}?count=4&key=a`,
        `/v1/ids/${name}?count=4&shard=0`,
        `/v1/blocks/${name}?count=4`,
      ]) {
        expect(await numbersOf(path, { key: "order-1" })).toEqual(first);
      }
    }
    const { body } = await ask(`/v1/shards/${name}/0`);
    expect(body.counters).toMatchObject({ exact: 1, repeats: 6 });
  });

  it.each([
    ["/v1/ids/NAME?count=25000&format=text", 25_000],
    ["/v1/blocks/NAME?count=100000", 100_000],
    ["/v1/ids/NAME", 1],
  ])("%s: the same numbers again, and no number is lost", async (of, count) => {
    const name = await someSegment();
    const path = of.replace("NAME", name);
    const [first, again] = [
      await numbersOf(path, { key: "k" }),
      await numbersOf(path, { key: "k" }),
    ];
    expect(first).toHaveLength(count);
    // As text: the difference of so many would take minutes to show.
    expect(again.join() === first.join()).toBe(true);
    expect(await numbersOf(`/v1/ids/${name}`, { key: "other" })).toEqual([BigInt(count + 1)]);
  });

  it("sent many times at once, gets one set of numbers", async () => {
    const name = await someSegment();
    const path = `/v1/ids/${name}?count=3`;
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => numbersOf(path, { key: `k${index % 4}` })),
    );
    expect(new Set(answers.map(String)).size).toBe(4);
    expect(await maxIdOf(name)).toBe("13");
  });

  it("gets them also if no numbers are left, or max is lower now", async () => {
    const name = await someSegment({ max: 5 });
    const path = `/v1/ids/${name}?count=5`;
    const first = await numbersOf(path, { key: "all" });
    expect(await refusalOf(path, "more")).toMatchObject({ status: 409, code: "exhausted" });
    await put(name, { kind: "segment", max: 2 });
    expect(await numbersOf(path, { key: "all" })).toEqual(first);
  });

  it("with another count is rejected, and still gets its own numbers", async () => {
    const name = await someSegment();
    const first = await numbersOf(`/v1/ids/${name}?count=3`, { key: "k" });
    for (const route of ["ids", "blocks"]) {
      expect(await refusalOf(`/v1/${route}/${name}?count=4`, "k")).toMatchObject({
        status: 409,
        code: "idempotency_conflict",
        definite: true,
      });
    }
    expect(await maxIdOf(name)).toBe("4");
    expect(await numbersOf(`/v1/ids/${name}?count=3`, { key: "k" })).toEqual(first);
    const { body } = await ask(`/v1/shards/${name}/0`);
    expect(body.counters).toMatchObject({ refusals: { idempotency_conflict: 2 } });
  });

  it("of another caller is another key", async () => {
    const name = await someSegment();
    const callers = await Promise.all([1, 2].map(() => keyFor({ scopes: ["issue"] })));
    const path = `/v1/ids/${name}?count=2`;
    for (const _again of [false, true]) {
      expect(await numbersOf(path, { key: "k" })).toEqual([1n, 2n]);
      expect(await numbersOf(path, { key: "k", caller: callers[0]?.key })).toEqual([3n, 4n]);
      expect(await numbersOf(path, { key: "k", caller: callers[1]?.key })).toEqual([5n, 6n]);
    }
  });

  it("of another namespace is another key", async () => {
    const names = [await someSegment(), await someSegment({ start: 50 })];
    const first = await Promise.all(
      names.map((name) => numbersOf(`/v1/ids/${name}`, { key: "k" })),
    );
    expect(first).toEqual([[1n], [50n]]);
  });

  it("gets new numbers after a day, and the same until then", async () => {
    const name = await someSegment();
    const path = `/v1/ids/${name}?count=2`;
    const first = await numbersOf(path, { key: "k" });
    clock.set(START_MS + IDEMPOTENCY_KEPT_MS - 1);
    expect(await numbersOf(path, { key: "k" })).toEqual(first);
    clock.step(1);
    // With another count too: the old answer is deleted.
    expect(await numbersOf(`/v1/ids/${name}?count=3`, { key: "k" })).toEqual(numbersFrom(3, 3));
    clock.step(IDEMPOTENCY_KEPT_MS - 1);
    expect(await numbersOf(`/v1/ids/${name}?count=3`, { key: "k" })).toEqual(numbersFrom(3, 3));
  });

  it.each(["INSERT ON kept", "INSERT ON segment", "UPDATE ON segment"])(
    "a write that fails in the middle changes neither maxId nor the answer: %s",
    async (write) => {
      const name = await someSegment();
      const before = write.startsWith("UPDATE") ? numbersFrom(1, 2) : [];
      if (before.length > 0) await numbersOf(`/v1/ids/${name}?count=2`, { key: "before" });
      const kept = await keysKept(name);
      const stored = await maxIdOf(name);
      const mend = await breakWrites(name, write);
      const failed = await refusalOf(`/v1/ids/${name}?count=2`, "k");
      expect(failed).toMatchObject({ status: 503, code: "shard_unavailable", definite: false });
      expect(await maxIdOf(name)).toBe(stored);
      expect(await keysKept(name)).toEqual(kept);
      await mend();
      const next = numbersFrom(1 + before.length, 2);
      expect(await numbersOf(`/v1/ids/${name}?count=2`, { key: "k" })).toEqual(next);
    },
  );

  it("an old answer stays valid if its successor can't be written", async () => {
    const name = await someSegment();
    await numbersOf(`/v1/ids/${name}?count=2`, { key: "k" });
    clock.step(IDEMPOTENCY_KEPT_MS);
    const mend = await breakWrites(name, "INSERT ON kept");
    await runInDurableObject(segmentsOf(name), async (instance) => {
      await expect(
        async () => await instance.nextNumbers(specOf(), 2, "admin k", Date.now()),
      ).rejects.toThrow("disk full");
    });
    expect(await keysKept(name)).toHaveLength(1);
    expect(await maxIdOf(name)).toBe("3");
    await mend();
  });

  it("keeps its answer if another instance moved maxId", async () => {
    const name = await someSegment();
    const path = `/v1/ids/${name}?count=2`;
    const first = await numbersOf(path, { key: "k" });
    await moveBehind(name, 900n);
    // The first try ends the superseded instance; with a key it is made again.
    expect(await numbersOf(path, { key: "new" })).toEqual([900n, 901n]);
    expect(await numbersOf(path, { key: "k" })).toEqual(first);
  });
});
