/** The shell around the routes: headers, CORS, logs, analytics, and garbage of every kind. */
import { runInDurableObject } from "cloudflare:test";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ADMIN_KEY, ask, CLOSED, keyFor, put } from "../../support/admin.ts";
import { clock, useClock } from "../../support/clock.ts";
import { json, readAcross } from "../../support/requests.ts";
import { stubOf } from "../../support/shards.ts";

useClock("waits");

describe("headers", () => {
  it.each(["/v1/decode/default/1", "/docs", "/healthz", "/v1/nope"])(
    "of %s are secure",
    async (path) => {
      const { headers } = await ask(path);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      const policy = headers.get("content-security-policy");
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers.get("strict-transport-security")).toContain("max-age");
    },
  );

  it.each([
    ["/v1/ids/default", "application/json", true],
    ["/v1/ids/default?count=3", "application/json", true],
    ["/v1/ids/default?format=text", "text/plain; charset=utf-8", true],
    ["/v1/blocks/default", "application/json", true],
    ["/api/snowflake/get/default", "text/plain;charset=UTF-8", false],
  ])("of %s are as documented", async (path, type, hasShard) => {
    const { headers } = await ask(`${path}${path.startsWith("/api") ? `?token=${ADMIN_KEY}` : ""}`);
    const shard = headers.get("edgeflake-shard");
    expect(shard !== null).toBe(hasShard);
    const names = [...headers.keys()].filter((name) => name !== "content-length").sort();
    expect(names).toEqual([
      "cache-control",
      "content-type",
      ...(hasShard ? ["edgeflake-shard"] : []),
    ]);
    expect([headers.get("cache-control"), headers.get("content-type")]).toEqual(["no-store", type]);
  });

  it("of a failure name the request, by the caller's ID if that is a plain name", async () => {
    const failed = (name: string) => ask("/v1/ids/nope", { headers: { "x-request-id": name } });
    const given = await failed("abc-123");
    expect(given.headers.get("x-request-id")).toBe("abc-123");
    expect(given.body.requestId).toBe("abc-123");
    for (const odd of ["a b\tc", "x".repeat(256)]) {
      expect((await failed(odd)).headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
    }
  });
});

describe("public routes", () => {
  it.each(["/healthz", "/docs", "/openapi.json"])(
    "%s rejects other methods, without a key",
    async (path) => {
      const answer = await ask(path, { method: "POST", key: null });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    },
  );
});

describe("CORS", () => {
  const origin = "https://app.example";
  const preflight = {
    method: "OPTIONS",
    key: null,
    headers: { origin, "access-control-request-method": "POST" },
  };

  it("is off by default", async () => {
    const answer = await ask("/v1/ids/default", { headers: { origin } });
    expect(answer.headers.has("access-control-allow-origin")).toBe(false);
    expect((await ask("/v1/ids/default", preflight)).status).toBe(401);
  });

  it("allows exactly the listed origins", async () => {
    const bindings = { ...CLOSED, CORS_ORIGINS: "https://other.example, https://app.example" };
    const answer = await ask("/v1/ids/default", { headers: { origin }, bindings });
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect((await ask("/v1/ids/default", { ...preflight, bindings })).status).toBe(204);
    const part = await ask("/v1/ids/default", {
      headers: { origin: "https://app.exam" },
      bindings,
    });
    expect(part.headers.has("access-control-allow-origin")).toBe(false);
    const foreign = await ask("/v1/ids/default", {
      headers: { origin: "https://evil.example" },
      bindings,
    });
    expect(foreign.headers.has("access-control-allow-origin")).toBe(false);
  });
});

describe("logs", () => {
  it("have one JSON line for a failed request, with the key's id and not the key", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { key, id } = await keyFor({ scopes: ["read"] });
    const { body } = await ask(`/v1/ids/default?key=secret-value`, { key });
    expect(warn).toHaveBeenCalledOnce();
    const line = String(warn.mock.calls[0]?.[0]);
    expect(JSON.parse(line)).toEqual({
      requestId: body.requestId,
      method: "GET",
      route: "/v1/ids/:namespace",
      status: 403,
      code: "forbidden",
      caller: id,
    });
    expect(line).not.toContain(key);
    expect(line).not.toContain("secret-value");
  });

  it("have no stack for a rejected key, and one line for a stream that is cut off", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    await ask("/v1/ids/default", { key: "nobody" });
    expect(JSON.parse(String(warn.mock.calls[0]?.[0]))).not.toHaveProperty("stack");
    const path = "/v1/ids/twitter?count=50000&format=text&shard=5";
    await expect(readAcross(path, () => clock.step(-10_000_000_000))).rejects.toThrow();
    expect(warn).toHaveBeenCalledTimes(2);
    expect(String(warn.mock.calls[1]?.[0])).toMatch(/"code":"clock_behind".*"cut":true/);
  });

  it("have no line for a successful request", async () => {
    const warn = vi.spyOn(console, "warn");
    const error = vi.spyOn(console, "error");
    await ask("/v1/ids/default");
    expect([warn.mock.calls.length, error.mock.calls.length]).toEqual([0, 0]);
  });
});

describe("analytics", () => {
  it("get one data point per issuing request if they are bound", async () => {
    const writeDataPoint = vi.fn();
    const bindings = { ...CLOSED, ANALYTICS: { writeDataPoint } };
    await ask("/v1/ids/default?count=3&shard=2", { bindings });
    await ask("/v1/blocks/js53?shard=1", { bindings });
    await ask("/v1/decode/default/1", { bindings });
    expect(writeDataPoint.mock.calls.map(([point]) => point)).toEqual([
      { indexes: ["default"], blobs: ["ids", "admin", "issued"], doubles: [3, 2] },
      { indexes: ["js53"], blobs: ["blocks", "admin", "issued"], doubles: [1, 1] },
    ]);
  });
});

describe("a shard that fails", () => {
  it("does not hide the others in the list", async () => {
    await runInDurableObject(stubOf("leaf", 2), (instance) => {
      Object.assign(instance, { status: "corrupted" });
    });
    const { shards } = (await json("/v1/shards/leaf")) as { shards: unknown[] };
    expect(shards).toHaveLength(8);
    expect(shards[2]).toMatchObject({
      shard: 2,
      region: "weur",
      fault: { code: "shard_unavailable" },
    });
    expect(shards[3]).toMatchObject({ shard: 3, counters: { writesPerIssued: 0 } });
  });
});

describe("garbage", () => {
  const word = fc.oneof(
    fc.constantFrom("v1", "ids", "blocks", "decode", "range", "shards", "namespaces", "keys"),
    fc.constantFrom(
      "default",
      "js53",
      "__proto__",
      "constructor",
      "%00",
      "..",
      "%2e%2e",
      "%ff",
      "0",
      "-1",
    ),
    fc.string({ maxLength: 20 }).map(encodeURIComponent),
  );
  const value = fc.oneof(
    fc.constantFrom(
      "1",
      "0",
      "-1",
      "1e9",
      "NaN",
      "null",
      "%zz",
      "a".repeat(600),
      "2026-01-01",
      "text",
    ),
    fc
      .string({ maxLength: 20, unit: "binary" })
      .map((text) => encodeURIComponent(text.toWellFormed())),
  );
  const name = fc.constantFrom(
    "count",
    "encoding",
    "format",
    "shard",
    "key",
    "order",
    "from",
    "until",
    "limit",
    "cursor",
    "x",
    "",
  );
  const known = fc.constantFrom(
    "v1/ids/default",
    "v1/ids/garbage",
    "v1/blocks/js53",
    "v1/decode/default/1",
    "v1/range/default",
    "v1/shards/node",
    "v1/shards/node/0",
    "v1/namespaces",
    "v1/namespaces/garbage",
    "v1/keys",
    "v1/keys/x",
  );
  const path = fc.oneof(
    known,
    fc.array(word, { maxLength: 5 }).map((words) => words.join("/")),
  );
  const query = fc.array(
    fc.tuple(name, value).map(([key, text]) => `${key}=${text}`),
    { maxLength: 5 },
  );
  const namespaceBody = fc.record(
    {
      kind: fc.constantFrom("snowflake", "segment", 1),
      preset: fc.constantFrom("default", "node", "x", null),
      layout: fc.oneof(
        fc.jsonValue(),
        fc.record({
          timestampBits: fc.integer({ min: 0, max: 60 }),
          workerBits: fc.integer({ min: -1, max: 30 }),
          sequenceBits: fc.integer({ min: 0, max: 53 }),
          tickMs: fc.constantFrom(1, 10, 1000, 5),
        }),
      ),
      policy: fc.oneof(fc.jsonValue(), fc.record({ maxWaitMs: fc.integer() })),
      shards: fc.oneof(fc.integer({ min: -1, max: 2000 }), fc.jsonValue()),
      regions: fc.oneof(fc.array(fc.constantFrom("weur", "mars")), fc.jsonValue()),
      keyShards: fc.integer({ min: -1, max: 20 }),
    },
    { requiredKeys: ["kind"] },
  );
  const keyBody = fc.record(
    {
      scopes: fc.oneof(fc.array(fc.constantFrom("issue", "root")), fc.jsonValue()),
      name: fc.oneof(fc.string(), fc.jsonValue()),
      namespaces: fc.oneof(fc.array(fc.string()), fc.jsonValue()),
      expiresAt: fc.oneof(fc.string(), fc.jsonValue()),
    },
    { requiredKeys: [] },
  );
  const rawBody = fc.oneof(
    fc.constant(undefined),
    fc.oneof(fc.jsonValue(), namespaceBody, keyBody).map((body) => JSON.stringify(body)),
    fc.string({ maxLength: 50 }),
    fc.uint8Array({ maxLength: 50 }),
  );
  const headers = fc.record(
    {
      accept: fc.constantFrom("text/plain", "*/*", "a;q=x", ",,;"),
      "content-type": fc.constantFrom(
        "application/json",
        "text/plain",
        "application/json; charset=utf-8",
      ),
    },
    { requiredKeys: ["content-type"] },
  );
  const method = fc.constantFrom("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH");

  it("at every route gets a documented response, never 500", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    await put("garbage");
    await fc.assert(
      fc.asyncProperty(
        method,
        path,
        query,
        rawBody,
        headers,
        async (verb, where, asked, body, sent) => {
          const bodied = body !== undefined && !["GET", "HEAD"].includes(verb);
          const answer = await ask(`/${where}?${asked.join("&")}`, {
            method: verb,
            headers: sent,
            ...(bodied && { rawBody: body }),
          });
          expect([500, 502]).not.toContain(answer.status);
        },
      ),
      { numRuns: 1500 },
    );
    expect((await ask("/v1/ids/default")).status).toBe(200);
  });
});
