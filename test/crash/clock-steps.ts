/** How far clocks are off in the crash tests, in ms, and who is to give IDs then. */
import { NUMBERS, SNOWFLAKES } from "./kinds.ts";

/** Waited out by all, in a second. */
export const SECOND_BACK_MS = -1000;
/** Within what `default` forgives, and beyond what the others do. */
export const HALF_HOUR_BACK_MS = -1_800_000;
/** Beyond what any namespace forgives. */
export const YEAR_MS = 365 * 86_400_000;

/** Namespaces that a clock which went back a year keeps waiting; `node` takes another lane. */
export const BEHIND_BY_A_YEAR = ["default", "twitter", "leaf", "js53"] as const;

/** Namespaces that give IDs with the clock so far behind what they gave before. */
export function servedAt(offsetMs: number): readonly string[] {
  if (offsetMs >= SECOND_BACK_MS) return [...SNOWFLAKES, NUMBERS];
  return offsetMs >= HALF_HOUR_BACK_MS ? ["default", NUMBERS] : [NUMBERS];
}
