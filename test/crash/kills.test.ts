/** kill -9 at random moments under load, the clock changing between the lives. Needs `npm run build` before. */
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Random } from "../support/random.ts";
import { HALF_HOUR_BACK_MS, SECOND_BACK_MS, servedAt, YEAR_MS } from "./clock-steps.ts";
import { Lives } from "./lives.ts";
import { HAS_SHIM } from "./shim-or-not.ts";

/** How far the clock is off in one life after another. */
const OFFSETS_MS = [0, 0, SECOND_BACK_MS, 0, HALF_HOUR_BACK_MS, 0, 0, -YEAR_MS];
const KILLS = 4 * OFFSETS_MS.length;
/** Each kill comes that long after the load has brought what it must, at most, in ms. */
const PAUSE_MAX_MS = 700;
/** Every so many lives the kill comes as soon as one request was served. */
const EARLY_EVERY = 4;
const IDS_MIN = 200_000;

describe("kill -9 under load", () => {
  it(`no ID comes twice in ${KILLS + 1} lives`, async () => {
    const lives = Lives.ofTest({ withShim: HAS_SHIM });
    // Apart from the load's, so that the seed alone says when the kills come.
    const random = new Random(lives.random.seed);
    let broken = 0;
    const killAfter = async (offsetMs: number, life: number): Promise<void> => {
      const load = lives.load();
      const pauseMs = random.between(0, PAUSE_MAX_MS);
      if (life % EARLY_EVERY === 0) {
        await load.until("an answer", ({ acknowledged }) => acknowledged.size > 0);
      } else {
        await load.serves(servedAt(offsetMs));
        await pause(pauseMs);
      }
      await lives.crash();
      broken += load.tally.broken;
    };
    await lives.start();
    await lives.makeNumbers();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const offsetMs = HAS_SHIM ? (OFFSETS_MS[kill % OFFSETS_MS.length] ?? 0) : 0;
      if (kill > 0) await lives.start(offsetMs);
      const expected = offsetMs === -YEAR_MS ? { code: "clock_behind" } : { kind: "acknowledged" };
      expect(await lives.ask("default")).toMatchObject(expected);
      await killAfter(offsetMs, kill);
    }
    await lives.start();
    const last = lives.load();
    await last.serves(servedAt(0));
    await last.stop();
    const { ledger } = lives;
    const { seed } = lives.random;
    console.warn(`seed ${seed}: ${KILLS} kills broke ${broken} answers off; ${ledger.summary()}`);
    expect(ledger.faults()).toEqual([]);
    // Or the kills hit nothing.
    expect(broken).toBeGreaterThanOrEqual(KILLS);
    expect(ledger.acknowledgedIds).toBeGreaterThanOrEqual(IDS_MIN);
  });
});
