/** The reply of a segment object, and its wire form: text, because it crosses RPC faster (see grant-reply). */

import { MAX_ID } from "../limits.ts";
import { isRefusalCode, type Refusal } from "../refusal.ts";
import type { Allocation } from "./segment.ts";

/** Writes a reply: `[from, until]` as texts, or the refusal as an object. */
export function writeSegmentReply(reply: Allocation): string {
  if (!reply.ok) return JSON.stringify(reply.refusal);
  const { from, until } = reply.segment;
  return `["${from}","${until}"]`;
}

/** Reads a text of writeSegmentReply. Throws on any other text: only this service writes replies. */
export function readSegmentReply(text: string): Allocation {
  const value: unknown = JSON.parse(text);
  if (Array.isArray(value)) return { ok: true, segment: segmentOf(value) };
  if (typeof value !== "object" || value === null) throw malformed();
  return { ok: false, refusal: refusalOf({ ...value }) };
}

function segmentOf([from, until, ...more]: readonly unknown[]) {
  if (!isWhole(from) || !isWhole(until) || more.length > 0) throw malformed();
  const segment = { from: BigInt(from), until: BigInt(until) };
  if (segment.from >= segment.until) throw malformed();
  return segment;
}

function refusalOf({ code, detail, retryAfterMs }: Record<string, unknown>): Refusal {
  if (!isRefusalCode(code) || typeof detail !== "string") throw malformed();
  if (retryAfterMs === undefined) return { code, detail };
  if (typeof retryAfterMs !== "number") throw malformed();
  return { code, detail, retryAfterMs };
}

function isWhole(value: unknown): value is string {
  // The end of the last segment can be 2^63 itself.
  const isPlain = typeof value === "string" && /^(?:0|[1-9]\d{0,18})$/.test(value);
  return isPlain && BigInt(value) <= MAX_ID + 1n;
}

function malformed(): TypeError {
  return new TypeError("cannot read a segment's reply: malformed");
}
