/** Units of time with their length in ms, the longest first. */
export const UNITS_MS = [
  ["year", 31_557_600_000],
  ["month", 2_629_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/** The distance of a time from now, in words. */
export function relativeTime(unixMs: number, nowMs: number): string {
  const awayMs = unixMs - nowMs;
  const words = new Intl.RelativeTimeFormat("en", { numeric: "always" });
  for (const [unit, unitMs] of UNITS_MS) {
    // Toward 0: 59.9 seconds are not yet "60 seconds".
    if (Math.abs(awayMs) >= unitMs) return words.format(Math.trunc(awayMs / unitMs), unit);
  }
  return "now";
}
