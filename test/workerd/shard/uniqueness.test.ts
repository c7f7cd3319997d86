/** No ID repeats in any requests: bursts, batches and streams. */
import { describe, expect, it } from "vitest";
import { PRESETS } from "../../../src/core/layout/presets.ts";
import { useClock } from "../../support/clock.ts";
import { idsOf, request } from "../../support/requests.ts";

useClock("waits");

describe.each([...PRESETS.keys()])("%s", (namespace) => {
  it("repeats none in a burst of 100 concurrent requests", async () => {
    const burst = await Promise.all(Array.from({ length: 100 }, () => idsOf(namespace)));
    expect(new Set(burst.flat()).size).toBe(100);
  });

  it("repeats none in batches around the size of a tick, on all shards and one", async () => {
    const all: bigint[] = [];
    for (const count of [1, 4095, 4096, 4097, 10_000]) {
      for (const where of ["", "&shard=3", "&key=a", "&order=strict"]) {
        const ids = await idsOf(namespace, `?count=${count}${where}`);
        expect(ids).toHaveLength(count);
        all.push(...ids);
      }
    }
    expect(new Set(all).size).toBe(all.length);
  });

  it("repeats none when large batches compete for one shard", async () => {
    const batches = await Promise.all(
      Array.from({ length: 5 }, () => idsOf(namespace, "?count=10000&shard=1")),
    );
    expect(new Set(batches.flat()).size).toBe(50_000);
  });

  it("repeats none in a stream", async () => {
    const response = await request(`/v1/ids/${namespace}?count=100000&format=text`);
    const lines = (await response.text()).trimEnd().split("\n");
    expect(lines).toHaveLength(100_000);
    expect(new Set(lines).size).toBe(100_000);
  });
});

describe("default", () => {
  it("streams 1,000,000 distinct IDs over several shards", async () => {
    const response = await request("/v1/ids/default?count=1000000", {
      headers: { accept: "text/plain" },
    });
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(response.headers.has("edgeflake-shard")).toBe(false);
    const lines = (await response.text()).trimEnd().split("\n");
    expect(lines).toHaveLength(1_000_000);
    expect(new Set(lines).size).toBe(1_000_000);
  });

  it("streams strictly increasing IDs if one shard is named", async () => {
    const response = await request("/v1/ids/default?count=200000&format=text&shard=2");
    expect(response.headers.get("edgeflake-shard")).toBe("2");
    const ids = (await response.text()).trimEnd().split("\n").map(BigInt);
    expect(ids).toHaveLength(200_000);
    expect(isIncreasing(ids)).toBe(true);
  });
});

function isIncreasing(ids: readonly bigint[]): boolean {
  return ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id));
}
