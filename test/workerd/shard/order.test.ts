/** Where requests go, and what order their IDs have. */
import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { shardOfKey } from "../../../src/core/namespace/rendezvous.ts";
import { clock, useClock } from "../../support/clock.ts";
import { json, request } from "../../support/requests.ts";
import { stubOf } from "../../support/shards.ts";

useClock("waits");

/** The shard that answered, and its IDs in the order answered. */
async function answerOf(path: string): Promise<{ shard: number; ids: bigint[] }> {
  const response = await request(path);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`);
  const shard = Number(response.headers.get("edgeflake-shard") ?? "NaN");
  const lines = path.includes("format=text") ? text.trimEnd().split("\n") : JSON.parse(text).ids;
  return { shard, ids: lines.map(BigInt) };
}

function isIncreasing(ids: readonly bigint[]): boolean {
  return ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id));
}

describe("key", () => {
  it("decides the shard, for every count and format", async () => {
    for (const key of ["user-1", "user-2", "ключ", "a b&c"]) {
      const shard = shardOfKey(new TextEncoder().encode(key), 8);
      for (const rest of ["", "&count=5000", "&count=25000&format=text"]) {
        const answer = await answerOf(`/v1/ids/default?key=${encodeURIComponent(key)}${rest}`);
        expect(answer.shard).toBe(shard);
        expect(isIncreasing(answer.ids)).toBe(true);
      }
      const blocks = await json(`/v1/blocks/default?key=${encodeURIComponent(key)}`);
      expect(blocks).toMatchObject({ shard });
    }
  });

  it.each([
    ["js53", 1],
    ["node", 3],
  ])("%s: uses the last lane, %d, only", async (namespace, lane) => {
    const { ids } = await answerOf(`/v1/ids/${namespace}?key=user-1&count=5`);
    for (const id of ids) {
      expect(await json(`/v1/decode/${namespace}/${id}`)).toMatchObject({ lane });
    }
  });

  it.each(["default", "twitter", "leaf", "js53", "node"])(
    "%s: IDs of one key strictly increase through evictions",
    async (namespace) => {
      const ids: bigint[] = [];
      for (let round = 0; round < 4; round += 1) {
        const answer = await answerOf(`/v1/ids/${namespace}?key=order-17&count=50`);
        ids.push(...answer.ids);
        await evictDurableObject(stubOf(namespace, answer.shard));
        clock.step(2000);
      }
      expect(isIncreasing(ids)).toBe(true);
    },
  );
});

describe("order=strict", () => {
  it("uses the shard that the header names, also for large counts and streams", async () => {
    const shards = new Set<number>();
    const ids: bigint[] = [];
    for (const rest of ["", "&count=5000", "&count=25000&format=text", ""]) {
      const answer = await answerOf(`/v1/ids/default?order=strict${rest}`);
      shards.add(answer.shard);
      ids.push(...answer.ids);
    }
    expect(shards.size).toBe(1);
    expect(isIncreasing(ids)).toBe(true);
  });
});

describe("a stream over several shards", () => {
  it("names no shard", async () => {
    const response = await request("/v1/ids/default?count=20000&format=text");
    expect(response.headers.has("edgeflake-shard")).toBe(false);
    await response.text();
  });
});
