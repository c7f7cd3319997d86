/** The whole service in worlds where everything goes wrong. */
import { describe, expect, it } from "vitest";
import { bundleProduct } from "./bundle.ts";
import { runServiceWorld, type ServiceReport } from "./service-world.ts";

/** Of all worlds together: see the last test. */
const EVENTS_MIN = 1_000_000;
const EVENTS_A_WORLD = 200_000;
const FRESH_SEED = Math.floor(Math.random() * 2 ** 31);
const TIMEOUT_MS = 300_000;

const reports: ServiceReport[] = [];

describe("a world of shards, isolates, callers, clients and minters", () => {
  it.each([
    ["a known seed", 1, false],
    ["another one", 2, false],
    ["instances that are cut off and do not know", 3, true],
    ["a fresh seed", FRESH_SEED, false],
  ])(
    "%s, %i: keeps every promise, and serves all once all is well",
    async (_, seed, strands) => {
      const evaluate = await bundleProduct();
      const report = await runServiceWorld(seed, evaluate, EVENTS_A_WORLD, { strands });
      reports.push(report);
      const where = `seed ${seed}`;
      const { acknowledged, minted, ordered } = report;
      expect(Math.min(acknowledged / 100, minted / 10, ordered), where).toBeGreaterThan(1000);
      // All of it has happened: with a seed that is known.
      if (seed === FRESH_SEED) return;
      const happened = { ...report.mishaps, ...report.network, ...report.disks };
      for (const [what, times] of Object.entries(happened)) {
        expect(times, `${what}, ${where}`).toBeGreaterThan(0);
      }
    },
    TIMEOUT_MS,
  );

  it("has had at least 1,000,000 events", () => {
    const events = reports.reduce((sum, report) => sum + report.events, 0);
    expect(events).toBeGreaterThanOrEqual(EVENTS_MIN);
  });

  it("is the same world with the same seed", async () => {
    const evaluate = await bundleProduct();
    const [one, other] = [
      await runServiceWorld(4, evaluate, 5000),
      await runServiceWorld(4, evaluate, 5000),
    ];
    expect(other).toEqual(one);
  });
});
