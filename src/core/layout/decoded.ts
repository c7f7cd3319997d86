import { type Encoding, encode } from "../codec.ts";
import { RFC3339_MS_MAX } from "../limits.ts";
import { decompose } from "./id.ts";
import { fieldOf, type Layout, tickStartMs } from "./layout.ts";

/** What an ID says, for people. */
export type DecodedId = DecodedSnowflake | DecodedNumber;

/** A number of a segment: it says no more than itself. */
export interface DecodedNumber {
  readonly id: string;
  readonly kind: "segment";
  /** The same, decimal. */
  readonly value: string;
}

export interface DecodedSnowflake {
  readonly id: string;
  readonly kind: "snowflake";
  /** RFC 3339 in UTC; null after the year 9999, its last one. */
  readonly time: string | null;
  readonly unixMs: number;
  readonly tick: number;
  /** Only where the layout has the field. */
  readonly datacenter?: number;
  readonly worker: number;
  readonly shard: number;
  readonly lane: number;
  readonly sequence: number;
  readonly encodings: Readonly<Record<Encoding, string>>;
}

/** Reads an ID; undefined where it is negative or has bits above the layout. */
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

/** Reads a segment's number. */
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
