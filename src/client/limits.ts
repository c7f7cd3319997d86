/** Bounds of options. */

/** An hour: longer, nobody waits for an ID. */
export const TIMEOUT_MAX_MS = 3_600_000;
/** Each pause is up to 2 s and more: longer, the service is down. */
export const RETRIES_MAX = 100;

/** Whether it is a whole number of least..most. */
export function isWhole(value: number | undefined, least: number, most: number): boolean {
  return value !== undefined && Number.isInteger(value) && value >= least && value <= most;
}
