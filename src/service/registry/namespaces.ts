import type { ApiKeyRecord } from "../../core/api-key.ts";
import { type Layout, layoutOf } from "../../core/layout/layout.ts";
import { lineSpecOf, type NamespacePolicy } from "../../core/layout/policy.ts";
import {
  defineNamespace,
  NAMESPACE_NAME,
  type NamespaceDefinition,
  type NamespaceInput,
  type SnowflakeDefinition,
} from "../../core/namespace/namespace.ts";
import type { NamespacePatch } from "../../core/namespace/namespace-patch.ts";
import type { Region } from "../../core/regions.ts";
import type { SegmentNumbers } from "../../core/segment/segment.ts";
import { type SegmentDefinition, segmentNumbersOf } from "../../core/segment/segment-definition.ts";
import type { NamespaceReply, Registry, RemoveReply, Revoked } from "../../objects/registry.ts";
import type { StoredNamespace } from "../../objects/registry-storage.ts";
import { NAMESPACE_STALE_MAX_MS } from "../limits.ts";
import { RegistryCache } from "./registry-cache.ts";
import { callRegistry, confirmed, type RegistryBinding } from "./registry-call.ts";

interface AnyNamespace {
  readonly name: string;
  readonly builtIn: boolean;
  /** True if the namespace is retired: it issues nothing, but decode and range still work. */
  readonly retired: boolean;
  /** Time of creation in unix ms; absent for built-in namespaces. */
  readonly createdMs?: number;
  /** Worker IDs 0..shards−1 are shards; a segment's single object counts as shard 0. */
  readonly shards: number;
}

/** A namespace of time-ordered IDs, with derived values. Two namespaces may produce equal numbers. */
export interface SnowflakeNamespace extends AnyNamespace {
  readonly kind: "snowflake";
  readonly definition: SnowflakeDefinition;
  readonly layout: Layout;
  readonly policy: NamespacePolicy;
  /** Number of shards that keys are hashed over. */
  readonly keyShards: number;
  /** Shard i is created near regions[i mod n]. */
  readonly regions: readonly Region[];
  /** Layout and policy as JSON text, sent with each shard call. */
  readonly lineSpec: string;
}

/** A segment namespace, with derived values. */
export interface SegmentNamespace extends AnyNamespace {
  readonly kind: "segment";
  readonly definition: SegmentDefinition;
  readonly numbers: SegmentNumbers;
  /** The numbers as JSON text, sent with each call. */
  readonly segmentSpec: string;
}

/** A named ID space. */
export type Namespace = SnowflakeNamespace | SegmentNamespace;

/**
 * The presets that are also built-in namespaces. This list never grows: a user may already have a namespace with the
 * name of a new preset.
 */
const BUILT_IN_PRESETS = ["default", "twitter", "leaf", "js53", "node"] as const;
/** The built-in segment namespace, for tests. */
const SEGMENT_NAME = "segment";

const BUILT_IN: ReadonlyMap<string, Namespace> = new Map([
  ...BUILT_IN_PRESETS.map((name) => builtIn(name, { kind: "snowflake", preset: name })),
  builtIn(SEGMENT_NAME, { kind: "segment" }),
]);

/** A cache of the registry's namespaces, used for up to NAMESPACE_STALE_MAX_MS while the registry is down. */
const known = new RegistryCache<Namespace>({ staleMaxMs: NAMESPACE_STALE_MAX_MS });

/** The built-in namespaces. Their names and layouts never change. */
export const BUILT_IN_NAMESPACES: readonly Namespace[] = [...BUILT_IN.values()];

/**
 * The namespace with that name: built in, cached or from the registry; undefined if there is no such namespace. Throws
 * RegistryUnavailableError.
 */
export async function findNamespace(
  registry: RegistryBinding,
  name: string,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<Namespace | undefined> {
  const namespace = BUILT_IN.get(name);
  if (namespace) return namespace;
  if (!NAMESPACE_NAME.test(name)) return undefined;
  const read = async (): Promise<Namespace | undefined> => {
    const stored = await callRegistry<StoredNamespace | undefined>(registry, (stub) =>
      stub.namespace(name),
    );
    return stored && namespaceOf(stored);
  };
  return known.get(name, read, { waitUntil });
}

/** The namespace with that name, if this isolate has it cached. Undefined does not mean that it does not exist. */
export function namespaceInMemory(name: string): Namespace | undefined {
  return BUILT_IN.get(name) ?? known.peek(name);
}

/** The bounds of a list of namespaces. */
export interface NamespacePage {
  /** The list starts after this name. */
  readonly after: string;
  readonly limit: number;
  /** The only names to list; absent: all. */
  readonly only?: readonly string[] | undefined;
}

/** A page of namespaces in order of their names. Throws RegistryUnavailableError. */
export async function listNamespaces(
  registry: RegistryBinding,
  { after, limit, only }: NamespacePage,
): Promise<Namespace[]> {
  const stored = await callRegistry<StoredNamespace[]>(registry, (stub) =>
    stub.namespaces(after, limit, only),
  );
  const builtIns = BUILT_IN_NAMESPACES.filter(
    ({ name }) => name > after && (only?.includes(name) ?? true),
  );
  const page = [...builtIns, ...stored.map(namespaceOf)];
  return page.sort((one, other) => (one.name < other.name ? -1 : 1)).slice(0, limit);
}

/**
 * Creates or changes a namespace. The change applies in this isolate immediately. `by`: the caller.
 * Throws RegistryUnavailableError and KeyRevokedError.
 */
export async function putNamespace(
  registry: RegistryBinding,
  name: string,
  input: NamespaceInput,
  by: ApiKeyRecord,
): Promise<Exclude<NamespaceReply, Revoked>> {
  return change<NamespaceReply>(registry, name, (stub) => stub.putNamespace(name, input, by.id));
}

/** Changes the fields of a namespace that the patch names. Otherwise as `putNamespace`. */
export async function patchNamespace(
  registry: RegistryBinding,
  name: string,
  patch: NamespacePatch,
  by: ApiKeyRecord,
): Promise<Exclude<NamespaceReply, Revoked>> {
  return change<NamespaceReply>(registry, name, (stub) => stub.patchNamespace(name, patch, by.id));
}

/**
 * Retires a namespace. Returns false if it does not exist. `by`: the caller. Throws RegistryUnavailableError and
 * KeyRevokedError.
 */
export async function retireNamespace(
  registry: RegistryBinding,
  name: string,
  by: ApiKeyRecord,
): Promise<boolean> {
  const { kind } = await change<RemoveReply>(registry, name, (stub) =>
    stub.retireNamespace(name, by.id),
  );
  return kind === "removed";
}

/** Calls the registry to change a namespace, and forgets what this isolate knows of it: even a failed call may have. */
async function change<Reply extends { readonly kind: string }>(
  registry: RegistryBinding,
  name: string,
  call: (stub: DurableObjectStub<Registry>) => Promise<Reply>,
): Promise<Exclude<Reply, Revoked>> {
  try {
    return confirmed(await callRegistry(registry, call, { changes: true }));
  } finally {
    known.forget(name);
  }
}

export function isBuiltIn(name: string): boolean {
  return BUILT_IN.has(name);
}

/** Converts a stored namespace: adds its derived values. */
export function namespaceOf({
  name,
  definition,
  createdMs,
  retiredMs,
}: StoredNamespace): Namespace {
  return {
    ...served(name, definition),
    builtIn: false,
    retired: retiredMs !== undefined,
    createdMs,
  };
}

/** How long IDs may be used, in ms from the request; undefined for segments. */
export function freshForMsOf(namespace: Namespace): number | undefined {
  return namespace.kind === "snowflake" ? namespace.policy.freshForMs : undefined;
}

/** The region in which a shard is created. */
export function regionOf({ regions }: SnowflakeNamespace, shard: number): Region {
  const region = regions[shard % regions.length];
  if (region === undefined) throw new RangeError("a namespace has at least one region");
  return region;
}

function builtIn(name: string, input: NamespaceInput): [string, Namespace] {
  const defined = defineNamespace(input);
  if (defined.kind !== "defined") throw new RangeError(`${name} is no namespace`);
  return [name, { ...served(name, defined.definition), builtIn: true, retired: false }];
}

function served(name: string, definition: NamespaceDefinition) {
  return definition.kind === "segment"
    ? servedSegment(name, definition)
    : servedSnowflake(name, definition);
}

function servedSegment(name: string, definition: SegmentDefinition) {
  const { kind, start, max, delta, remainder } = definition;
  const segmentSpec = JSON.stringify({ start, max, delta, remainder });
  return { name, kind, definition, numbers: segmentNumbersOf(definition), segmentSpec, shards: 1 };
}

function servedSnowflake(name: string, definition: SnowflakeDefinition) {
  const { kind, layout, policy, shards, keyShards, regions } = definition;
  return {
    name,
    kind,
    definition,
    layout: layoutOf(layout),
    policy,
    shards,
    keyShards,
    regions,
    lineSpec: lineSpecOf(layout, policy),
  };
}
