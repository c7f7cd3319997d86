import { type Layout, type LayoutSpec, layoutOf } from "./layout.ts";
import { RESERVE_DEFAULT_MS, RESERVE_STRICT_CLOCK_MS } from "./limits.ts";
import type { Policy } from "./policy.ts";

/** A row of the preset table: a layout and the policy that goes with it. */
export interface Preset {
  readonly spec: LayoutSpec;
  readonly layout: Layout;
  readonly policy: Policy;
}

const HOUR_MS = 3_600_000;

/** Twitter's epoch of 2010-11-04, which Leaf kept. */
const TWITTER_EPOCH_MS = 1_288_834_974_657;

/** Waits for the next tick, never leads the clock: IdWorker, Leaf and the Node variant. */
const STRICT_CLOCK: Policy = {
  maxStepBackMs: 0,
  maxBorrowMs: 0,
  maxWaitMs: 100,
  randomStart: 0,
  reserveMs: RESERVE_STRICT_CLOCK_MS,
};

function preset(spec: LayoutSpec, policy: Policy): Preset {
  return { spec, layout: layoutOf(spec), policy };
}

/** The built-in systems as data (sources: twitter-archive/snowflake, Meituan-Dianping/Leaf, the 53-bit and Node variants). */
export const PRESETS: ReadonlyMap<string, Preset> = new Map([
  [
    "default",
    preset(
      {
        timestampBits: 41,
        datacenterBits: 0,
        workerBits: 10,
        laneBits: 0,
        sequenceBits: 12,
        epochMs: 1_735_689_600_000,
        tickMs: 1,
      },
      {
        maxStepBackMs: HOUR_MS,
        maxBorrowMs: 1000,
        maxWaitMs: 250,
        randomStart: 0,
        reserveMs: RESERVE_DEFAULT_MS,
      },
    ),
  ],
  [
    "twitter",
    preset(
      {
        timestampBits: 41,
        datacenterBits: 5,
        workerBits: 5,
        laneBits: 0,
        sequenceBits: 12,
        epochMs: TWITTER_EPOCH_MS,
        tickMs: 1,
      },
      STRICT_CLOCK,
    ),
  ],
  [
    "leaf",
    preset(
      {
        timestampBits: 41,
        datacenterBits: 0,
        workerBits: 10,
        laneBits: 0,
        sequenceBits: 12,
        epochMs: TWITTER_EPOCH_MS,
        tickMs: 1,
      },
      { ...STRICT_CLOCK, randomStart: 100 },
    ),
  ],
  [
    "js53",
    preset(
      {
        timestampBits: 32,
        datacenterBits: 0,
        workerBits: 4,
        laneBits: 1,
        sequenceBits: 16,
        epochMs: 1_546_300_800_000,
        tickMs: 1000,
        lanePlace: "aboveWorker",
        laneUse: "always",
      },
      {
        maxStepBackMs: 0,
        maxBorrowMs: 1000,
        maxWaitMs: 1100,
        randomStart: 0,
        reserveMs: RESERVE_DEFAULT_MS,
      },
    ),
  ],
  [
    "node",
    preset(
      {
        timestampBits: 41,
        datacenterBits: 3,
        workerBits: 5,
        laneBits: 2,
        sequenceBits: 12,
        epochMs: 1_580_486_400_000,
        tickMs: 1,
        laneUse: "back",
      },
      STRICT_CLOCK,
    ),
  ],
]);
