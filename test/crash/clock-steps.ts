/** The clock offsets of the crash tests, in ms, and the namespaces that must issue IDs then. */
import { NUMBERS, SNOWFLAKES } from "./kinds.ts";

/** Every namespace waits this out, in a second. */
export const SECOND_BACK_MS = -1000;
/** Within the maxStepBackMs of `default`, and beyond that of the others. */
export const HALF_HOUR_BACK_MS = -1_800_000;
/** Beyond the maxStepBackMs of every namespace. */
export const YEAR_MS = 365 * 86_400_000;

/** Namespaces that must wait if the clock went back a year; `node` uses another lane. */
export const BEHIND_BY_A_YEAR = ["default", "twitter", "leaf", "js53"] as const;

/** Namespaces that issue IDs with the clock so far behind their last IDs. */
export function servedAt(offsetMs: number): readonly string[] {
  if (offsetMs >= SECOND_BACK_MS) return [...SNOWFLAKES, NUMBERS];
  return offsetMs >= HALF_HOUR_BACK_MS ? ["default", NUMBERS] : [NUMBERS];
}
