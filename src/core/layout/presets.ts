import { RESERVE_DEFAULT_MS, RESERVE_STRICT_CLOCK_MS } from "../limits.ts";
import { LAYOUT_FIELDS } from "./fields.ts";
import { type Layout, type LayoutSpec, layoutOf } from "./layout.ts";
import type { Policy } from "./policy.ts";

/** A row of the preset table: a layout and the policy that goes with it. */
export interface Preset {
  readonly spec: LayoutSpec;
  readonly layout: Layout;
  readonly policy: Policy;
}

const HOUR_MS = 3_600_000;

/** Twitter's epoch, 2010-11-04. Leaf uses it too. */
const TWITTER_EPOCH_MS = 1_288_834_974_657;

/** Policy of lines that demand may push ahead of the clock. */
const LEADING: Policy = {
  maxStepBackMs: 0,
  maxBorrowMs: 1000,
  maxWaitMs: 250,
  randomStart: 0,
  reserveMs: RESERVE_DEFAULT_MS,
};

/** Policy of lines that wait for the next tick and never lead the clock: IdWorker, Leaf and the Node variant. */
const STRICT_CLOCK: Policy = {
  maxStepBackMs: 0,
  maxBorrowMs: 0,
  maxWaitMs: 100,
  randomStart: 0,
  reserveMs: RESERVE_STRICT_CLOCK_MS,
};

/** 41 bits of ms since 2025, 1,024 worker IDs, 4,096 IDs per ms. */
export const DEFAULT_SPEC: LayoutSpec = {
  timestampBits: 41,
  datacenterBits: 0,
  workerBits: 10,
  laneBits: 0,
  sequenceBits: 12,
  epochMs: LAYOUT_FIELDS.epochMs.default,
  tickMs: 1,
};

function preset(spec: Partial<LayoutSpec>, policy: Policy): Preset {
  const whole = { ...DEFAULT_SPEC, ...spec };
  return { spec: whole, layout: layoutOf(whole), policy };
}

/**
 * The built-in systems as data (sources: twitter-archive/snowflake, Meituan-Dianping/Leaf, the 53-bit and Node
 * variants).
 */
export const PRESETS: ReadonlyMap<string, Preset> = new Map([
  ["default", preset({}, { ...LEADING, maxStepBackMs: HOUR_MS })],
  [
    "twitter",
    preset({ datacenterBits: 5, workerBits: 5, epochMs: TWITTER_EPOCH_MS }, STRICT_CLOCK),
  ],
  ["leaf", preset({ epochMs: TWITTER_EPOCH_MS }, { ...STRICT_CLOCK, randomStart: 100 })],
  [
    "js53",
    preset(
      {
        timestampBits: 32,
        workerBits: 4,
        laneBits: 1,
        sequenceBits: 16,
        epochMs: 1_546_300_800_000,
        tickMs: 1000,
        lanePlace: "aboveWorker",
        laneUse: "always",
      },
      { ...LEADING, maxWaitMs: 1100 },
    ),
  ],
  [
    "node",
    preset(
      {
        datacenterBits: 3,
        workerBits: 5,
        laneBits: 2,
        epochMs: 1_580_486_400_000,
        laneUse: "back",
      },
      STRICT_CLOCK,
    ),
  ],
]);
