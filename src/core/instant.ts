import { DATE_MS_MAX } from "./limits.ts";

/** The texts that `parseInstant` reads, as part of a sentence. */
export const INSTANT_FORMS =
  "unix time in whole ms, or ISO 8601 such as 2026-01-31, 2026-01-31T12:00:00Z or 2026-01-31T12:00:00+01:00 (UTC without an offset; write + as %2B in a URL)";

const UNIX_MS = /^(?:0|[1-9]\d{0,15})$/;
const ISO_8601 =
  /^(\d{4}-\d{2}-\d{2})(?:T((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/**
 * Reads an instant as unix ms. Returns undefined for any other text. Times without an offset are UTC (Date.parse would
 * use the local zone). Fractions of a ms are rounded up: comparisons with whole-ms times keep their result.
 */
export function parseInstant(text: string): number | undefined {
  if (UNIX_MS.test(text)) {
    const unixMs = Number(text);
    return unixMs <= DATE_MS_MAX ? unixMs : undefined;
  }
  const [, date, minutes = "00:00", seconds = "00", fraction = "", offset = "Z"] =
    ISO_8601.exec(text) ?? [];
  if (date === undefined) return undefined;
  const midnightMs = Date.parse(`${date}T00:00:00Z`);
  // Date.parse turns 30 February into a day of March: a date exists only if it reads back unchanged.
  if (Number.isNaN(midnightMs) || !new Date(midnightMs).toISOString().startsWith(date)) {
    return undefined;
  }
  const wholeMs = Date.parse(`${date}T${minutes}:${seconds}${offset}`);
  return wholeMs + Math.ceil(Number(fraction.padEnd(9, "0")) / 1_000_000);
}
