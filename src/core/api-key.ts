/** API keys and their rights. The key itself is random, and only its holder knows it. */
import { ADMIN_KEY_CHARS_MIN } from "./limits.ts";

/** `issue`: ids and blocks. `read`: decode, range, shards, namespaces. `lease`: worker-ID leases. `admin`: all. */
export const SCOPES = ["issue", "read", "lease", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** The stored record of a key; its hash is stored next to it. */
export interface ApiKeyRecord {
  /** Names the key in lists and logs; not secret. */
  readonly id: string;
  readonly name?: string;
  readonly scopes: readonly Scope[];
  /** The only namespaces that the key may use; absent: all. */
  readonly namespaces?: readonly string[];
  /** Expiry in unix ms; absent: the key does not expire. */
  readonly expiresAtMs?: number;
  readonly createdMs: number;
}

/** The holder of ADMIN_KEY, which the registry does not store. */
export const ADMIN: ApiKeyRecord = { id: "admin", scopes: ["admin"], createdMs: 0 };
/** Every caller with ACCESS=open. It has all rights. */
export const ANYBODY: ApiKeyRecord = { id: "open", scopes: ["admin"], createdMs: 0 };

/** The syntax of a bearer token (RFC 6750). */
export const BEARER_TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/** Whether a text can be ADMIN_KEY: a bearer token that is too long to guess. */
export function isAdminKey(text: string): boolean {
  return text.length >= ADMIN_KEY_CHARS_MIN && BEARER_TOKEN.test(text);
}

/** The rule for ADMIN_KEY, as a sentence. */
export const ADMIN_KEY_RULE = `ADMIN_KEY must be at least ${ADMIN_KEY_CHARS_MIN} characters, only letters, digits and . _ ~ + / -; create one with: openssl rand -base64 32`;

/**
 * A key can't create a key with more scopes, more namespaces or a later expiry than its own. Returns the first field
 * that exceeds the maker's rights.
 */
export function fieldBeyond(
  maker: ApiKeyRecord,
  input: Omit<ApiKeyRecord, "id" | "createdMs">,
): "scopes" | "namespaces" | "expiresAt" | undefined {
  if (!input.scopes.every((scope) => hasScope(maker, scope))) return "scopes";
  const { namespaces } = input;
  if (maker.namespaces && !namespaces?.every((name) => mayUse(maker, name))) return "namespaces";
  const makersEnd = maker.expiresAtMs ?? Number.POSITIVE_INFINITY;
  return (input.expiresAtMs ?? Number.POSITIVE_INFINITY) > makersEnd ? "expiresAt" : undefined;
}

/** Whether a key has expired. */
export function isExpired({ expiresAtMs }: ApiKeyRecord, nowMs: number): boolean {
  return expiresAtMs !== undefined && nowMs >= expiresAtMs;
}

/** Whether a key has a scope; `admin` has all. A key that is restricted to namespaces never has `admin`. */
export function hasScope({ scopes, namespaces }: ApiKeyRecord, scope: Scope): boolean {
  if (scope === "admin" && namespaces) return false;
  return scopes.includes(scope) || scopes.includes("admin");
}

/** Whether a key may be used in a namespace. */
export function mayUse({ namespaces }: ApiKeyRecord, namespace: string): boolean {
  return namespaces?.includes(namespace) ?? true;
}
