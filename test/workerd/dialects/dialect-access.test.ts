/** Access to the dialects: tokens in the query, which no other route accepts. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ADMIN_KEY, ask, CLOSED, keyFor, put } from "../../support/admin.ts";
import { clock, useClock } from "../../support/clock.ts";
import {
  all,
  ISSUING,
  issuing,
  MALFORMED,
  OPEN,
  ROUTES,
  refused,
  said,
  saidBy,
  served,
} from "../../support/dialects.ts";
import { countingLimiter } from "../../support/recorded/counting-limiter.ts";
import { request } from "../../support/requests.ts";

let lines: string[] = [];

useClock();
beforeEach(() => {
  lines = [];
  const keep = (line: unknown) => void lines.push(String(line));
  vi.spyOn(console, "warn").mockImplementation(keep);
  vi.spyOn(console, "error").mockImplementation(keep);
});

describe("a token", () => {
  it.each(MALFORMED)(
    "that is %s gives no access, and causes no call to the registry",
    async (_, token) => {
      const getByName = vi.fn();
      const bindings = { ...CLOSED, REGISTRY: { getByName } } as unknown as Env;
      expect(await said(token, ROUTES, bindings)).toEqual(refused());
      expect(getByName).not.toHaveBeenCalled();
    },
  );

  it("with the scope issue allows all routes except decoding, which needs read", async () => {
    const issue = await keyFor({ scopes: ["issue"] });
    expect(await said(issue.key)).toEqual({ ...served(), ...refused(ROUTES.slice(-1)) });
    const read = await keyFor({ scopes: ["read"] });
    expect(await said(read.key)).toEqual({ ...refused(), ...served(ROUTES.slice(-1)) });
    expect(await said((await keyFor({ scopes: ["lease"] })).key)).toEqual(refused());
  });

  it("of an administrator allows all routes, with + and / escaped or not", async () => {
    expect(await said(ADMIN_KEY)).toEqual(served());
    expect(await said((await keyFor({ scopes: ["admin"] })).key)).toEqual(served());
    const adminKey = "a+b/c-an-admin-key-escaped==";
    const bindings = { ...CLOSED, ADMIN_KEY: adminKey };
    expect(await said(adminKey, ROUTES, bindings)).toEqual(served());
  });

  it("restricted to namespaces reveals nothing about others", async () => {
    await put("access-a", { kind: "segment" });
    await put("access-b");
    const scopes = ["issue"];
    const { key } = await keyFor({ scopes, namespaces: ["access-a", "access-b"] });
    const own = issuing("access-a", "access-b");
    expect(await said(key, own)).toEqual(served(own));
    const kinds = issuing("access-b", "access-a");
    const wrong = "6 The namespace is of the kind snowflake; this route needs the kind segment.";
    expect(await said(key, kinds)).toEqual(
      all("Result{id=-2, status=EXCEPTION}", wrong, "", kinds),
    );
    expect(await said(key)).toEqual(refused());
    const unknown = issuing("access-none", "access-none");
    expect(await said(key, unknown)).toEqual(refused(unknown));
  });

  it("stops at its expiry, and within 30 s of its revocation", async () => {
    const expiresAt = new Date(Date.now() + 5000).toISOString();
    const expiring = await keyFor({ scopes: ["issue"], expiresAt });
    const revoked = await keyFor({ scopes: ["issue"] });
    expect(await said(expiring.key, ISSUING)).toEqual(served(ISSUING));
    expect(await said(revoked.key, ISSUING)).toEqual(served(ISSUING));
    await ask(`/v1/keys/${revoked.id}`, { method: "DELETE" });
    clock.step(30_000);
    expect(await said(expiring.key, ISSUING)).toEqual(refused(ISSUING));
    expect(await said(revoked.key, ISSUING)).toEqual(refused(ISSUING));
  });

  it("is the first of two, the query's before the form's, and may be in TinyID's form", async () => {
    const path = "/tinyid/id/nextId?bizType=segment";
    const form = (body: string) => {
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      return { method: "POST", key: null, headers, rawBody: body };
    };
    const body = `token=${ADMIN_KEY}&token=x`;
    expect(saidBy(await ask(path, form(body)))).toBe("served");
    expect(saidBy(await ask(`${path}&token=x`, form(body)))).toBe("5 token is error");
    expect(saidBy(await ask(`${path}&token=`, form(body)))).toBe("5 token is error");
    expect(await said("x", [`/api/segment/get/segment?token=${ADMIN_KEY}&`])).toEqual({
      [`/api/segment/get/segment?token=${ADMIN_KEY}&`]: "served",
    });
    expect((await ask("/api/segment/get/segment", form(body))).status).toBe(500);
  });

  it("may be a bearer token, and any token passes with open access", async () => {
    for (const route of ROUTES) expect(saidBy(await ask(route))).toBe(served()[route]);
    for (const [, token] of MALFORMED) expect(await said(token, ROUTES, OPEN)).toEqual(served());
  });
});

describe("/v1", () => {
  const PATHS = ["ids/default", "blocks/default", "decode/default/1", "shards/default", "keys"];

  it.each([...PATHS, "namespaces"])("%s accepts no token in the query", async (path) => {
    const { key } = await keyFor({ scopes: ["admin"] });
    for (const token of [key, ADMIN_KEY]) {
      const alone = await ask(`/v1/${path}?token=${token}`, { key: null });
      expect([alone.status, alone.body.code]).toEqual([401, "unauthorized"]);
      const beside = await ask(`/v1/${path}?token=${token}`, { key });
      expect([beside.status, beside.body.code]).toEqual([400, "invalid_parameter"]);
      const open = await request(`/v1/${path}?token=${token}`);
      expect(open.status).toBe(400);
      const texts = [alone.text, beside.text, await open.text(), ...lines];
      expect(texts.filter((text) => text.includes(token))).toEqual([]);
    }
  });
});

describe("failures of other parts", () => {
  const down = { getByName: () => ({ keyByHash: () => Promise.reject(new Error("down")) }) };

  it("of the registry, limits and configuration are not reported as bad tokens", async () => {
    const { key } = await keyFor({ scopes: ["issue", "read"] });
    const registry = { ...CLOSED, REGISTRY: down } as unknown as Env;
    const missing = "6 The registry of namespaces and keys did not answer; retry.";
    expect(await said(key, ROUTES, registry)).toEqual(
      all("Result{id=-1, status=EXCEPTION}", missing, ""),
    );
    const LOOKUP_LIMITER = { limit: async () => ({ success: false }) };
    const tried = "6 Too many keys were tried from this address within 60 s; retry later.";
    expect(await said(key, ROUTES, { ...CLOSED, LOOKUP_LIMITER })).toEqual(
      all("Result{id=-3, status=EXCEPTION}", tried, ""),
    );
    const bare = await said(ADMIN_KEY, ROUTES, { ...OPEN, ACCESS: "" as Env["ACCESS"] });
    expect(Object.values(bare)).toEqual(
      ROUTES.map((route) => {
        if (!route.startsWith("/tinyid")) return "Result{id=-1, status=EXCEPTION}";
        return route.includes("Simple") ? "" : expect.stringContaining("6 ADMIN_KEY is not set");
      }),
    );
  });

  it("of a limit depend on each key's count, which includes a segment's step", async () => {
    await put("access-limited", { kind: "segment", step: 900, delta: 3 });
    const bindings = { ...CLOSED, LIMITER: countingLimiter() };
    const routes = issuing("access-limited");
    const many = all(
      "Result{id=-3, status=EXCEPTION}",
      "6 Too many IDs, or requests for IDs, within 60 s; retry later.",
      "",
      routes,
    );
    const [one, other] = [await keyFor({ scopes: ["issue"] }), await keyFor({ scopes: ["issue"] })];
    const batch = "/tinyid/id/nextId?bizType=access-limited&batchSize=2000&";
    expect(await said(one.key, [batch], bindings)).toEqual({ [batch]: "served" });
    expect(await said(one.key, routes, bindings)).toEqual(many);
    expect(await said(other.key, routes, bindings)).toEqual(served(routes));
    const LIMITER = { limit: vi.fn(async () => ({ success: true })) };
    await said(other.key, routes.slice(-1), { ...CLOSED, LIMITER });
    expect(LIMITER.limit).toHaveBeenCalledExactlyOnceWith({ key: `key:${other.id}`, delta: 300 });
  });
});
