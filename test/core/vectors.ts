import { type Layout, layoutOf } from "../../src/core/layout/layout.ts";
import { PRESETS, type Preset } from "../../src/core/layout/presets.ts";

export function presetOf(name: string): Preset {
  const preset = PRESETS.get(name);
  if (!preset) throw new Error(`there is no preset ${name}`);
  return preset;
}

const NONE = { datacenterBits: 0, laneBits: 0, tickMs: 1 };

/** IDs published by others, or computed from their published layouts, with their fields. */
export interface Vector {
  readonly title: string;
  readonly layout: Layout;
  readonly id: bigint;
  readonly unixMs: number;
  readonly parts: {
    readonly datacenter?: number;
    readonly worker: number;
    readonly shard: number;
    readonly lane?: number;
    readonly sequence: number;
  };
}

export const VECTORS: readonly Vector[] = [
  {
    title: "twitter, a tweet",
    layout: presetOf("twitter").layout,
    id: 1541815603606036480n,
    unixMs: Date.UTC(2022, 5, 28, 16, 7, 40, 105),
    parts: { datacenter: 11, worker: 26, shard: 378, sequence: 0 },
  },
  {
    title: "twitter, 2020",
    layout: presetOf("twitter").layout,
    id: 1212161512043450368n,
    unixMs: 1577836800000,
    parts: { datacenter: 0, worker: 1, shard: 1, sequence: 0 },
  },
  {
    title: "leaf",
    layout: presetOf("leaf").layout,
    id: 1169786042799259000n,
    unixMs: 1567733700834,
    parts: { worker: 39, shard: 39, sequence: 3448 },
  },
  {
    title: "Discord",
    layout: layoutOf({
      ...NONE,
      timestampBits: 41,
      datacenterBits: 5,
      workerBits: 5,
      sequenceBits: 12,
      epochMs: 1420070400000,
    }),
    id: 175928847299117063n,
    unixMs: 1462015105796,
    parts: { datacenter: 1, worker: 0, shard: 32, sequence: 7 },
  },
  {
    title: "41/10/12 from the unix epoch",
    layout: layoutOf({
      ...NONE,
      timestampBits: 41,
      workerBits: 10,
      sequenceBits: 12,
      epochMs: 0,
    }),
    id: 5828128208445124608n,
    unixMs: 1389534046279,
    parts: { worker: 227, shard: 227, sequence: 0 },
  },
  {
    title: "UidGenerator",
    layout: layoutOf({
      ...NONE,
      timestampBits: 29,
      workerBits: 21,
      sequenceBits: 13,
      epochMs: 1474300800000,
      tickMs: 1000,
    }),
    id: 180363646902239241n,
    unixMs: Date.UTC(2017, 0, 19, 4, 15, 46),
    parts: { worker: 4, shard: 4, sequence: 9 },
  },
  {
    // Published as 41/13/10, 64 bits; the top bit is the sign and never set, so 40/13/10 reads the same.
    title: "Instagram",
    layout: layoutOf({
      ...NONE,
      timestampBits: 40,
      workerBits: 13,
      sequenceBits: 10,
      epochMs: 1314220021721,
    }),
    id: 11637205501278089n,
    unixMs: 1314220021721 + 1387263000,
    parts: { worker: 1341, shard: 1341, sequence: 905 },
  },
  {
    title: "js53, lane 0",
    layout: presetOf("js53").layout,
    id: 52727434510337n,
    unixMs: 1571443200000,
    parts: { worker: 1, shard: 1, lane: 0, sequence: 1 },
  },
  {
    title: "js53, lane 1",
    layout: presetOf("js53").layout,
    id: 52727435558913n,
    unixMs: 1571443200000,
    parts: { worker: 1, shard: 1, lane: 1, sequence: 1 },
  },
];
