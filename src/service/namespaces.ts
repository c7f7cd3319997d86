import type { Layout } from "../core/layout.ts";
import type { Policy } from "../core/policy.ts";
import { PRESETS, type Preset } from "../core/presets.ts";

/** A named ID space with its shards. Two namespaces may produce equal numbers. */
export interface Namespace {
  readonly name: string;
  readonly layout: Layout;
  readonly policy: Policy;
  /** Worker IDs 0..shards−1 are shards; at most the lower half of the worker range. */
  readonly shards: number;
  /** Shards that keys are hashed over; fixed for ever, or a key's IDs would fall back. */
  readonly keyShards: number;
  /** Shard i is first made near regions[i mod n]. */
  readonly regions: readonly DurableObjectLocationHint[];
  /** How long a leased block may serve, in ms. */
  readonly freshForMs: number;
  /** Layout and policy as the JSON text that goes along with each shard call. */
  readonly lineSpec: string;
}

const DEFAULT_SHARDS = 8;
const DEFAULT_REGIONS = ["enam", "wnam", "weur", "apac"] as const;
const DEFAULT_FRESH_FOR_MS = 250;

const BUILT_IN: ReadonlyMap<string, Namespace> = new Map(
  [...PRESETS].map(([name, preset]) => [name, builtIn(name, preset)]),
);

export const BUILT_IN_NAMES: readonly string[] = [...BUILT_IN.keys()];

/** The namespace of that name, or undefined. */
export function findNamespace(name: string): Namespace | undefined {
  return BUILT_IN.get(name);
}

/** The location hint that shard `shard` is first made with. */
export function regionOf({ regions }: Namespace, shard: number): DurableObjectLocationHint {
  return regions[shard % regions.length] ?? DEFAULT_REGIONS[0];
}

function builtIn(name: string, { spec, layout, policy }: Preset): Namespace {
  const shards = Math.min(DEFAULT_SHARDS, Math.max(1, layout.workerCount / 2));
  return {
    name,
    layout,
    policy,
    shards,
    keyShards: shards,
    regions: DEFAULT_REGIONS,
    freshForMs: DEFAULT_FRESH_FOR_MS,
    lineSpec: JSON.stringify({ layout: spec, policy }),
  };
}
