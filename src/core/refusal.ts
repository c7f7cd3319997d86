/** Codes of refusals by objects, as in the HTTP contract. */
const REFUSAL_CODES = [
  "clock_before_epoch",
  "clock_behind",
  "clock_disagreement",
  "exhausted",
  "forbidden",
  "idempotency_conflict",
  "layout_conflict",
  "lease_lost",
  "no_worker_free",
  "platform_limit",
  "shard_overloaded",
  "shard_saturated",
  "shard_unavailable",
  "timestamp_exhausted",
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

export function isRefusalCode(value: unknown): value is RefusalCode {
  return REFUSAL_CODES.some((code) => code === value);
}

/** A refusal by an object, as a value that can cross RPC. HTTP turns it into problem details. */
export interface Refusal {
  readonly code: RefusalCode;
  /** One sentence for the person who reads the answer. */
  readonly detail: string;
  /** When to retry, in ms from now; absent if time does not help. */
  readonly retryAfterMs?: number;
  /** True: an earlier try of the call may have succeeded. */
  readonly maybeDone?: boolean;
}

/** False: the refused call may have succeeded. */
export function isDefinite({ code, maybeDone = false }: Refusal): boolean {
  return code !== "shard_unavailable" && code !== "platform_limit" && !maybeDone;
}
