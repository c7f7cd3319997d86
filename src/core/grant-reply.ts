/**
 * What a shard answers, and its wire form.
 *
 * It crosses RPC as text: a result that is an object or array may hold stubs, and the bookkeeping for
 * that costs workerd as much as a fifth of the whole call (measured); a text costs nothing.
 */
import type { Grant } from "./block.ts";
import { isRefusalCode, type Refusal } from "./errors.ts";

/** On a refusal, `granted`: IDs that this call was granted before, now a gap; `waitedMs`: waits asked for. */
export type GrantReply =
  | { readonly ok: true; readonly grants: readonly Grant[] }
  | {
      readonly ok: false;
      readonly refusal: Refusal;
      readonly granted: number;
      readonly waitedMs: number;
    };

/** Writes a reply: `[lane, start, end, …]`, or the refusal as an object. */
export function writeGrantReply(reply: GrantReply): string {
  if (!reply.ok) {
    const { refusal, granted, waitedMs } = reply;
    return JSON.stringify({ ...refusal, granted, waitedMs });
  }
  let text = "[";
  for (const { lane, start, end } of reply.grants) {
    text += text === "[" ? `${lane},${start},${end}` : `,${lane},${start},${end}`;
  }
  return `${text}]`;
}

/** Reads what writeGrantReply wrote. Throws on anything else: only this service writes them. */
export function readGrantReply(text: string): GrantReply {
  const value: unknown = JSON.parse(text);
  if (Array.isArray(value)) return { ok: true, grants: grantsOf(value) };
  if (typeof value !== "object" || value === null) throw malformed();
  const { code, detail, retryAfterMs, granted, waitedMs }: Record<string, unknown> = { ...value };
  if (!isRefusalCode(code) || typeof detail !== "string") throw malformed();
  if (!isWhole(granted) || !isWhole(waitedMs)) throw malformed();
  if (retryAfterMs === undefined) {
    return { ok: false, refusal: { code, detail }, granted, waitedMs };
  }
  if (!isWhole(retryAfterMs)) throw malformed();
  return { ok: false, refusal: { code, detail, retryAfterMs }, granted, waitedMs };
}

function grantsOf(numbers: readonly unknown[]): Grant[] {
  const grants: Grant[] = [];
  for (let index = 0; index < numbers.length; index += 3) {
    const lane = numbers[index];
    const start = numbers[index + 1];
    const end = numbers[index + 2];
    if (!isWhole(lane) || !isWhole(start) || !isWhole(end) || start >= end) throw malformed();
    grants.push({ lane, start, end });
  }
  return grants;
}

function isWhole(value: unknown): value is number {
  // One past the last position may be 2^53 itself.
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 2 ** 53;
}

function malformed(): TypeError {
  return new TypeError("cannot read a shard's reply: malformed");
}
