/**
 * The reply of a shard, and its wire form.
 *
 * It crosses RPC as text: an object or array could hold stubs, and workerd's bookkeeping for them takes up to a fifth
 * of the whole call (measured). A text costs nothing.
 */
import type { Grant } from "../blocks/block.ts";
import { isRefusalCode, type Refusal } from "../refusal.ts";
import type { InstanceClock } from "./object-clock.ts";

/**
 * A grant or a refusal. On a refusal, `granted` counts IDs that this call was granted before it failed (now a gap), and
 * `waitedMs` is the sum of its waits.
 */
export type GrantResult =
  | { readonly ok: true; readonly grants: readonly Grant[] }
  | {
      readonly ok: false;
      readonly refusal: Refusal;
      readonly granted: number;
      readonly waitedMs: number;
    };

export interface GrantReply {
  /** The shard's clock. */
  readonly clock: InstanceClock;
  readonly result: GrantResult;
}

/** Writes a reply: `[instance, nowMs, lane, start, end, …]`, or the refusal as an object. */
export function writeGrantReply(result: GrantResult, { instance, nowMs }: InstanceClock): string {
  if (!result.ok) {
    const { refusal, granted, waitedMs } = result;
    return JSON.stringify({ ...refusal, granted, waitedMs, instance, nowMs });
  }
  let text = `[${instance},${nowMs}`;
  for (const { lane, start, end } of result.grants) text += `,${lane},${start},${end}`;
  return `${text}]`;
}

/** Reads a text of writeGrantReply. Throws on any other text: only this service writes replies. */
export function readGrantReply(text: string): GrantReply {
  const value: unknown = JSON.parse(text);
  if (Array.isArray(value)) {
    return { clock: clockOf(value[0], value[1]), result: { ok: true, grants: grantsOf(value) } };
  }
  if (typeof value !== "object" || value === null) throw malformed();
  const fields: Record<string, unknown> = { ...value };
  const { code, detail, retryAfterMs, granted, waitedMs } = fields;
  const clock = clockOf(fields.instance, fields.nowMs);
  if (!isRefusalCode(code) || typeof detail !== "string") throw malformed();
  if (!isWhole(granted) || !isWhole(waitedMs)) throw malformed();
  if (retryAfterMs !== undefined && !isWhole(retryAfterMs)) throw malformed();
  const refusal = { code, detail, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  return { clock, result: { ok: false, refusal, granted, waitedMs } };
}

function clockOf(instance: unknown, nowMs: unknown): InstanceClock {
  if (!isWhole(instance) || !isWhole(nowMs)) throw malformed();
  return { instance, nowMs };
}

function grantsOf(numbers: readonly unknown[]): Grant[] {
  const grants: Grant[] = [];
  for (let index = 2; index < numbers.length; index += 3) {
    const lane = numbers[index];
    const start = numbers[index + 1];
    const end = numbers[index + 2];
    if (!isWhole(lane) || !isWhole(start) || !isWhole(end) || start >= end) throw malformed();
    grants.push({ lane, start, end });
  }
  return grants;
}

function isWhole(value: unknown): value is number {
  // The end of the last grant can be 2^53 itself.
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 2 ** 53;
}

function malformed(): TypeError {
  return new TypeError("cannot read a shard's reply: malformed");
}
