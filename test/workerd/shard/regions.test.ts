/** Where shards live and which one a city gets. */
import { describe, expect, it } from "vitest";
import { nearestRegion, REGIONS } from "../../../src/core/regions.ts";
import { ask, put } from "../../support/admin.ts";
import { useClock } from "../../support/clock.ts";

useClock("waits");

const CITIES: [city: string, latitude: string, longitude: string, region: string][] = [
  ["New York", "40.71", "-74.01", "enam"],
  ["San Francisco", "37.77", "-122.42", "wnam"],
  ["London", "51.51", "-0.13", "weur"],
  ["Tokyo", "35.68", "139.69", "apac"],
  ["Johannesburg", "-26.2", "28.05", "weur"],
];

describe("the nearest region", () => {
  it.each(CITIES)("of %s", async (city, latitude, longitude, region) => {
    const name = `near-${city.replace(" ", "-")}`;
    await put(name);
    const cf = { latitude, longitude };
    for (const count of [1, 4097, 4097, 4097]) {
      const answer = await ask(`/v1/ids/${name}?count=${count}`, { cf });
      const shard = Number(answer.headers.get("edgeflake-shard"));
      expect((await ask(`/v1/shards/${name}/${shard}`)).body.region).toBe(region);
    }
  });

  it.each([
    [{}],
    [{ latitude: "", longitude: "" }],
    [{ latitude: "north", longitude: "1" }],
    [{ latitude: 5, longitude: null }],
  ])("is the first one if the place is unknown: %j", async (cf) => {
    const name = `unplaced-${JSON.stringify(cf).length}`;
    await put(name, { kind: "snowflake", regions: ["oc", "enam"] });
    const answer = await ask(`/v1/ids/${name}`, { cf });
    const shard = Number(answer.headers.get("edgeflake-shard"));
    expect((await ask(`/v1/shards/${name}/${shard}`)).body.region).toBe("oc");
  });

  it("has a shard: regions without a shard are not chosen", async () => {
    await put("few", { kind: "snowflake", shards: 1, regions: ["enam", "apac"] });
    const answer = await ask("/v1/ids/few", { cf: { latitude: "35", longitude: "139" } });
    expect(answer.headers.get("edgeflake-shard")).toBe("0");
  });

  it("of every region's own centre is that region, also across the date line", () => {
    expect(nearestRegion(["wnam", "weur"], { latitude: 35, longitude: 179.9 })).toBe("wnam");
    expect(nearestRegion(["oc", "sam"], { latitude: -40, longitude: -175 })).toBe("oc");
    expect(nearestRegion(REGIONS, { latitude: 25, longitude: 55 })).toBe("me");
    expect(nearestRegion(["sam"], undefined)).toBe("sam");
  });
});
