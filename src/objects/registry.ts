/**
 * The registry: the one Durable Object that knows the namespaces and the API keys of a deployment.
 *
 * Invariants, on top of core/namespace:
 *  R1 A name belongs to one namespace for ever: a retired one is never defined again.
 *  R2 Read, decide and write happen with no await between them, so of two racing PUTs one wins
 *     and the other is judged against it.
 */
import { DurableObject } from "cloudflare:workers";
import type { ApiKeyRecord } from "../core/api-key.ts";
import { API_KEYS_MAX, NAMES_MAX, NAMESPACES_MAX } from "../core/limits.ts";
import { type Defined, defineNamespace, type NamespaceWish } from "../core/namespace.ts";
import { RegistryStorage, type StoredNamespace } from "./registry-storage.ts";

export type PutReply =
  | { readonly kind: "created" | "changed"; readonly stored: StoredNamespace }
  | { readonly kind: "retired" }
  | { readonly kind: "full"; readonly of: "namespaces" | "names"; readonly most: number }
  | Exclude<Defined, { kind: "defined" }>;

export type AddKeyReply =
  | { readonly kind: "created" }
  | { readonly kind: "full"; readonly most: number };

export class Registry extends DurableObject<Env> {
  readonly #storage: RegistryStorage;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#storage = new RegistryStorage(ctx.storage.sql);
  }

  /** The namespace of that name, in use or retired. */
  namespace(name: string): StoredNamespace | undefined {
    return this.#storage.namespace(name);
  }

  /** A page of namespaces in the order of their names, after the name `after`; of `only` where given. */
  namespaces(after: string, limit: number, only?: readonly string[]): StoredNamespace[] {
    return this.#storage.namespaces(after, limit, only);
  }

  /** Creates a namespace, or changes what may change of one. */
  putNamespace(name: string, wish: NamespaceWish): PutReply {
    const before = this.#storage.namespace(name);
    if (before?.retiredMs !== undefined) return { kind: "retired" };
    const { inUse, names } = this.#storage.countNamespaces();
    if (!before && inUse >= NAMESPACES_MAX) {
      return { kind: "full", of: "namespaces", most: NAMESPACES_MAX };
    }
    if (!before && names >= NAMES_MAX) return { kind: "full", of: "names", most: NAMES_MAX };
    const defined = defineNamespace(wish, before?.definition);
    if (defined.kind !== "defined") return defined;
    const { definition } = defined;
    const createdMs = before?.createdMs ?? Date.now();
    this.#storage.putNamespace(name, definition, createdMs);
    const stored = { name, definition, createdMs };
    return { kind: before ? "changed" : "created", stored };
  }

  /** Retires a name for ever; false where there is none. Retiring twice is once. */
  retireNamespace(name: string): boolean {
    const stored = this.#storage.namespace(name);
    if (stored && stored.retiredMs === undefined) this.#storage.retireNamespace(name, Date.now());
    return stored !== undefined;
  }

  /** The key with that SHA-256 in hex. */
  keyByHash(hash: string): ApiKeyRecord | undefined {
    return this.#storage.keyByHash(hash);
  }

  /** The key of that id. */
  keyById(id: string): ApiKeyRecord | undefined {
    return this.#storage.keyById(id);
  }

  /** A page of keys in the order of their ids, after the id `after`. */
  keys(after: string, limit: number): ApiKeyRecord[] {
    return this.#storage.keys(after, limit);
  }

  /** Keeps a new key; where there are too many, expired ones make room. */
  addKey(record: ApiKeyRecord, hash: string): AddKeyReply {
    if (this.#storage.countKeys() >= API_KEYS_MAX) this.#storage.deleteExpiredKeys(Date.now());
    if (this.#storage.countKeys() >= API_KEYS_MAX) return { kind: "full", most: API_KEYS_MAX };
    this.#storage.addKey(record, hash);
    return { kind: "created" };
  }

  /** Revokes a key; its hash, undefined if there is no such key. */
  deleteKey(id: string): string | undefined {
    return this.#storage.deleteKey(id);
  }
}
