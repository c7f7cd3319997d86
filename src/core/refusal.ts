/** Why a shard grants nothing more. Codes are those of the HTTP contract. */
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
  "shard_overloaded",
  "shard_saturated",
  "shard_unavailable",
  "timestamp_exhausted",
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

export function isRefusalCode(value: unknown): value is RefusalCode {
  return REFUSAL_CODES.some((code) => code === value);
}

/** A refusal is a value: it crosses RPC and is turned into problem details at the border. */
export interface Refusal {
  readonly code: RefusalCode;
  /** One sentence for the person who reads the answer. */
  readonly detail: string;
  /** When to try again, in ms from now; absent where time does not help. */
  readonly retryAfterMs?: number;
  /** An earlier try of the call may have been carried out. */
  readonly maybeDone?: boolean;
}

/** False: the call that was refused may have been carried out. */
export function isDefinite({ code, maybeDone = false }: Refusal): boolean {
  return code !== "shard_unavailable" && !maybeDone;
}
