import { type Encoding, encode } from "../codec.ts";
import { RFC3339_MS_MAX } from "../limits.ts";
import { decompose } from "./id.ts";
import { fieldOf, type Layout, tickStartMs } from "./layout.ts";

/** A decoded ID, in readable form. */
export type DecodedId = DecodedSnowflake | DecodedNumber;

/** A decoded segment ID: the number itself. */
export interface DecodedNumber {
  readonly id: string;
  readonly kind: "segment";
  /** The ID in decimal. */
  readonly value: string;
}

export interface DecodedSnowflake {
  readonly id: string;
  readonly kind: "snowflake";
  /** RFC 3339 in UTC; null after the year 9999, the last one in that format. */
  readonly time: string | null;
  readonly unixMs: number;
  readonly tick: number;
  /** Absent if the layout has no datacenter bits. */
  readonly datacenter?: number;
  readonly worker: number;
  readonly shard: number;
  readonly lane: number;
  readonly sequence: number;
  readonly encodings: Readonly<Record<Encoding, string>>;
}

/** Decodes a snowflake ID. Returns undefined if it is negative or has bits above the layout. */
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

/** Decodes a segment ID. */
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
