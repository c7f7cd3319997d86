import { type Layout, type LayoutSpec, layoutOf } from "./layout.ts";
import type { Policy } from "./policy.ts";

/** A row of the preset table: a layout and the policy that goes with it. */
export interface Preset {
  readonly spec: LayoutSpec;
  readonly layout: Layout;
  readonly policy: Policy;
}

const HOUR_MS = 3_600_000;
/** Default of reserveMs: one row written a second and shard. */
const RESERVE_MS = 1000;
/** Where a line may not lead the clock, a restart waits for the mark: keep it within every maxWait. */
const RESERVE_STRICT_CLOCK_MS = 50;

const NO_FIELDS = { datacenterBits: 0, workerBits: 0, laneBits: 0 };
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
        ...NO_FIELDS,
        timestampBits: 41,
        workerBits: 10,
        sequenceBits: 12,
        epochMs: 1_735_689_600_000,
        tickMs: 1,
      },
      {
        maxStepBackMs: HOUR_MS,
        maxBorrowMs: 1000,
        maxWaitMs: 250,
        randomStart: 0,
        reserveMs: RESERVE_MS,
      },
    ),
  ],
  [
    "twitter",
    preset(
      {
        ...NO_FIELDS,
        timestampBits: 41,
        datacenterBits: 5,
        workerBits: 5,
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
        ...NO_FIELDS,
        timestampBits: 41,
        workerBits: 10,
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
        ...NO_FIELDS,
        timestampBits: 32,
        laneBits: 1,
        lanePlace: "aboveWorker",
        laneUse: "always",
        workerBits: 4,
        sequenceBits: 16,
        epochMs: 1_546_300_800_000,
        tickMs: 1000,
      },
      {
        maxStepBackMs: 0,
        maxBorrowMs: 1000,
        maxWaitMs: 1100,
        randomStart: 0,
        reserveMs: RESERVE_MS,
      },
    ),
  ],
  [
    "node",
    preset(
      {
        ...NO_FIELDS,
        timestampBits: 41,
        datacenterBits: 3,
        workerBits: 5,
        laneBits: 2,
        laneUse: "back",
        sequenceBits: 12,
        epochMs: 1_580_486_400_000,
        tickMs: 1,
      },
      STRICT_CLOCK,
    ),
  ],
]);
