import type { FieldName, Layout } from "./layout.ts";

/** The fields of an ID. `worker` is the worker field alone; `shard` is datacenter and worker as one number. */
export interface IdParts {
  readonly tick: number;
  readonly datacenter: number;
  readonly worker: number;
  readonly shard: number;
  readonly lane: number;
  readonly sequence: number;
}

/** The fields that determine an ID. */
export type IdPlace = Pick<IdParts, "tick" | "shard" | "lane" | "sequence">;

/** The largest number with the layout's bits. */
export function maxIdOf(layout: Layout): bigint {
  return (1n << BigInt(layout.totalBits)) - 1n;
}

/** Composes an ID. Throws RangeError if a value does not fit its field. */
export function compose(layout: Layout, place: IdPlace): bigint {
  const workerBits = layout.fields.find(({ name }) => name === "worker")?.bits ?? 0;
  const values: Record<FieldName, number> = {
    timestamp: place.tick,
    datacenter: Math.floor(place.shard / 2 ** workerBits),
    worker: place.shard % 2 ** workerBits,
    lane: place.lane,
    sequence: place.sequence,
  };
  inside("tick", place.tick, layout.tickCount);
  inside("shard", place.shard, layout.workerCount);
  inside("lane", place.lane, layout.laneCount);
  inside("sequence", place.sequence, layout.sequenceCount);
  let id = 0n;
  for (const { name, shift } of layout.fields) id |= BigInt(values[name]) << BigInt(shift);
  return id;
}

/** Splits an ID into its fields. Returns undefined if it is negative or has bits above the layout. */
export function decompose(layout: Layout, id: bigint): IdParts | undefined {
  if (id < 0n || id > maxIdOf(layout)) return undefined;
  const values: Record<FieldName, number> = {
    timestamp: 0,
    datacenter: 0,
    worker: 0,
    lane: 0,
    sequence: 0,
  };
  let workerBits = 0;
  for (const { name, bits, shift } of layout.fields) {
    values[name] = Number(BigInt.asUintN(bits, id >> BigInt(shift)));
    if (name === "worker") workerBits = bits;
  }
  const { timestamp: tick, datacenter, worker, lane, sequence } = values;
  return { tick, datacenter, worker, shard: datacenter * 2 ** workerBits + worker, lane, sequence };
}

function inside(name: string, value: number, end: number): void {
  if (!Number.isInteger(value) || value < 0 || value >= end) {
    throw new RangeError(`cannot compose an ID: ${name} ${value} is not in 0..${end - 1}`);
  }
}
