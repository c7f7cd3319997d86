import { describe, expect, it } from "vitest";
import { shardOfKey } from "../../src/core/namespace/rendezvous.ts";

const bytes = (key: string) => new TextEncoder().encode(key);

describe("rendezvous hashing", () => {
  // Changing any of these would let IDs of a key fall back: they are a promise.
  it.each([
    ["", 8, 3],
    ["user-1", 8, 7],
    ["user-2", 8, 2],
    ["ключ", 8, 3],
    ["user-1", 1024, 802],
  ])("puts %j of %d shards on %d for ever", (key, shards, shard) => {
    expect(shardOfKey(bytes(key), shards)).toBe(shard);
  });

  it("spreads keys evenly", () => {
    const counts = Array.from({ length: 8 }, () => 0);
    for (let key = 0; key < 8000; key += 1) {
      const shard = shardOfKey(bytes(`customer:${key}`), 8);
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  it("moves only the keys that a new shard wins", () => {
    for (let key = 0; key < 1000; key += 1) {
      const before = shardOfKey(bytes(`k${key}`), 8);
      const after = shardOfKey(bytes(`k${key}`), 9);
      expect([before, 8]).toContain(after);
    }
  });
});
