/** Every kind of caller of a deployment that requires keys. */
import { ask, keyFor, put } from "./admin.ts";
import { clock } from "./clock.ts";

export type CallerKind =
  | "none"
  | "unknown"
  | "expired"
  | "revoked"
  | "issue"
  | "read"
  | "lease"
  | "admin"
  | "issueElsewhere"
  | "readElsewhere"
  | "leaseElsewhere";

/** Bearer tokens; null: no token. */
export type Callers = Readonly<Record<CallerKind, string | null>>;

const EVERY_SCOPE = ["issue", "read", "lease", "admin"];
/** The only namespace of the keys that are valid elsewhere. */
export const ELSEWHERE = "elsewhere";
const EXPIRES_AFTER_MS = 1000;

/** Makes them, and moves the clock past the expiry of one. */
export async function makeCallers(): Promise<Callers> {
  await put(ELSEWHERE);
  const keyOf = async (input: Record<string, unknown>) => (await keyFor(input)).key;
  const withScope = (scope: string) => keyOf({ scopes: [scope] });
  const elsewhere = (scope: string) => keyOf({ scopes: [scope], namespaces: [ELSEWHERE] });
  const expiresAt = new Date(Date.now() + EXPIRES_AFTER_MS).toISOString();
  const expired = await keyOf({ scopes: EVERY_SCOPE, expiresAt });
  const revoked = await keyFor({ scopes: EVERY_SCOPE });
  await ask(`/v1/keys/${revoked.id}`, { method: "DELETE" });
  clock.step(EXPIRES_AFTER_MS);
  return {
    none: null,
    unknown: `efk_${"A".repeat(38)}`,
    expired,
    revoked: revoked.key,
    issue: await withScope("issue"),
    read: await withScope("read"),
    lease: await withScope("lease"),
    admin: await withScope("admin"),
    issueElsewhere: await elsewhere("issue"),
    readElsewhere: await elsewhere("read"),
    leaseElsewhere: await elsewhere("lease"),
  };
}
