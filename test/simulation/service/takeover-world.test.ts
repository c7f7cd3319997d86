/** Shards of layouts with lanes, each with two instances alive again and again. */
import { describe, expect, it } from "vitest";
import { bundleProduct } from "./bundle.ts";
import { runTakeoverWorld } from "./takeover-world.ts";

/** Enough for a guard that is missing to show. */
const TAKEOVERS_QUICK = 100;
const TAKEOVERS_FULL = 2000;
const FRESH_SEED = Math.floor(Math.random() * 2 ** 31);

describe("a superseded instance next to its successor", () => {
  it("a known seed: no ID twice, and strict answers of both strictly increase", async () => {
    const report = await runTakeoverWorld(2, await bundleProduct(), TAKEOVERS_QUICK);
    expect(report.superseded).toBeGreaterThan(TAKEOVERS_QUICK / 2);
    expect(report.ordered).toBeGreaterThan(TAKEOVERS_QUICK);
  });

  it(`a fresh seed, ${FRESH_SEED}, for longer`, { tags: ["long"] }, async () => {
    const report = await runTakeoverWorld(FRESH_SEED, await bundleProduct(), TAKEOVERS_FULL);
    expect(report.superseded).toBeGreaterThan(TAKEOVERS_FULL / 2);
  });
});
