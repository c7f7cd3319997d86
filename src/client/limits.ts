/** Bounds of options and arguments. */
import { isWhole } from "../core/takes.ts";

/** An hour: longer, nobody waits for an ID. */
export const TIMEOUT_MAX_MS = 3_600_000;
/** Each pause is up to 2 s and more: longer, the service is down. */
export const RETRIES_MAX = 100;

/** IDs of one `take` at most, and so of one block. */
export const TAKE_MAX = 1_000_000;

/** Throws RangeError where one `take` gives no such number of IDs. */
export function checkCount(count: number): void {
  if (isWhole(count, 1, TAKE_MAX)) return;
  throw new RangeError(`cannot take ${count} IDs: takes 1 to ${TAKE_MAX}`);
}
