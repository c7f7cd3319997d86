/** The whole service in worlds where everything goes wrong. */
import { describe, expect, it } from "vitest";
import { bundleProduct } from "./bundle.ts";
import { runServiceWorld } from "./service-world.ts";

/** Enough for a guard that is missing to show; a rare mishap, such as a deployment, may not happen. */
const EVENTS_QUICK = 30_000;
/** Per world; four worlds have over a million events, their ends included. */
const EVENTS_FULL = 200_000;
const FRESH_SEED = Math.floor(Math.random() * 2 ** 31);

/** Everything in `seen` has happened at least once. */
function expectAll(seen: Readonly<Record<string, number>>): void {
  const missing = Object.keys(seen).filter((what) => seen[what] === 0);
  expect(missing).toEqual([]);
}

describe("a world of shards, isolates, callers, clients and minters", () => {
  it.each([
    ["a known seed", 1],
    ["a fresh seed", FRESH_SEED],
  ])(
    "%s, %i: keeps every promise, and serves all requests after the faults end",
    async (_, seed) => {
      const report = await runServiceWorld(seed, await bundleProduct(), EVENTS_QUICK);
      expect(report.events).toBeGreaterThanOrEqual(EVENTS_QUICK);
    },
  );

  describe("for longer", { tags: ["long"] }, () => {
    it.each([
      ["the first seed", 1, false],
      ["one whose clocks are true", 2, false],
      ["instances that are cut off and do not know", 3, true],
      ["a fresh seed", FRESH_SEED, false],
    ])("%s, %i: keeps every promise, and serves all requests", async (_, seed, strands) => {
      const report = await runServiceWorld(seed, await bundleProduct(), EVENTS_FULL, { strands });
      expect(report.events).toBeGreaterThanOrEqual(EVENTS_FULL);
      if (seed !== FRESH_SEED) {
        const { byClock: _, ...objects } = report.objects;
        expectAll({ ...report.mishaps, ...report.network, ...report.disks, ...objects });
        const { acknowledged, minted, ordered } = report;
        expect(Math.min(acknowledged / 100, minted / 10, ordered)).toBeGreaterThan(1000);
      }
    });

    it("is the same with the same seed", async () => {
      const evaluate = await bundleProduct();
      const one = await runServiceWorld(4, evaluate, EVENTS_QUICK);
      expect(await runServiceWorld(4, evaluate, EVENTS_QUICK)).toEqual(one);
    });
  });
});
