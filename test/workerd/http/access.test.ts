/** Access control: bearer keys, scopes, namespaces, expiry, revocation, rate limits. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { ADMIN_KEY, ask, CLOSED, keyFor, put, revokedElsewhere } from "../../support/admin.ts";
import { clock, useClock } from "../../support/clock.ts";
import { countingLimiter } from "../../support/recorded/counting-limiter.ts";

useClock();

describe("an invalid token", () => {
  const wellFormed = `efk_${"A".repeat(38)}`;
  const tokens: [title: string, headers: Record<string, string>][] = [
    ["missing", {}],
    ["wrong", { authorization: "Bearer nonsense" }],
    ["empty", { authorization: "Bearer " }],
    ["of another scheme", { authorization: "Basic dXNlcjpwYXNz" }],
    ["malformed", { authorization: "Bearer a b c" }],
    ["shaped like a key", { authorization: `Bearer ${wellFormed}` }],
    ["10 kB long", { authorization: `Bearer ${"x".repeat(10_000)}` }],
    ["nearly the admin key", { authorization: `Bearer ${ADMIN_KEY}x` }],
  ];

  it("always gets the same 401", async () => {
    const seen = new Set<string>();
    for (const [, headers] of tokens) {
      const answer = await ask("/v1/ids/default", { key: null, headers });
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
        401,
        'Bearer realm="edgeflake"',
      ]);
      const { requestId: _, ...rest } = answer.body;
      seen.add(JSON.stringify(rest));
    }
    expect(seen.size).toBe(1);
    expect([...seen][0]).toContain('"code":"unauthorized"');
  });

  it("is not looked up in the registry unless its check characters are right", async () => {
    const getByName = vi.fn();
    const bindings = { ...CLOSED, REGISTRY: { getByName } } as unknown as Env;
    for (const [, headers] of tokens) {
      await ask("/v1/ids/default", { key: null, headers, bindings });
    }
    expect(getByName).not.toHaveBeenCalled();
  });

  it("never gets into a log line or an error text", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { key } = await keyFor({ scopes: ["issue"] });
    const broken = { getByName: () => ({ keyByHash: () => Promise.reject(new Error("down")) }) };
    const bindings = { ...CLOSED, REGISTRY: broken } as unknown as Env;
    const answer = await ask("/v1/ids/default", { key, bindings });
    expect([answer.status, answer.body.code]).toEqual([503, "registry_unavailable"]);
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(log).toHaveBeenCalled();
    const said = JSON.stringify(log.mock.calls) + answer.text;
    expect(said).not.toContain(key);
    expect(said).not.toContain(key.slice(4, 20));
  });
});

describe("scopes", () => {
  it("of a key for namespace A issue and reveal nothing in B", async () => {
    await put("tenant-a");
    await put("tenant-b");
    const { key } = await keyFor({ scopes: ["issue", "read"], namespaces: ["tenant-a"] });
    expect((await ask("/v1/ids/tenant-a", { key })).status).toBe(200);
    for (const path of [
      "/v1/ids/tenant-b",
      "/v1/blocks/tenant-b",
      "/v1/shards/tenant-b",
      "/v1/decode/default/1",
      "/v1/namespaces/tenant-b",
      "/v1/ids/there-is-none",
    ]) {
      expect((await ask(path, { key })).status).toBe(403);
    }
    const { body } = await ask("/v1/namespaces", { key });
    expect(body.namespaces).toMatchObject([{ name: "tenant-a" }]);
    const paged = await ask("/v1/namespaces?limit=1&cursor=aaa", { key });
    expect(paged.body).toEqual({ namespaces: [expect.objectContaining({ name: "tenant-a" })] });
    const past = await ask("/v1/namespaces?limit=1&cursor=tenant-a", { key });
    expect(past.body).toEqual({ namespaces: [] });
  });
});

describe("a restricted key", () => {
  const SPELLINGS = [
    "/v1/ids/spelled-b",
    "/v1/ids/%73pelled-b",
    "/v1/ids/spelled%2Db",
    "/v1/ids/spelled-a/../spelled-b",
    "/v1/ids/spelled-a/%2e%2e/spelled-b",
    "/v1/ids/spelled-a%2F..%2Fspelled-b",
    "/v1/ids/spelled-a%00spelled-b",
    "/v1/ids/Spelled-B",
    "/v1/ids/spelled-b/",
    "/v1/ids//spelled-b",
    "//v1/ids/spelled-b",
    "/v1/ids/spelled-b?namespace=spelled-a",
    "/v1/ids/spelled-a,spelled-b",
    "/v1/ids/spelled-a%20spelled-b",
    "/v1/blocks/%73pelled-b",
    "/v1/leases/%73pelled-b",
    "/v1/shards/%73pelled-b/0",
    "/v1/decode/%73pelled-b/1",
    "/v1/range/%73pelled-b?from=2026-01-01&until=2026-01-02",
    "/v1/namespaces/%73pelled-b",
    "/api/snowflake/get/%73pelled-b",
    "/api/segment/get/%73pelled-b",
    "/tinyid/id/nextIdSimple?bizType=%73pelled-b",
    "/tinyid/id/nextIdSimple?bizType=spelled-b&bizType=spelled-a",
  ];

  it.each(SPELLINGS)("gets nothing from another namespace by %s", async (path) => {
    await put("spelled-a");
    await put("spelled-b");
    const scopes = ["issue", "read", "lease"];
    const { key } = await keyFor({ scopes, namespaces: ["spelled-a"] });
    for (const method of ["GET", "POST"]) {
      const separator = path.includes("?") ? "&" : "?";
      const withToken = /^.(api|tinyid)/.test(path) ? `${path}${separator}token=${key}` : path;
      const { status, text } = await ask(withToken, { method, key });
      // TinyID answers 200 with an empty body.
      expect([status === 200, text !== ""]).not.toEqual([true, true]);
    }
  });
});

describe("keys", () => {
  it("are shown once, listed without their text, and revoked", async () => {
    const input = { name: "shop", scopes: ["issue"], namespaces: ["default"] };
    const { body } = await ask("/v1/keys", { method: "POST", json: input });
    expect(body).toMatchObject({ ...input, key: expect.stringMatching(/^efk_[\w-]{38}$/) });
    const list = await ask("/v1/keys?limit=100");
    expect(list.text).not.toContain(String(body.key));
    expect(list.body.keys).toContainEqual(expect.objectContaining({ id: body.id, name: "shop" }));
    expect((await ask(`/v1/keys/${body.id}`, { method: "DELETE" })).status).toBe(204);
    expect((await ask(`/v1/keys/${body.id}`, { method: "DELETE" })).status).toBe(404);
  });

  it("are listed in pages", async () => {
    for (let made = 0; made < 3; made += 1) await keyFor({ scopes: ["read"] });
    const first = await ask("/v1/keys?limit=2");
    expect(first.body.keys).toHaveLength(2);
    const second = await ask(`/v1/keys?limit=2&cursor=${first.body.cursor}`);
    expect(second.body.keys).not.toEqual(first.body.keys);
  });

  it("stop within 30 s of their revocation", async () => {
    const { key, id } = await keyFor({ scopes: ["issue"] });
    expect((await ask("/v1/ids/default", { key })).status).toBe(200);
    await revokedElsewhere(id);
    expect((await ask("/v1/ids/default", { key })).status).toBe(200);
    clock.step(30_000);
    expect((await ask("/v1/ids/default", { key })).status).toBe(401);
  });

  it("stop at once in the isolate that revokes them", async () => {
    const { key, id } = await keyFor({ scopes: ["issue"] });
    expect((await ask("/v1/ids/default", { key })).status).toBe(200);
    await ask(`/v1/keys/${id}`, { method: "DELETE" });
    expect((await ask("/v1/ids/default", { key })).status).toBe(401);
  });

  it.each<[scope: string, method: string, path: string, json?: unknown]>([
    ["admin", "POST", "/v1/keys", { scopes: ["admin"] }],
    ["admin", "DELETE", "/v1/keys/nothing"],
    ["admin", "PUT", "/v1/namespaces/revoked", { kind: "snowflake" }],
    ["admin", "DELETE", "/v1/namespaces/revoked"],
    ["lease", "POST", "/v1/leases/default", {}],
    ["lease", "PUT", "/v1/leases/default/512"],
    ["lease", "DELETE", "/v1/leases/default/512"],
  ])(
    "once revoked write nothing, not even while they are cached: %s %s %s",
    async (scope, method, path, json) => {
      const { key, id } = await keyFor({ scopes: [scope] });
      const reading = scope === "admin" ? "/v1/keys" : "/v1/leases/default";
      expect((await ask(reading, { key })).status).toBe(200);
      await revokedElsewhere(id);
      expect((await ask(reading, { key })).status).toBe(200);
      const headers = { "edgeflake-lease-token": "a-token" };
      const { status, body } = await ask(path, { method, key, json, headers });
      expect([status, body.code]).toEqual([401, "unauthorized"]);
    },
  );

  it.each<[scope: string, method: string, path: string, json: unknown]>([
    ["admin", "POST", "/v1/keys", { scopes: ["admin"] }],
    ["admin", "PUT", "/v1/namespaces/held-back", { kind: "snowflake" }],
    ["lease", "POST", "/v1/leases/default", {}],
  ])(
    "once revoked write nothing with a body that was held back: %s %s %s",
    async (scope, method, path, json) => {
      const { key, id } = await keyFor({ scopes: [scope] });
      const { readable, writable } = new IdentityTransformStream();
      const headers = { "content-type": "application/json" };
      const answer = ask(path, { method, key, headers, rawBody: readable });
      await scheduler.wait(20);
      await revokedElsewhere(id);
      const writer = writable.getWriter();
      await writer.write(new TextEncoder().encode(JSON.stringify(json)));
      await writer.close();
      expect((await answer).status).toBe(401);
    },
  );

  it("can't create keys that outlast them", async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const later = new Date(Date.now() + 60_001).toISOString();
    const { key } = await keyFor({ scopes: ["admin"], expiresAt });
    for (const input of [{ scopes: ["issue"] }, { scopes: ["admin"], expiresAt: later }]) {
      const { status, body } = await ask("/v1/keys", { method: "POST", key, json: input });
      expect([status, body.code]).toEqual([403, "forbidden"]);
      expect(body.detail).toContain("expiresAt");
    }
    const json = { scopes: ["issue"], expiresAt };
    expect((await ask("/v1/keys", { method: "POST", key, json })).status).toBe(201);
  });

  it("stop at their expiry, cached or not", async () => {
    const expiresAt = new Date(Date.now() + 5000).toISOString();
    const { key } = await keyFor({ scopes: ["issue"], expiresAt });
    expect((await ask("/v1/ids/default", { key })).status).toBe(200);
    clock.step(4000);
    expect((await ask("/v1/ids/default", { key })).status).toBe(200);
    clock.set(Date.parse(expiresAt));
    expect((await ask("/v1/ids/default", { key })).status).toBe(401);
  });

  it("of an older version that end after the year 9999 are listed with its end", async () => {
    const record = { id: "late", scopes: [], createdMs: 0, expiresAtMs: 253_402_300_800_000 };
    await env.REGISTRY.getByName("registry").addKey(record, "late", "admin");
    const { body } = await ask("/v1/keys?cursor=lat&limit=1");
    expect(body.keys).toMatchObject([{ id: "late", expiresAt: "9999-12-31T23:59:59.999Z" }]);
  });

  it("stop sooner if a background refresh sees the revocation", async () => {
    const { key, id } = await keyFor({ scopes: ["issue"] });
    vi.spyOn(Math, "random").mockReturnValue(0);
    expect((await ask("/v1/ids/default", { key })).status).toBe(200);
    await revokedElsewhere(id);
    clock.step(15_000);
    expect((await ask("/v1/ids/default", { key })).status).toBe(200);
    expect((await ask("/v1/ids/default", { key })).status).toBe(401);
  });

  it("are accepted from the cache for 30 s while the registry fails, then no longer", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { key } = await keyFor({ scopes: ["issue"] });
    expect((await ask("/v1/ids/default", { key })).status).toBe(200);
    const down = { getByName: () => ({ keyByHash: () => Promise.reject(new Error("down")) }) };
    const bindings = { ...CLOSED, REGISTRY: down } as unknown as Env;
    clock.step(29_000);
    expect((await ask("/v1/ids/default", { key, bindings })).status).toBe(200);
    clock.step(1000);
    expect((await ask("/v1/ids/default", { key, bindings })).status).toBe(503);
  });

  it.each([
    [{}, "scopes"],
    [{ scopes: [] }, "scopes"],
    [{ scopes: ["root"] }, "scopes.0"],
    [{ scopes: "issue" }, "scopes"],
    [{ scopes: ["issue"], name: "" }, "name"],
    [{ scopes: ["issue"], name: "x".repeat(101) }, "name"],
    [{ scopes: ["issue"], namespaces: [] }, "namespaces"],
    [{ scopes: ["issue"], namespaces: ["-"] }, "namespaces.0"],
    [{ scopes: ["issue"], expiresAt: "soon" }, "expiresAt"],
    [{ scopes: ["issue"], expiresAt: "2020-01-01" }, "expiresAt"],
    [{ scopes: ["issue"], expiresAt: 5 }, "expiresAt"],
    [{ scopes: ["issue"], expiresAt: "253402300800000" }, "expiresAt"],
    [{ scopes: ["issue"], expiresAt: "9999-12-31T23:59:59.9999Z" }, "expiresAt"],
    [{ scopes: ["admin"], namespaces: ["default"] }, "namespaces"],
    [{ scopes: ["issue"], foo: 1, bar: 2 }, "bar"],
    [{ scopes: ["issue"], hash: "x" }, "hash"],
  ])("are not created from %j", async (json, field) => {
    const { status, body } = await ask("/v1/keys", { method: "POST", json });
    expect([status, body.code]).toEqual([400, "invalid_body"]);
    expect(body.errors).toContainEqual(expect.objectContaining({ field }));
  });
});

describe("bodies", () => {
  it.each<[string, Parameters<typeof ask>[1], number, string]>([
    ["too large", { rawBody: `"${"x".repeat(20_000)}"` }, 413, "body_too_large"],
    [
      "of another type",
      { rawBody: "{}", headers: { "content-type": "text/plain" } },
      415,
      "unsupported_media_type",
    ],
    ["broken", { rawBody: "{" }, 400, "invalid_body"],
    ["empty", { rawBody: "" }, 400, "invalid_body"],
    ["a list", { rawBody: "[]" }, 400, "invalid_body"],
    ["null", { rawBody: "null" }, 400, "invalid_body"],
    [
      "not UTF-8",
      {
        rawBody: new Uint8Array([
          ...new TextEncoder().encode('{"scopes":["issue"],"name":"'),
          0xff,
          0x22,
          0x7d,
        ]),
      },
      400,
      "invalid_body",
    ],
    ["polluting", { rawBody: '{"__proto__":{"scopes":["admin"]}}' }, 400, "invalid_body"],
    ["with constructor", { rawBody: '{"scopes":["issue"],"constructor":1}' }, 400, "invalid_body"],
  ])("that are %s are rejected", async (_, asked, status, code) => {
    const headers = { "content-type": "application/json", ...asked?.headers };
    const answer = await ask("/v1/keys", { method: "POST", ...asked, headers });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});

describe("a namespace's body", () => {
  it("is limited too", async () => {
    const headers = { "content-type": "application/json" };
    const rawBody = `"${"x".repeat(20_000)}"`;
    const answer = await ask("/v1/namespaces/large", { method: "PUT", headers, rawBody });
    expect([answer.status, answer.body.code]).toEqual([413, "body_too_large"]);
  });

  it("gets an error for every unknown and missing field, 32 at most", async () => {
    const json = { foo: 1, layout: { x: 1, y: 2, sequenceBits: 12 } };
    const { body } = await ask("/v1/namespaces/odd", { method: "PUT", json });
    const missing = { detail: "is required" };
    const unknown = { detail: "is an unknown field" };
    expect(body.errors).toEqual(
      expect.arrayContaining([
        { field: "foo", ...unknown },
        { field: "layout.x", ...unknown },
        { field: "layout.y", ...unknown },
        { field: "kind", ...missing },
        { field: "layout.timestampBits", ...missing },
      ]),
    );
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, 1]));
    const large = await ask("/v1/namespaces/odd", { method: "PUT", json: many });
    expect(large.body.errors).toHaveLength(32);
  });
});

describe("an invalid admin key", () => {
  it.each([
    "correct horse battery staple",
    "p@ss:word-of-the-administrator",
    "schlüssel-für-die-verwaltung",
    "undefined",
    "null",
    "changeme",
    "x".repeat(23),
  ])("with %s all requests get 503, which says what to run", async (ADMIN_KEY) => {
    const bindings = { ...CLOSED, ADMIN_KEY };
    for (const key of ["any", encodeURI(ADMIN_KEY)]) {
      const { status, body } = await ask("/v1/ids/default", { key, bindings });
      expect([status, body.code]).toEqual([503, "not_configured"]);
      expect(body.detail).toContain("openssl rand -base64 32");
    }
  });
});

describe("rate limits", () => {
  it("allow all requests if the limiter fails", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const LIMITER = { limit: () => Promise.reject(new Error("down")) };
    const answer = await ask("/v1/ids/default", { bindings: { ...CLOSED, LIMITER } });
    expect(answer.status).toBe(200);
  });

  it("keep floods of invalid keys off the registry, and allow cached keys", async () => {
    const { key } = await keyFor({ scopes: ["issue"] });
    const limit = vi.fn(async () => ({ success: false }));
    const bindings = { ...CLOSED, LOOKUP_LIMITER: { limit } };
    const headers = { "cf-connecting-ip": "192.0.2.9" };
    const refused = await ask("/v1/ids/default", { key, headers, bindings });
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
    expect(limit).toHaveBeenCalledExactlyOnceWith({ key: "address:192.0.2.9", delta: 1 });
    expect((await ask("/v1/ids/default", { key })).status).toBe(200);
    expect((await ask("/v1/ids/default", { key, headers, bindings })).status).toBe(200);
    expect((await ask("/v1/ids/default", { headers, bindings })).status).toBe(200);
    expect(limit).toHaveBeenCalledOnce();
  });

  it.each([
    ["made up", "efk_nonsense"],
    ["not a bearer token", "a b c"],
    ["nearly the admin key", `${ADMIN_KEY}x`],
    ["well-formed and unknown", "efk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
  ])("charge each failed token, once: %s", async (_, key) => {
    const limit = vi.fn(async () => ({ success: true }));
    const bindings = { ...CLOSED, LOOKUP_LIMITER: { limit } };
    const headers = { "cf-connecting-ip": "192.0.2.9" };
    for (const times of [1, 2]) {
      await ask(`/api/snowflake/get/default?token=${encodeURIComponent(key)}`, {
        key: null,
        headers,
        bindings,
      });
      expect(limit).toHaveBeenCalledTimes(times);
    }
    limit.mockResolvedValue({ success: false });
    if (key.includes(" ")) return;
    const { status } = await ask("/v1/ids/default", { key, headers, bindings });
    expect(status).toBe(429);
  });

  it("charge blocks too, with the platform's own limiter", async () => {
    const bindings = { ...CLOSED, LIMITER: env.TIGHT_LIMITER };
    const { key } = await keyFor({ scopes: ["issue"] });
    let status = 200;
    // A window of real time may end between the two requests, but not twice in a row.
    for (let tries = 0; tries < 2 && status === 200; tries += 1) {
      expect((await ask("/v1/blocks/default?count=2000", { key, bindings })).status).toBe(200);
      status = (await ask("/v1/blocks/default", { key, bindings })).status;
    }
    expect(status).toBe(429);
  });

  it("charge each key by count, and name the period", async () => {
    const bindings = { ...CLOSED, LIMITER: countingLimiter() };
    const one = await keyFor({ scopes: ["issue"] });
    const other = await keyFor({ scopes: ["issue"] });
    expect((await ask("/v1/ids/default?count=600", { key: one.key, bindings })).status).toBe(200);
    expect((await ask("/v1/blocks/default?count=600", { key: one.key, bindings })).status).toBe(
      200,
    );
    const refused = await ask("/v1/ids/default", { key: one.key, bindings });
    expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([
      429,
      "rate_limited",
      "60",
    ]);
    expect((await ask("/v1/ids/default", { key: other.key, bindings })).status).toBe(200);
  });

  it("apply to addresses with open access", async () => {
    const bindings = { ...env, LIMITER: countingLimiter() };
    const from = (address: string) => ({ headers: { "cf-connecting-ip": address }, bindings });
    expect((await ask("/v1/ids/default?count=1500", from("192.0.2.1"))).status).toBe(200);
    expect((await ask("/v1/ids/default", from("192.0.2.1"))).status).toBe(429);
    expect((await ask("/v1/ids/default", from("192.0.2.2"))).status).toBe(200);
  });

  it.each([null, undefined])("do not apply if the binding is %s", async (LIMITER) => {
    const bindings = { ...CLOSED, LIMITER } as unknown as Env;
    expect((await ask("/v1/ids/default?count=5000", { bindings })).status).toBe(200);
  });
});
