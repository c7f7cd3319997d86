/**
 * The tables of the registry in SQLite, made by its first namespace or key.
 *
 *   namespace (name, definition, createdMs, retiredMs)  one row per name, never deleted: retired names can't be reused.
 *   apiKey    (id, hash, record)                        hash: SHA-256 of the key in hex. The key itself is not stored.
 *
 * `definition` and `record` are JSON. Another version may have written more or fewer fields. Unknown
 * fields are ignored, except in a layout, because they could change the IDs. Missing policy fields get the preset's
 * value.
 */
import * as v from "valibot";
import { type ApiKeyRecord, SCOPES } from "../core/api-key.ts";
import { mapFields, POLICY_FIELDS, SEGMENT_FIELDS } from "../core/layout/fields.ts";
import { type LayoutSpec, makeLayout } from "../core/layout/layout.ts";
import { RFC3339_MS_MAX } from "../core/limits.ts";
import { defaultPolicyOf, type NamespaceDefinition } from "../core/namespace/namespace.ts";
import { REGIONS } from "../core/regions.ts";
import { NumberText } from "./segment-spec.ts";
import { Tables } from "./tables.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS namespace (
    name TEXT PRIMARY KEY, definition TEXT NOT NULL, createdMs INTEGER NOT NULL, retiredMs INTEGER
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS apiKey (
    id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, record TEXT NOT NULL
  ) WITHOUT ROWID;
`;

/** Lists omit namespaces of unknown kinds, which another version made. */
const KNOWN_KIND = "json_extract(definition, '$.kind') IN ('snowflake', 'segment')";

/** A namespace's row. `retiredMs`: time of its DELETE in unix ms; absent while it is in use. */
export interface StoredNamespace {
  readonly name: string;
  readonly definition: NamespaceDefinition;
  readonly createdMs: number;
  readonly retiredMs?: number;
}

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const SnowflakeSchema = v.object({
  kind: v.literal("snowflake"),
  preset: v.string(),
  layout: v.custom<LayoutSpec>((value) => makeLayout(value).ok),
  policy: v.object(mapFields(POLICY_FIELDS, () => v.exactOptional(whole))),
  shards: whole,
  regions: v.array(v.picklist(REGIONS)),
  keyShards: whole,
});

const SegmentSchema = v.object({
  kind: v.literal("segment"),
  ...mapFields(SEGMENT_FIELDS, () => whole),
  start: NumberText,
  max: NumberText,
  description: v.string(),
});

const DefinitionSchema = v.variant("kind", [SnowflakeSchema, SegmentSchema]);

const KeySchema = v.object({
  id: v.string(),
  name: v.exactOptional(v.string()),
  // A scope that this version does not know gives no rights.
  scopes: v.pipe(
    v.array(v.string()),
    v.transform((scopes) => SCOPES.filter((scope) => scopes.includes(scope))),
  ),
  namespaces: v.exactOptional(v.array(v.string())),
  expiresAtMs: v.exactOptional(
    // An older version allowed later times, which RFC 3339 can't express.
    v.pipe(
      whole,
      v.transform((ms) => Math.min(ms, RFC3339_MS_MAX)),
    ),
  ),
  createdMs: whole,
});

const json = v.pipe(v.string(), v.parseJson());
const NamespaceRow = v.object({
  name: v.string(),
  definition: v.pipe(json, DefinitionSchema),
  createdMs: whole,
  retiredMs: v.nullable(whole),
});
const KeyRow = v.object({ record: v.pipe(json, KeySchema) });
const HashRow = v.object({ hash: v.string() });
const CountRow = v.object({ count: whole });

export class RegistryStorage {
  readonly #sql: SqlStorage;
  readonly #tables: Tables;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#tables = new Tables(sql, SCHEMA, "apiKey");
  }

  /** The row of a namespace. Throws if this version does not know its kind. */
  namespace(name: string): StoredNamespace | undefined {
    return this.#namespaces("WHERE name = ?", name)[0];
  }

  /** Namespaces in order of their names, after the name `after`; only those in `only`, if given. */
  namespaces(after: string, limit: number, only?: readonly string[]): StoredNamespace[] {
    if (!only)
      return this.#namespaces(
        `WHERE name > ? AND ${KNOWN_KIND} ORDER BY name LIMIT ?`,
        after,
        limit,
      );
    return this.#namespaces(
      `WHERE name > ? AND ${KNOWN_KIND} AND name IN (SELECT value FROM json_each(?)) ORDER BY name LIMIT ?`,
      after,
      JSON.stringify(only),
      limit,
    );
  }

  /** The number of namespaces in use, and of all names, retired ones included. */
  countNamespaces(): { readonly inUse: number; readonly names: number } {
    return {
      inUse: this.#count("namespace WHERE retiredMs IS NULL"),
      names: this.#count("namespace"),
    };
  }

  putNamespace(name: string, definition: NamespaceDefinition, createdMs: number): void {
    this.#tables.make();
    this.#sql.exec(
      `INSERT INTO namespace (name, definition, createdMs) VALUES (?1, ?2, ?3)
       ON CONFLICT (name) DO UPDATE SET definition = ?2`,
      name,
      JSON.stringify(definition),
      createdMs,
    );
  }

  retireNamespace(name: string, retiredMs: number): void {
    this.#sql.exec("UPDATE namespace SET retiredMs = ? WHERE name = ?", retiredMs, name);
  }

  keyByHash(hash: string): ApiKeyRecord | undefined {
    return this.#keys("WHERE hash = ?", hash)[0];
  }

  keyById(id: string): ApiKeyRecord | undefined {
    return this.#keys("WHERE id = ?", id)[0];
  }

  /** Keys in order of their ids, after the id `after`. */
  keys(after: string, limit: number): ApiKeyRecord[] {
    return this.#keys("WHERE id > ? ORDER BY id LIMIT ?", after, limit);
  }

  countKeys(): number {
    return this.#count("apiKey");
  }

  /** Deletes the keys that have expired by `nowMs`. */
  deleteExpiredKeys(nowMs: number): void {
    this.#sql.exec("DELETE FROM apiKey WHERE json_extract(record, '$.expiresAtMs') <= ?", nowMs);
  }

  addKey(record: ApiKeyRecord, hash: string): void {
    this.#tables.make();
    const text = JSON.stringify(record);
    this.#sql.exec("INSERT INTO apiKey (id, hash, record) VALUES (?, ?, ?)", record.id, hash, text);
  }

  /** Deletes a key. Returns its hash; undefined if no key had this id. */
  deleteKey(id: string): string | undefined {
    if (!this.#tables.exist()) return undefined;
    const rows = this.#sql.exec("DELETE FROM apiKey WHERE id = ? RETURNING hash", id).toArray();
    return rows.map((row) => v.parse(HashRow, row).hash)[0];
  }

  #namespaces(where: string, ...bindings: (string | number)[]): StoredNamespace[] {
    if (!this.#tables.exist()) return [];
    const query = `SELECT name, definition, createdMs, retiredMs FROM namespace ${where}`;
    const rows = this.#sql.exec(query, ...bindings).toArray();
    return rows.map((row) => {
      const { retiredMs, definition, ...rest } = v.parse(NamespaceRow, row);
      const stored = { ...rest, definition: wholeDefinition(definition) };
      return retiredMs === null ? stored : { ...stored, retiredMs };
    });
  }

  #keys(where: string, ...bindings: (string | number)[]): ApiKeyRecord[] {
    if (!this.#tables.exist()) return [];
    const rows = this.#sql.exec(`SELECT record FROM apiKey ${where}`, ...bindings).toArray();
    return rows.map((row) => v.parse(KeyRow, row).record);
  }

  #count(rows: "namespace" | "namespace WHERE retiredMs IS NULL" | "apiKey"): number {
    if (!this.#tables.exist()) return 0;
    const row = this.#sql.exec(`SELECT count(*) AS count FROM ${rows}`).one();
    return v.parse(CountRow, row).count;
  }
}

function wholeDefinition(definition: v.InferOutput<typeof DefinitionSchema>): NamespaceDefinition {
  if (definition.kind === "segment") return definition;
  const policy = { ...defaultPolicyOf(definition.preset, definition.layout), ...definition.policy };
  return { ...definition, policy };
}
