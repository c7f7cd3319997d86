/** The whole service with clocks that drift but are never set, so that the right time of each is known. */
import { expect, it } from "vitest";
import { bundleProduct } from "./bundle.ts";
import { runServiceWorld } from "./service-world.ts";

const EVENTS_QUICK = 30_000;
/** The minimum of IDs from memory whose age was checked. */
const AGED_MIN = 1000;

it("a known seed: no stall and no queued call ends an instance, and no ID from memory is too old", async () => {
  const plan = { clocksAreTrue: true };
  const report = await runServiceWorld(2, await bundleProduct(), EVENTS_QUICK, plan);
  expect(report.objects).toMatchObject({ byClock: 0 });
  const { stalledMachines = 0, stalledObjects = 0, deadShards = 0 } = report.mishaps;
  const { pastRestart = 0, triesOfDeadHomes = 0 } = report.objects;
  const seen = [stalledMachines, stalledObjects, deadShards, pastRestart, triesOfDeadHomes];
  expect(Math.min(...seen)).toBeGreaterThan(0);
  expect(report.aged).toBeGreaterThan(AGED_MIN);
});
