/** Descriptions of fields whose schemas have none. */
import type { Schema, Schemas } from "./shapes.ts";

/** By name, or by `owner.name` if the name has several meanings. The owner is a schema, an operation or a field. */
const WORDS: Readonly<Record<string, string>> = {
  "Health.status": "The service answers",
  status: "HTTP status",
  ids: "IDs; numbers only with encoding=number",
  "Blocks.blocks": "Runs of IDs that are free to use",
  "Blocks.shard": "The shard that issued the blocks; 0 in segment namespaces",
  first: "The smallest ID",
  last: "The largest ID",
  count: "Number of IDs",
  shard: "A worker ID",
  freshForMs: "Time in which to use the IDs, in ms",
  id: "The ID in decimal",
  kind: "Kind of the namespace",
  value: "The number itself",
  unixMs: "Start of the ID's tick, in unix ms",
  tick: "Ticks since the epoch",
  datacenter: "The datacenter field; only in layouts that have one",
  worker: "The worker ID",
  "DecodedSnowflake.worker": "The worker field, without the datacenter",
  "DecodedSnowflake.shard": "The worker ID: datacenter and worker read as one number",
  lane: "The number line of the worker",
  sequence: "Number of the ID in its tick",
  encodings: "The ID in every encoding",
  decimal: "In base 10",
  hex: "In base 16, lower case",
  base32: "In Crockford's base 32",
  base36: "In base 36, lower case",
  base58: "In Bitcoin's base 58",
  base62: "In base 62: 0-9A-Za-z",
  region: "The region of the shard",
  lanes: "The number lines of the shard",
  next: "The lowest position that was not issued",
  mark: "The durable high-water mark: no position from here on was issued",
  lead: "How far next is ahead of the clock, in ticks",
  leadMs: "How far next is ahead of the clock, in ms",
  counters: "Since the shard was created, but refusals since it started",
  issued: "IDs issued",
  grants: "Runs of IDs granted",
  waits: "Waits for a later tick",
  rollbacks: "Steps back of the clock while the shard ran",
  writes: "Writes to storage",
  maxLeadMs: "Largest lead, in ms",
  writesPerIssued: "Writes per ID",
  refusals: "Rejected requests, by code",
  fault: "The reason why the shard has no status",
  code: "One of the error codes",
  detail: "The problem, the allowed values and the remedy",
  "Segment.description": "Your note on the namespace",
  description: "Your note on the namespace",
  update_time: "Time of the last fetch; null before the first",
  "Segment.fetches": "The last fetches of segments",
  fetches: "Fetches of segments",
  time: "Time of the fetch",
  from: "The first number fetched",
  until: "The first number after the fetch",
  exact: "Requests for an exact count of IDs",
  repeats: "Repeated requests with the same Idempotency-Key",
  shards: "The shards of this page",
  cursor: "Send it to get the next page; absent on the last",
  name: "Name of the namespace",
  builtIn: "True if the namespace came with the service",
  retired: "True if the namespace issues nothing any more",
  createdAt: "Time of creation",
  preset: "Preset of the layout and policy",
  "putNamespace.preset": "Layout and policy of a built-in namespace; not together with layout",
  layout: "The bit fields of an ID; fixed once the namespace exists",
  policy: "Bounds and times; a field that is absent has its preset's value",
  regions: "Places where the shards are first made: shard i near regions[i mod n]",
  namespace: "Name of the namespace",
  "Lease.token": "Proof of the lease, for renewing and releasing it",
  holder: "A label for the holder",
  ttlMs: "Length of the lease, in ms",
  leases: "The last lease of each worker ID",
  state: "Whether the lease is in force",
  notBefore: "Start of the lease, in unix ms",
  notAfter: "End of the lease, in unix ms",
  leftMs: "Time until notAfter, in ms",
  restedMs: "Time since notAfter, in ms",
  "Namespaces.namespaces": "The namespaces of this page",
  namespaces: "The only namespaces that the key may use; absent: all",
  scopes: "The scopes of the key",
  expiresAt:
    "End of the key's life, as ISO 8601 or unix ms in a request; absent: it does not expire",
  "Key.id": "Names the key in lists and logs",
  "NewKey.id": "Names the key in lists and logs",
  "Key.name": "Your label for the key",
  "NewKey.name": "Your label for the key",
  "createKey.name": "Your label for the key",
  key: "The key itself, shown only in this response",
  keys: "The keys of this page",
  "LeafError.timestamp": "Time of the error, in unix ms",
  "LeafDecoded.timestamp": "Time of the ID: unix ms, and a date in the zone LEAF_UTC_OFFSET",
  error: "The status in words",
  exception: "The Java exception of Leaf's server",
  message: "Leaf's or TinyID's own text",
  path: "Path of the request",
  sequenceId: "The sequence",
  workerId: "The worker ID",
  errorMsg: "The problem with the ID",
  data: "The IDs or the segment; null in an error",
  "TinyIds.code": "200, or 5 or 6 in an error",
  "TinySegment.code": "200, or 5 or 6 in an error",
  maxId: "Last number of the segment",
  loadingId: "The number from which a client fetches the next segment",
  currentId: "The number before the first",
  delta: "Distance between IDs",
  remainder: "Remainder of every ID divided by delta",
  "Problem.title": "The error in a few words",
  requestId: "Names the request in the log",
  retryAfterMs: "When to retry, in ms; absent if time does not help",
  errors: "Every rejected parameter or field",
  parameter: "Name of the parameter",
  field: "Name of the field, e.g. policy.maxWaitMs",
  min: "Smallest allowed value",
  max: "Largest allowed value",
  allowed: "Allowed values",
  conflict: "The two values that conflict",
  stored: "As the namespace has it",
  wished: "As the request has it",
};

/** The schema with a description for each field. `owner` is the schema's name. */
export function worded(schema: Schema, owner: string): Schema {
  const copy: Record<string, unknown> = { ...schema };
  for (const keyword of ["anyOf", "oneOf"]) {
    const parts = schema[keyword];
    if (Array.isArray(parts)) copy[keyword] = parts.map((part: Schema) => worded(part, owner));
  }
  if (isSchema(schema.items)) copy.items = worded(schema.items, owner);
  if (isSchema(schema.properties)) {
    copy.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => {
        return [name, isSchema(property) ? wordedField(property, owner, name) : property];
      }),
    );
  }
  return copy;
}

/** The same for each schema of a table. */
export function allWorded(schemas: Schemas): Schemas {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, worded(schema, name)]),
  );
}

function wordedField(schema: Schema, owner: string, name: string): Schema {
  const inner = worded(schema, name);
  const description = WORDS[`${owner}.${name}`] ?? WORDS[name];
  if (isDescribed(schema) || description === undefined) return inner;
  return { ...inner, description };
}

function isDescribed({ description, anyOf }: Schema): boolean {
  return description !== undefined || (Array.isArray(anyOf) && anyOf.some(isDescribed));
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null;
}
