import { ADMIN, ANYBODY, type ApiKeyRecord, isExpired, type Scope } from "../../core/api-key.ts";
import { setBounded } from "../../core/bounded-map.ts";
import type { AddKeyReply, Registry, RemoveReply } from "../../objects/registry.ts";
import { CACHE_ENTRIES_MAX, CACHE_TRUSTED_MS } from "../limits.ts";
import { RegistryCache } from "./registry-cache.ts";
import { callRegistry, confirmed, type RegistryBinding } from "./registry-call.ts";

/**
 * A key is `efk_`, 192 random bits, and 6 characters of their SHA-256, all base64url. The check characters
 * let an isolate reject mistyped and invented keys without a call of the registry.
 */
const KEY_FORMAT = /^efk_([A-Za-z0-9_-]{32})([A-Za-z0-9_-]{6})$/;
const KEY_PREFIX = "efk_";
const KEY_RANDOM_BYTES = 24;
const KEY_CHECK_CHARS = 6;
const KEY_ID_BYTES = 9;

/** A cache of valid keys, by their digest. A failing registry does not extend their maximum age. */
const known = new RegistryCache<ApiKeyRecord>({ staleMaxMs: CACHE_TRUSTED_MS });

/**
 * Digests of recently valid tokens, which saves a hash per request. A Map compares by a hash with a random seed per
 * process, so the time of a look-up reveals nothing about a guess.
 */
const digestsOfKnown = new Map<string, string>();
/** The admin key with its digest, once a request has sent it. */
let admin: { readonly key: string; readonly digest: string } | undefined;

const encoder = new TextEncoder();

/** The settings of a new key. */
export type KeyInput = Omit<ApiKeyRecord, "id" | "createdMs">;

export type CreatedKey =
  /** `key` is shown once and never stored. */
  | { readonly kind: "created"; readonly key: string; readonly record: ApiKeyRecord }
  | { readonly kind: "full"; readonly most: number };

/**
 * Creates a key from the platform's cryptographic randomness. `by`: the creator.
 * Throws RegistryUnavailableError and KeyRevokedError.
 */
export async function createKey(
  registry: RegistryBinding,
  input: KeyInput,
  nowMs: number,
  by: ApiKeyRecord,
): Promise<CreatedKey> {
  const random = base64url(crypto.getRandomValues(new Uint8Array(KEY_RANDOM_BYTES)));
  const id = base64url(crypto.getRandomValues(new Uint8Array(KEY_ID_BYTES)));
  const key = `${KEY_PREFIX}${random}${await checkOf(random)}`;
  const hash = (await sha256(key)).toHex();
  const scopes = [...new Set(input.scopes)];
  const record: ApiKeyRecord = { ...input, scopes, id, createdMs: nowMs };
  const add = (stub: DurableObjectStub<Registry>) => stub.addKey(record, hash, by.id);
  const reply = confirmed(await callRegistry<AddKeyReply>(registry, add, { changes: true }));
  return reply.kind === "created" ? { kind: "created", key, record } : reply;
}

/** A page of keys in order of their ids, after the id `after`. Throws RegistryUnavailableError. */
export function listKeys(
  registry: RegistryBinding,
  after: string,
  limit: number,
): Promise<ApiKeyRecord[]> {
  return callRegistry<ApiKeyRecord[]>(registry, (stub) => stub.keys(after, limit));
}

/**
 * Revokes a key: in this isolate immediately, in all others within CACHE_TRUSTED_MS. Returns false if no key has this
 * id. Throws RegistryUnavailableError and KeyRevokedError.
 */
export async function deleteKey(
  registry: RegistryBinding,
  id: string,
  by: ApiKeyRecord,
): Promise<boolean> {
  const remove = (stub: DurableObjectStub<Registry>) => stub.deleteKey(id, by.id);
  const reply = confirmed(await callRegistry<RemoveReply>(registry, remove, { changes: true }));
  if (reply.kind === "removed" && reply.hash !== undefined) known.forget(reply.hash);
  return reply.kind === "removed";
}

/**
 * Confirms at the registry, not in a cache, that a caller's key is valid: for writes to other objects.
 * Throws RegistryUnavailableError and KeyRevokedError.
 */
export async function confirmKey(
  registry: RegistryBinding,
  { id }: ApiKeyRecord,
  scope: Scope,
): Promise<void> {
  if (id === ADMIN.id || id === ANYBODY.id) return;
  const ask = (stub: DurableObjectStub<Registry>) => stub.isInForce(id, scope);
  const isInForce = await callRegistry<boolean>(registry, ask);
  confirmed({ kind: isInForce ? "in force" : "revoked" });
}

export interface FindKeyHooks {
  readonly waitUntil: (work: Promise<unknown>) => void;
  /**
   * Called before this request calls the registry. Its errors are thrown. A request that uses another request's answer
   * is not charged, because it costs the registry nothing.
   */
  readonly beforeAsking: () => Promise<void>;
}

/**
 * The owner of a token; undefined if the token is not valid. `adminKey` is compared as a digest, in constant time. Keys
 * are looked up by their digest, so the time of a comparison reveals nothing about a guess. Throws
 * RegistryUnavailableError if the registry is down: keys fail closed.
 */
export async function findKey(
  registry: RegistryBinding,
  adminKey: string,
  token: string,
  hooks: FindKeyHooks,
): Promise<ApiKeyRecord | undefined> {
  const digest = await sha256(token);
  const hash = digest.toHex();
  if (crypto.subtle.timingSafeEqual(digest, await sha256(adminKey))) {
    admin = { key: adminKey, digest: hash };
    setBounded(digestsOfKnown, token, hash, CACHE_ENTRIES_MAX);
    return ADMIN;
  }
  const [, random, check] = KEY_FORMAT.exec(token) ?? [];
  if (random === undefined || check !== (await checkOf(random))) return undefined;
  const read = () =>
    callRegistry<ApiKeyRecord | undefined>(registry, (stub) => stub.keyByHash(hash));
  const record = await known.get(hash, read, hooks);
  if (!record || isExpired(record, Date.now())) return undefined;
  setBounded(digestsOfKnown, token, hash, CACHE_ENTRIES_MAX);
  return record;
}

/** Like `findKey`, but only from this isolate's caches; undefined if they have no valid answer. */
export function keyInMemory(adminKey: string, token: string): ApiKeyRecord | undefined {
  const hash = digestsOfKnown.get(token);
  if (hash === undefined) return undefined;
  if (admin?.digest === hash && admin.key === adminKey) return ADMIN;
  const record = known.peek(hash);
  return record && !isExpired(record, Date.now()) ? record : undefined;
}

async function checkOf(random: string): Promise<string> {
  return base64url(await sha256(random)).slice(0, KEY_CHECK_CHARS);
}

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
}

function base64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
