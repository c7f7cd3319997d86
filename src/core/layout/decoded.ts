import { type Encoding, encode } from "../codec.ts";
import { RFC3339_MS_MAX } from "../limits.ts";
import { decompose } from "./id.ts";
import { fieldOf, type Layout, tickStartMs } from "./layout.ts";

/** A decoded ID. Its `kind` tells an ID with a time (`snowflake`) from a plain number (`segment`). */
export type DecodedId = DecodedSnowflake | DecodedNumber;

/** A decoded ID of a segment: a plain number without fields. */
export interface DecodedNumber {
  /** The ID, as a decimal text. */
  readonly id: string;
  /** The kind of the namespace. */
  readonly kind: "segment";
  /** The number, as a decimal text: the same as `id`. */
  readonly value: string;
}

/** A decoded ID of a time-ordered namespace, with the fields of its layout. */
export interface DecodedSnowflake {
  /** The ID, as a decimal text. */
  readonly id: string;
  /** The kind of the namespace. */
  readonly kind: "snowflake";
  /** The begin of the ID's tick, RFC 3339 in UTC; `null` after the year 9999, which RFC 3339 ends with. */
  readonly time: string | null;
  /** The begin of the ID's tick, unix ms. */
  readonly unixMs: number;
  /** The timestamp field: ticks since the layout's epoch. */
  readonly tick: number;
  /** The datacenter field; absent if the layout has no such field. */
  readonly datacenter?: number;
  /** The worker field. */
  readonly worker: number;
  /** The datacenter and worker fields as one number: the shard, or the leased worker ID, that issued the ID. */
  readonly shard: number;
  /** The lane field: the number line of the worker; 0 if the layout has no lanes. */
  readonly lane: number;
  /** The sequence field: the place of the ID within its tick. */
  readonly sequence: number;
  /** The ID in each encoding. */
  readonly encodings: Readonly<Record<Encoding, string>>;
}

/** Decodes an ID; undefined if it is negative or has bits above the layout. */
export function decodedId(layout: Layout, id: bigint): DecodedSnowflake | undefined {
  const parts = decompose(layout, id);
  if (!parts) return undefined;
  const { tick, datacenter, worker, shard, lane, sequence } = parts;
  const unixMs = tickStartMs(layout, tick);
  return {
    id: id.toString(),
    kind: "snowflake",
    time: unixMs <= RFC3339_MS_MAX ? new Date(unixMs).toISOString() : null,
    unixMs,
    tick,
    ...(fieldOf(layout, "datacenter") && { datacenter }),
    worker,
    shard,
    lane,
    sequence,
    encodings: encodingsOf(id),
  };
}

/** Decodes a segment's number. */
export function decodedNumber(value: bigint): DecodedNumber {
  return { id: `${value}`, kind: "segment", value: `${value}` };
}

function encodingsOf(id: bigint): DecodedSnowflake["encodings"] {
  return {
    decimal: encode(id, "decimal"),
    hex: encode(id, "hex"),
    base32: encode(id, "base32"),
    base36: encode(id, "base36"),
    base58: encode(id, "base58"),
    base62: encode(id, "base62"),
  };
}
