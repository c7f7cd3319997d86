import { describe, expect, it } from "vitest";
import { fieldBeyond, hasScope, isExpired, mayUse } from "../../src/core/api-key.ts";

const key = { id: "k", scopes: ["issue" as const], createdMs: 0 };
const admin = { ...key, scopes: ["admin" as const] };

describe("keys", () => {
  it("have their scopes; an admin has all, a restricted admin no administration", () => {
    expect([hasScope(key, "issue"), hasScope(key, "read")]).toEqual([true, false]);
    expect([hasScope(admin, "issue"), hasScope(admin, "admin")]).toEqual([true, true]);
    const restricted = { ...admin, namespaces: ["a"] };
    expect([hasScope(restricted, "issue"), hasScope(restricted, "admin")]).toEqual([true, false]);
  });

  it("are valid until their expiry, exclusive", () => {
    const expiring = { ...key, expiresAtMs: 1000 };
    expect([isExpired(expiring, 999), isExpired(expiring, 1000)]).toEqual([false, true]);
    expect(isExpired(key, Number.MAX_SAFE_INTEGER)).toBe(false);
  });

  it("can't create a key with more rights", () => {
    const bounded = { ...admin, expiresAtMs: 1000 };
    expect(fieldBeyond(admin, { scopes: ["admin", "issue"] })).toBeUndefined();
    expect(fieldBeyond(bounded, { scopes: ["lease"], expiresAtMs: 1000 })).toBeUndefined();
    expect(fieldBeyond(bounded, { scopes: ["lease"], expiresAtMs: 1001 })).toBe("expiresAt");
    expect(fieldBeyond(bounded, { scopes: ["lease"] })).toBe("expiresAt");
    expect(fieldBeyond(key, { scopes: ["issue", "read"] })).toBe("scopes");
    const restricted = { ...key, namespaces: ["a", "b"] };
    expect(fieldBeyond(restricted, { scopes: ["issue"], namespaces: ["b"] })).toBeUndefined();
    expect(fieldBeyond(restricted, { scopes: ["issue"], namespaces: ["b", "c"] })).toBe(
      "namespaces",
    );
    expect(fieldBeyond(restricted, { scopes: ["issue"] })).toBe("namespaces");
  });

  it("may use their namespaces, or all if they have no list", () => {
    expect(mayUse(key, "a")).toBe(true);
    const restricted = { ...key, namespaces: ["a"] };
    expect([mayUse(restricted, "a"), mayUse(restricted, "A")]).toEqual([true, false]);
  });
});
