/** kill -9 at random moments under load, the clock changing between the lives. Needs `npm run build` before. */
import { describe, expect, it } from "vitest";
import { Random } from "../support/random.ts";
import { HALF_HOUR_BACK_MS, SECOND_BACK_MS, servedAt, YEAR_MS } from "./clock-steps.ts";
import { Lives } from "./lives.ts";
import { HAS_SHIM } from "./shim-or-not.ts";

/** The clock's offset in each life. */
const OFFSETS_MS = [0, 0, SECOND_BACK_MS, 0, HALF_HOUR_BACK_MS, 0, 0, -YEAR_MS];
/** Each kill comes at most so many responses after the load's required results. */
const MORE_ANSWERS_MAX = 600;
/** Once in so many lives, the kill comes right after the first response. */
const EARLY_EVERY = 4;

/** 33 lives take 20 s, in ms; the rest is for a busy machine. */
const LONG_MAX_MS = 600_000;

/** Lives of one data folder, each but the last ended by a kill under load: one for each offset of the clock. */
async function expectDistinctThroughKills(offsetsMs: readonly number[]): Promise<void> {
  const lives = Lives.ofTest({ withShim: HAS_SHIM });
  // Separate from the load's, so that the seed alone determines the kills.
  const random = new Random(lives.random.seed);
  for (const [life, offset] of offsetsMs.entries()) {
    const offsetMs = HAS_SHIM ? offset : 0;
    await lives.start(offsetMs);
    if (life === 0) await lives.makeNumbers();
    const expected = offsetMs === -YEAR_MS ? { code: "clock_behind" } : { kind: "acknowledged" };
    expect(await lives.ask("default")).toMatchObject(expected);
    const load = lives.load();
    const moreAnswers = random.between(0, MORE_ANSWERS_MAX);
    if (life % EARLY_EVERY === 0) await load.acknowledges(1);
    else {
      await load.serves(servedAt(offsetMs));
      await load.acknowledges(moreAnswers);
    }
    // Otherwise the kill would interrupt nothing.
    await load.until("a request under way", ({ underWay }) => underWay > 0);
    await lives.crash();
  }
  await lives.start();
  const last = lives.load();
  await last.serves(servedAt(0));
  await last.stop();
  expect(lives.ledger.faults()).toEqual([]);
}

describe("kill -9 under load", () => {
  it("no ID comes twice in 4 lives", async () => {
    await expectDistinctThroughKills([0, SECOND_BACK_MS, 0]);
  });

  it("no ID comes twice in 33 lives", { tags: ["long"], timeout: LONG_MAX_MS }, async () => {
    await expectDistinctThroughKills([...OFFSETS_MS, ...OFFSETS_MS, ...OFFSETS_MS, ...OFFSETS_MS]);
  });
});
