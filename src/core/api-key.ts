/** API keys: what a key may do. The key itself is random and known to its holder only. */

/** `issue`: ids and blocks. `read`: decode, range, shards, namespaces. `lease`: worker-ID leases. `admin`: all. */
export const SCOPES = ["issue", "read", "lease", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** What is stored of a key, beside its hash. */
export interface ApiKeyRecord {
  /** Names the key in lists and logs; not secret. */
  readonly id: string;
  readonly name?: string;
  readonly scopes: readonly Scope[];
  /** The namespaces it is restricted to; absent: all. */
  readonly namespaces?: readonly string[];
  /** Unix ms from which it is no longer taken; absent: never. */
  readonly expiresAtMs?: number;
  readonly createdMs: number;
}

/** Whether a key is past its time. */
export function isExpired({ expiresAtMs }: ApiKeyRecord, nowMs: number): boolean {
  return expiresAtMs !== undefined && nowMs >= expiresAtMs;
}

/** Whether a key has a scope; `admin` has all. A key that is restricted to namespaces never administers. */
export function hasScope({ scopes, namespaces }: ApiKeyRecord, scope: Scope): boolean {
  if (scope === "admin" && namespaces) return false;
  return scopes.includes(scope) || scopes.includes("admin");
}

/** Whether a key may be used in a namespace. */
export function mayUse({ namespaces }: ApiKeyRecord, namespace: string): boolean {
  return namespaces?.includes(namespace) ?? true;
}
