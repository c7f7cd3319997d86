/** The shell around the dialects: log lines without tokens, headers, and garbage. */
import fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ADMIN_KEY, ask, CLOSED, keyFor, put } from "../../support/admin.ts";
import { useClock } from "../../support/clock.ts";
import { issuing, MALFORMED, OPEN, ROUTES, said } from "../../support/dialects.ts";

useClock("waits");

let lines: string[] = [];

beforeEach(() => {
  lines = [];
  const keep = (line: unknown) => void lines.push(String(line));
  vi.spyOn(console, "warn").mockImplementation(keep);
  vi.spyOn(console, "error").mockImplementation(keep);
});
describe("logs", () => {
  it("have one line with the code for each failure, without the token", async () => {
    const { key, id } = await keyFor({ scopes: ["issue", "read"] });
    const unknown = issuing("access-nothing", "access-nothing");
    const fails = () => {
      throw new Error("a secret of the inside");
    };
    const broken = { ...CLOSED, SEGMENTS: { getByName: fails } } as unknown as Env;
    await put("access-broken", { kind: "segment" });
    const segments = issuing("access-broken").filter((route) => !route.includes("snowflake"));
    const LEAF_UTC_OFFSET = "nowhere";
    const cases: [routes: string[], token: string | null, code: string, bindings?: Env][] = [
      ...MALFORMED.map(
        ([, token]) => [ROUTES, token, "unauthorized"] as [string[], string, string],
      ),
      [unknown, key, "unknown_namespace"],
      [segments, key, "shard_unavailable", broken],
      [ROUTES.slice(-1), key, "not_configured", { ...CLOSED, LEAF_UTC_OFFSET }],
      [["/tinyid/id/nextId?bizType=segment&batchSize=0&"], key, "invalid_parameter"],
    ];
    for (const [routes, token, code, bindings = CLOSED] of cases) {
      for (const route of routes) {
        lines = [];
        const query = token === null ? "" : new URLSearchParams({ token });
        const { status, headers, text } = await ask(`${route}${query}`, { key: null, bindings });
        // Another line says why an object failed.
        const requestLines = lines.filter((line) => line.includes("requestId"));
        expect(requestLines).toHaveLength(1);
        const line = JSON.parse(requestLines[0] ?? "");
        const requestId = headers.get("x-request-id");
        expect(line).toMatchObject({ requestId, method: "GET", status, code });
        expect(line.caller).toBe(code === "unauthorized" ? undefined : id);
        expect(text).not.toContain("secret");
        for (const secret of [token, `${query}`.slice(6)].filter(Boolean)) {
          expect(lines.join() + text).not.toContain(secret);
        }
      }
    }
  });

  it("name the route by its pattern", async () => {
    const paths = ["/api/segment/get/nothing", "/api/snowflake/get/segment", "/tinyid/id/nextId"];
    const routes = [];
    for (const path of paths) {
      lines = [];
      await ask(path, { key: null });
      routes.push(JSON.parse(lines[0] ?? "").route);
    }
    expect(routes).toEqual(["/api/segment/get/:key", "/api/snowflake/get/:key", paths[2]]);
  });

  it("have no line for a cached key if its background refresh is rejected", async () => {
    const { key } = await keyFor({ scopes: ["issue"] });
    const limit = async () => ({ success: false });
    const bindings = { ...CLOSED, LOOKUP_LIMITER: { limit } };
    await ask("/v1/ids/default", { key });
    vi.spyOn(Math, "random").mockReturnValue(0);
    const nowMs = Date.now();
    vi.spyOn(Date, "now").mockReturnValue(nowMs + 29_000);
    for (const path of [`/tinyid/id/nextId?bizType=segment&token=${key}`, "/v1/ids/default"]) {
      const { status } = await ask(path, { key: path.startsWith("/v1") ? key : null, bindings });
      expect(status).toBe(200);
    }
    expect(lines).toEqual([]);
  });

  it("have no line for a success, with a key or without", async () => {
    await said(ADMIN_KEY);
    await said("some-token", ROUTES, OPEN);
    expect(lines).toEqual([]);
  });
});

describe("headers", () => {
  const from = { origin: "https://app.example", "x-request-id": "abc-123" };

  it.each(ROUTES)(
    "of %s forbid caching, name a failed request, and allow no origin",
    async (route) => {
      for (const token of [ADMIN_KEY, "nobody"]) {
        const { headers } = await ask(`${route}token=${token}`, { key: null, headers: from });
        expect(headers.get("cache-control")).toBe("no-store");
        expect(headers.get("x-request-id")).toBe(token === "nobody" ? "abc-123" : null);
        expect(headers.has("access-control-allow-origin")).toBe(false);
      }
    },
  );
});

describe("garbage", () => {
  const text = fc.oneof(
    fc.constantFrom("segment", "default", "1", "0", "-1", "9".repeat(40), "<b>", "%zz", "\0", '"}'),
    fc.string({ maxLength: 20, unit: "binary" }).map((value) => value.toWellFormed()),
  );
  const name = fc.constantFrom("bizType", "batchSize", "token", "snowflakeId", "__proto__", "");
  const parameters = fc.array(fc.tuple(name, text), { maxLength: 5 });
  const call = fc.constantFrom("nextId", "nextIdSimple", "nextSegmentId", "nextSegmentIdSimple");
  const path = fc.oneof(
    call.map((tail) => `/tinyid/id/${tail}`),
    fc
      .tuple(fc.constantFrom("segment", "snowflake"), text)
      .map(([kind, key]) => `/api/${kind}/get/${encodeURIComponent(key)}x`),
    fc.constant("/decodeSnowflakeId"),
  );
  const rawBody = fc.oneof(
    parameters.map((pairs) => `${new URLSearchParams(pairs)}`),
    fc.uint8Array({ maxLength: 50 }),
    fc.constant("x".repeat(20_000)),
  );
  const method = fc.constantFrom("GET", "POST", "POST", "HEAD", "DELETE");
  const type = fc.constantFrom("application/x-www-form-urlencoded", "application/json", ";;", "");

  it("gets an error in the dialect's format, with or without keys", async () => {
    const one = fc.tuple(path, method, parameters, rawBody, type, fc.constantFrom(OPEN, CLOSED));
    await fc.assert(
      fc.asyncProperty(one, async ([where, verb, query, body, sent, bindings]) => {
        const answer = await ask(`${where}?${new URLSearchParams(query)}`, {
          method: verb,
          key: null,
          headers: { "content-type": sent },
          bindings,
          ...(verb !== "GET" && verb !== "HEAD" && { rawBody: body }),
        });
        const ways = where.startsWith("/tinyid") ? [200, 405] : [200, 400, 405, 500];
        expect(ways).toContain(answer.status);
        expect(answer.headers.get("content-type")).toMatch(/^(text\/plain|application\/)/);
        expect(lines.filter((line) => line.includes('"stack"'))).toEqual([]);
        if (answer.status === 500 && verb !== "HEAD") {
          expect(answer.body.message).toBe("Result{id=-2, status=EXCEPTION}");
        }
        expect(answer.text).not.toMatch(/[<>]|stack|Error:| at \w+ ?\(/);
      }),
      { numRuns: 600 },
    );
  });
});
