/**
 * Bounds and defaults of all fields of a namespace. Types, checks, error texts, the schemas of bodies, the API document
 * and the console's form follow from these tables. The tables are plain data, so that a bundler can drop unused ones:
 * the minter needs only the layout's.
 */

import { type Allowed, anyOf, integerFrom, isWhole } from "../allowed.ts";
import {
  DATE_MS_MAX,
  FRESH_FOR_DEFAULT_MS,
  ID_BITS_MAX,
  LANE_BITS_MAX,
  LEASE_TTL_MAX_DEFAULT_MS,
  LEASE_TTL_MAX_MS,
  LEASE_TTL_MIN_MS,
  POSITION_BITS_MAX,
  SEGMENT_STEP_MAX,
  SHARDS_MAX,
  WORKER_BITS_MAX,
} from "../limits.ts";

/** An integer of least..most, both inclusive. */
interface Bounded {
  readonly least: number;
  readonly most: number;
  /** The default value; absent if FIELD_TEXTS states the default. */
  readonly default?: number;
}

/** One of a few values. */
interface Choice<Value> {
  readonly allowed: readonly Value[];
  readonly default?: Value;
}

export type WholeField = Bounded | Choice<number>;
export type WordField = Choice<string>;

/** One number for each field of a table. */
export type ValuesOf<Table> = Readonly<Record<keyof Table, number>>;

/** The numeric fields of a layout. */
export const LAYOUT_FIELDS = {
  timestampBits: { least: 1, most: POSITION_BITS_MAX },
  datacenterBits: { least: 0, most: WORKER_BITS_MAX, default: 0 },
  workerBits: { least: 0, most: WORKER_BITS_MAX, default: 0 },
  laneBits: { least: 0, most: LANE_BITS_MAX, default: 0 },
  sequenceBits: { least: 0, most: POSITION_BITS_MAX - 1 },
  epochMs: { least: 0, most: DATE_MS_MAX, default: 1_735_689_600_000 },
  tickMs: { allowed: [1, 10, 1000], default: 1 },
} as const satisfies Readonly<Record<string, WholeField>>;

/** The names of the bit widths of a layout. */
export const WIDTHS = [
  "timestampBits",
  "datacenterBits",
  "workerBits",
  "laneBits",
  "sequenceBits",
] as const;

/** Upper bounds for sums of widths; see the constants for the reasons. */
export const LAYOUT_SUMS = [
  { of: ["timestampBits", "sequenceBits"], most: POSITION_BITS_MAX },
  { of: ["datacenterBits", "workerBits"], most: WORKER_BITS_MAX },
  { of: WIDTHS, most: ID_BITS_MAX },
] as const;

/** The lane fields of a layout. Defaults: `belowWorker` and `always`. */
export const LANE_FIELDS = {
  lanePlace: { allowed: ["aboveWorker", "belowWorker"] },
  laneUse: { allowed: ["always", "back"] },
} as const;

/** The policy of a namespace: for lines, prefetched blocks and worker-ID leases. */
export const POLICY_FIELDS = {
  // A day: covers daylight saving and a wrong time zone, but not a wrong date.
  maxStepBackMs: { least: 0, most: 86_400_000 },
  // IDs more than a minute ahead are no longer "roughly time-ordered".
  maxBorrowMs: { least: 0, most: 60_000 },
  // Clients and proxies give up at about 10 s.
  maxWaitMs: { least: 0, most: 10_000 },
  // Any safe integer; the layout's 2^sequenceBits is the real bound.
  randomStart: { least: 0, most: 9_007_199_254_740_991 },
  // A restart may skip this much of the line, and a minute already saves 59 of 60 writes.
  reserveMs: { least: 1, most: 60_000 },
  // IDs of an older block would look old.
  freshForMs: { least: 0, most: 60_000, default: FRESH_FOR_DEFAULT_MS },
  leaseTtlMaxMs: {
    least: LEASE_TTL_MIN_MS,
    most: LEASE_TTL_MAX_MS,
    default: LEASE_TTL_MAX_DEFAULT_MS,
  },
  // All worker IDs that the widest layout leases: half of 2^22.
  leasesPerKeyMax: { least: 1, most: 2_097_152 },
} as const satisfies Readonly<Record<string, WholeField>>;

/** The numbers of shards of a namespace. */
export const SHARD_FIELDS = {
  shards: { least: 1, most: SHARDS_MAX },
  keyShards: { least: 1, most: SHARDS_MAX },
} as const satisfies Readonly<Record<string, WholeField>>;

/** The fields of a segment namespace that fit in a JS number. */
export const SEGMENT_FIELDS = {
  step: { least: 1, most: SEGMENT_STEP_MAX },
  delta: { least: 1, most: SEGMENT_STEP_MAX },
  remainder: { least: 0, most: 999_999 },
} as const satisfies Readonly<Record<string, WholeField>>;

export type FieldTitle =
  | keyof typeof LAYOUT_FIELDS
  | keyof typeof LANE_FIELDS
  | keyof typeof POLICY_FIELDS
  | keyof typeof SHARD_FIELDS
  | keyof typeof SEGMENT_FIELDS
  | "start"
  | "max";

/** A description of each field. Separate from the bounds, because the minter bundles those and must stay small. */
export const FIELD_TEXTS: Readonly<Record<FieldTitle, string>> = {
  timestampBits: "Bits of the timestamp, in ticks since the epoch",
  datacenterBits: "Bits of the datacenter, the upper part of the worker ID",
  workerBits: "Bits of the worker ID below the datacenter",
  laneBits: "Bits of the lane: each worker ID has 2^laneBits number lines",
  sequenceBits: "Bits of the sequence, which numbers the IDs of one tick and lane",
  epochMs: "Start of tick 0, in unix ms",
  tickMs: "Length of a tick in ms",
  lanePlace: "Place of the lane's bits relative to those of the worker ID",
  laneUse:
    "When the next lane is used. always: if the current lane is used up or the clock went back. back: only if the clock went back",
  maxStepBackMs: "Largest step back of the clock that causes no rejected requests, in ms",
  maxBorrowMs: "How far demand may push IDs ahead of the clock, in ms",
  maxWaitMs: "Longest wait of one call at a shard, in ms",
  randomStart:
    "The sequence of each new tick starts at a random number below this; 0 disables it. At most 2^sequenceBits",
  reserveMs:
    "How far ahead of the clock a shard reserves IDs, in ms; a restart may skip up to this much",
  freshForMs: "How long an isolate or client may issue prefetched IDs, in ms",
  leaseTtlMaxMs: "Longest lease of a worker ID, in ms",
  leasesPerKeyMax:
    "Most worker IDs that one API key may lease at a time; keys with the scope admin have no limit",
  shards:
    "Number of shards: worker IDs 0 to shards − 1 issue IDs. At most half of the worker IDs; can only grow. Default 8",
  keyShards: "Number of shards that keys are spread over; default: shards",
  step: "Numbers per fetch, until Leaf's rule changes it; default 1000, or delta if that is larger",
  start: "The lowest number; default 1",
  max: "The highest number; default 2^63 − 1",
  delta: "Distance between IDs; default 1",
  remainder: "Remainder of every ID divided by delta; default 0",
};

/** The allowed values of a field; undefined if it allows `value`. */
export function wrongIn(field: WholeField | WordField, value: unknown): Allowed | undefined {
  if ("allowed" in field) {
    return field.allowed.some((one) => one === value) ? undefined : anyOf(field.allowed);
  }
  const { least, most } = field;
  return isWhole(value, least, most) ? undefined : integerFrom(least, most);
}

/** Maps each field of a table to a value. */
export function mapFields<Table extends object, Made>(
  table: Table,
  make: (field: Table[Extract<keyof Table, string>], name: Extract<keyof Table, string>) => Made,
): { [Name in keyof Table]: Made } {
  const made: Partial<Record<keyof Table, Made>> = {};
  for (const name in table) made[name] = make(table[name], name);
  // All names are set by now; the type of a partial record can't express that.
  return made as Record<keyof Table, Made>;
}
