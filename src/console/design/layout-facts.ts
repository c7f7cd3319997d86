/** Properties of a layout, in words and figures. */
import { LAYOUT_SUMS } from "../../core/layout/fields.ts";
import { maxIdOf } from "../../core/layout/id.ts";
import { type Layout, type LayoutSpec, tickStartMs } from "../../core/layout/layout.ts";
import { leasableWorkers } from "../../core/lease/worker-lease.ts";
import {
  DATE_MS_MAX,
  ID_BITS_MAX,
  POSITION_BITS_MAX,
  SAFE_ID_BITS_MAX,
  SHARDS_DEFAULT,
  SHARDS_MAX,
  WORKER_BITS_MAX,
} from "../../core/limits.ts";
import { shardsMax } from "../../core/namespace/namespace.ts";
import { figure } from "../figure.ts";
import { relativeTime } from "../relative-time.ts";

/** Pairs of a property and its value, for a number of shards. */
export function facts(layout: Layout, shards: number, nowMs: number): [string, string][] {
  const perSecond = idsPerSecond(layout);
  const most = shardsMax(layout);
  const usual = Math.min(SHARDS_DEFAULT, most);
  const { first, end } = leasableWorkers(layout);
  const leased = layout.workerCount > 1 ? figure(end - first) : "none";
  return [
    ["Bits", `${layout.totalBits}; the largest ID is ${maxIdOf(layout)}`],
    ["Begins", beginOf(layout, nowMs)],
    ["Runs out", endOf(layout, nowMs)],
    ["IDs per second and shard", figure(perSecond)],
    [
      "Shards",
      `${shards === usual ? "" : `${figure(shards)}; `}${usual} by default, at most ${figure(most)}`,
    ],
    [
      "IDs per second in total",
      `${figure(perSecond * BigInt(shards))}; with all shards ${figure(perSecond * BigInt(most))}`,
    ],
    ["Worker IDs for leases", leased],
    ["In JavaScript", numbersOf(layout)],
    ["Duplicate IDs", NEVER],
  ];
}

const NEVER =
  "never: a worker ID belongs to one shard or one lease, which grants each position once";

/** Each lane adds to the rate, unless lanes are used only when the clock went back. */
function idsPerSecond({ sequenceCount, tickMs, laneUse, laneCount }: Layout): bigint {
  const lanes = laneUse === "always" ? laneCount : 1;
  // Exact also past 2^53; ticks divide a second.
  return (BigInt(sequenceCount) * BigInt(lanes) * 1000n) / BigInt(tickMs);
}

function numbersOf({ totalBits }: Layout): string {
  return totalBits <= SAFE_ID_BITS_MAX
    ? `safe: every ID is exact as a number (${SAFE_ID_BITS_MAX} bits at most)`
    : `not safe: numbers are exact up to ${SAFE_ID_BITS_MAX} bits; use strings or BigInt`;
}

function beginOf({ epochMs }: Layout, nowMs: number): string {
  const begin = new Date(epochMs).toISOString();
  if (epochMs <= nowMs) return begin;
  return `${begin}, in the future: until then every request is rejected (clock_before_epoch)`;
}

function endOf(layout: Layout, nowMs: number): string {
  const endMs = tickStartMs(layout, layout.tickCount);
  if (endMs > DATE_MS_MAX) return "after the year 275760";
  const day = new Date(endMs).toISOString().slice(0, 10);
  if (endMs > nowMs) return `${day}, ${relativeTime(endMs, nowMs)}`;
  return `${day}, in the past: every request is rejected (timestamp_exhausted)`;
}

/** How much of a limit is used. */
export interface LimitUse {
  readonly what: string;
  readonly used: number;
  readonly most: number;
  /** The unit, in the plural. */
  readonly unit: string;
  /** The reason of the limit. */
  readonly why: string;
}

/** The limit of the number of shards. */
export function shardsUse(layout: Layout, shards: number): LimitUse {
  const most = shardsMax(layout);
  const unit = "shards";
  if (layout.workerCount === 1) {
    return {
      what: unit,
      used: shards,
      most,
      unit,
      why: "a layout without worker bits has one shard",
    };
  }
  const why =
    most === SHARDS_MAX
      ? "each request with a key compares all shards"
      : "shards have the lower half of the worker IDs, leases the upper";
  return { what: unit, used: shards, most, unit, why };
}

/** The reason of each limit. */
const WHY: Readonly<Record<(typeof LAYOUT_SUMS)[number]["most"], string>> = {
  [POSITION_BITS_MAX]: "timestamp and sequence together must be an exact number",
  [WORKER_BITS_MAX]: "no known layout has more",
  [ID_BITS_MAX]: "an ID must fit a signed 64-bit integer",
};

/** The limits of sums of widths, also for an invalid layout. */
export function limitUses(spec: LayoutSpec): LimitUse[] {
  return LAYOUT_SUMS.map(({ of, most }) => ({
    what: of.map((name) => name.replace("Bits", "")).join(" + "),
    used: of.reduce((bits, name) => bits + spec[name], 0),
    most,
    unit: "bits",
    why: WHY[most],
  }));
}
