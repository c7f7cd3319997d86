/** What a layout gives, in words and figures. */
import { maxIdOf } from "../core/id.ts";
import { type Layout, type LayoutSpec, tickStartMs } from "../core/layout.ts";
import { SAFE_ID_BITS_MAX } from "../core/limits.ts";
import { shardsMax } from "../core/namespace.ts";

const DATE_MS_MAX = 8_640_000_000_000_000;

/** Pairs of what and how much. */
export function facts(spec: LayoutSpec, layout: Layout, nowMs: number): [string, string][] {
  const perSecond = (layout.sequenceCount * 1000) / spec.tickMs;
  const shards = shardsMax(layout);
  const isSafe = layout.totalBits <= SAFE_ID_BITS_MAX;
  return [
    ["Bits", `${layout.totalBits}; the largest ID is ${maxIdOf(layout)}`],
    ["Runs out", endOf(layout, nowMs)],
    ["IDs per second and shard", figure(perSecond)],
    ["Shards", `${figure(shards)} at most; as many worker IDs for leases`],
    ["IDs per second in all", figure(perSecond * shards)],
    [
      "In JavaScript",
      isSafe
        ? "exact as a number (53 bits at most)"
        : "a text or BigInt: numbers are exact to 53 bits only",
    ],
    [
      "Two IDs alike",
      "never: a worker ID belongs to one shard or one lease, and a place of its line is granted once",
    ],
  ];
}

function endOf(layout: Layout, nowMs: number): string {
  const endMs = tickStartMs(layout, layout.tickCount);
  if (endMs > DATE_MS_MAX) return "after the year 275760";
  const day = new Date(endMs).toISOString().slice(0, 10);
  if (endMs <= nowMs) return `on ${day}: that is over, nothing can be issued`;
  if (layout.epochMs > nowMs) return `on ${day}; it has not begun yet`;
  return `on ${day}`;
}

function figure(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
