/** Bounds of options and arguments that the client and the minter share. */

import { isWhole } from "../core/allowed.ts";
import { textOf } from "../core/json.ts";
import type { Limits } from "./retry.ts";

export const TIMEOUT_DEFAULT_MS = 10_000;
/** An hour: no caller waits longer for an ID. */
export const TIMEOUT_MAX_MS = 3_600_000;
/** A hundred pauses of about a second: after that, the service is down. */
const RETRIES_MAX = 100;

/** IDs of one `take` at most, and so of one block. */
export const TAKE_MAX = 1_000_000;

/** Throws RangeError unless `count` is an integer from 1 to TAKE_MAX. */
export function checkCount(count: number): void {
  checkWhole(RangeError, "count", count, 1, TAKE_MAX);
}

/** Throws TypeError if one of them is missing or out of bounds. */
export function checkLimits(namespace: unknown, { timeoutMs, retries = 0 }: Limits): void {
  if (!textOf(namespace)) throw new TypeError("namespace must be a name");
  checkWhole(TypeError, "timeoutMs", timeoutMs, 1, TIMEOUT_MAX_MS);
  checkWhole(TypeError, "retries", retries, 0, RETRIES_MAX);
}

/** The URL as a text. Throws TypeError if it is not an HTTP one. */
export function checkUrl(url: unknown): string {
  if (/^https?:\/\/./.test(`${url}`)) return `${url}`;
  throw new TypeError("url must be an http(s) URL");
}

function checkWhole(
  Kind: ErrorConstructor,
  name: string,
  value: number,
  least: number,
  most: number,
): void {
  if (isWhole(value, least, most)) return;
  throw new Kind(`${name} must be an integer from ${least} to ${most}`);
}
