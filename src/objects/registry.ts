/**
 * The registry: the single Durable Object that stores the namespaces and API keys of a deployment.
 *
 * Invariants, on top of core/namespace/namespace:
 *  R1 A name belongs to one namespace for ever: a retired one is never defined again.
 *  R2 Read, decide and write happen with no await between them, so of two racing PUTs one wins
 *     and the other is judged against it, and two PATCHes of different fields both hold.
 *  R3 A write is made only if the caller's key is in force and administers at that moment: a key that was revoked
 *     changes nothing, whatever an isolate remembers of it.
 */
import { DurableObject } from "cloudflare:workers";
import {
  ADMIN,
  ANYBODY,
  type ApiKeyRecord,
  hasScope,
  isExpired,
  type Scope,
} from "../core/api-key.ts";
import { API_KEYS_MAX, NAMES_MAX, NAMESPACES_MAX } from "../core/limits.ts";
import { type Defined, defineNamespace, type NamespaceInput } from "../core/namespace/namespace.ts";
import { type NamespacePatch, patchNamespace } from "../core/namespace/namespace-patch.ts";
import { RegistryStorage, type StoredNamespace } from "./registry-storage.ts";

/** The caller's key was revoked or has expired (R3). */
export interface Revoked {
  readonly kind: "revoked";
}

const REVOKED: Revoked = { kind: "revoked" };

/** There is no room for another namespace, or nothing of that name to patch. */
type Missing =
  | { readonly kind: "full"; readonly of: "namespaces" | "names"; readonly most: number }
  | { readonly kind: "unknown" };

export type NamespaceReply =
  | Revoked
  | { readonly kind: "created" | "changed"; readonly stored: StoredNamespace }
  | { readonly kind: "retired" }
  | Missing
  | Exclude<Defined, { kind: "defined" }>;

/** `hash`: the hash of a deleted key. */
export type RemoveReply =
  | Revoked
  | { readonly kind: "unknown" }
  | { readonly kind: "removed"; readonly hash?: string };

export type AddKeyReply =
  | Revoked
  | { readonly kind: "created" }
  | { readonly kind: "full"; readonly most: number };

export class Registry extends DurableObject<Env> {
  readonly #storage: RegistryStorage;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#storage = new RegistryStorage(ctx.storage.sql);
  }

  /** The namespace with that name, in use or retired. */
  namespace(name: string): StoredNamespace | undefined {
    return this.#storage.namespace(name);
  }

  /** A page of namespaces in order of their names, after the name `after`; only those in `only`, if given. */
  namespaces(after: string, limit: number, only?: readonly string[]): StoredNamespace[] {
    return this.#storage.namespaces(after, limit, only);
  }

  /** Creates a namespace, or changes what may change of one. `by`: the caller's id. */
  putNamespace(name: string, input: NamespaceInput, by: string): NamespaceReply {
    return this.#define(name, by, (before) => {
      const full = before ? undefined : this.#full();
      return full ?? defineNamespace(input, before?.definition);
    });
  }

  /** Changes the fields of a namespace that the patch names. `by`: the caller's id. */
  patchNamespace(name: string, patch: NamespacePatch, by: string): NamespaceReply {
    return this.#define(name, by, (before) =>
      before ? patchNamespace(patch, before.definition) : { kind: "unknown" },
    );
  }

  /** Retires a namespace; its name can't be reused. Idempotent. `by`: the caller's id. */
  retireNamespace(name: string, by: string): RemoveReply {
    if (!this.isInForce(by, "admin")) return REVOKED;
    const stored = this.#storage.namespace(name);
    if (stored && stored.retiredMs === undefined) this.#storage.retireNamespace(name, Date.now());
    return stored ? { kind: "removed" } : { kind: "unknown" };
  }

  /** The key with that SHA-256 in hex. */
  keyByHash(hash: string): ApiKeyRecord | undefined {
    return this.#storage.keyByHash(hash);
  }

  /** Whether the caller with that id is valid now and has the scope. */
  isInForce(id: string, scope: Scope): boolean {
    if (id === ADMIN.id || id === ANYBODY.id) return true;
    const record = this.#storage.keyById(id);
    return record !== undefined && !isExpired(record, Date.now()) && hasScope(record, scope);
  }

  /** A page of keys in order of their ids, after the id `after`. */
  keys(after: string, limit: number): ApiKeyRecord[] {
    return this.#storage.keys(after, limit);
  }

  /** Stores a new key. At the limit, deletes expired keys first. `by`: the caller's id. */
  addKey(record: ApiKeyRecord, hash: string, by: string): AddKeyReply {
    if (!this.isInForce(by, "admin")) return REVOKED;
    if (this.#storage.countKeys() >= API_KEYS_MAX) this.#storage.deleteExpiredKeys(Date.now());
    if (this.#storage.countKeys() >= API_KEYS_MAX) return { kind: "full", most: API_KEYS_MAX };
    this.#storage.addKey(record, hash);
    return { kind: "created" };
  }

  /** Revokes a key. `by`: the caller's id. */
  deleteKey(id: string, by: string): RemoveReply {
    if (!this.isInForce(by, "admin")) return REVOKED;
    const hash = this.#storage.deleteKey(id);
    return hash === undefined ? { kind: "unknown" } : { kind: "removed", hash };
  }

  /** Writes the definition that `define` makes of the stored namespace (R1, R2, R3). */
  #define(
    name: string,
    by: string,
    define: (before: StoredNamespace | undefined) => Defined | Missing,
  ): NamespaceReply {
    if (!this.isInForce(by, "admin")) return REVOKED;
    const before = this.#storage.namespace(name);
    if (before?.retiredMs !== undefined) return { kind: "retired" };
    const defined = define(before);
    if (defined.kind !== "defined") return defined;
    const { definition } = defined;
    const createdMs = before?.createdMs ?? Date.now();
    this.#storage.putNamespace(name, definition, createdMs);
    return { kind: before ? "changed" : "created", stored: { name, definition, createdMs } };
  }

  /** Why there is no room for a new namespace. */
  #full(): Missing | undefined {
    const { inUse, names } = this.#storage.countNamespaces();
    if (inUse >= NAMESPACES_MAX) return { kind: "full", of: "namespaces", most: NAMESPACES_MAX };
    if (names >= NAMES_MAX) return { kind: "full", of: "names", most: NAMES_MAX };
    return undefined;
  }
}
