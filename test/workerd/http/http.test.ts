/** The HTTP contract: answers, formats, and every kind of bad input. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { ENCODINGS } from "../../../src/core/codec.ts";
import { PRESETS } from "../../../src/core/layout/presets.ts";
import { app } from "../../../src/http/app.ts";
import { clock, useClock } from "../../support/clock.ts";
import { idsOf, json, problemOf, readAcross, request } from "../../support/requests.ts";

useClock("waits");

describe("/v1/ids", () => {
  it.each(["GET", "POST"])(
    "%s answers one ID as a string, which caches must not store",
    async (method) => {
      const response = await request("/v1/ids/default", { method });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toContain("application/json");
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("edgeflake-shard")).toMatch(/^[0-7]$/);
      expect(await response.json()).toEqual({ ids: [expect.stringMatching(/^\d{18,19}$/)] });
    },
  );

  it("uses the isolate's home shard", async () => {
    const shards = new Set<string | null>();
    for (let count = 0; count < 10; count += 1) {
      shards.add((await request("/v1/ids/default")).headers.get("edgeflake-shard"));
    }
    expect(shards.size).toBe(1);
  });

  it("spreads large counts over the shards", async () => {
    const shards = new Set<string | null>();
    // By chance the same one every time: once in 2^39 runs at most.
    for (let sent = 0; sent < 40 && shards.size < 2; sent += 1) {
      shards.add((await request("/v1/ids/default?count=4097")).headers.get("edgeflake-shard"));
    }
    expect(shards.size).toBeGreaterThan(1);
  });

  it("puts the shard and the lane into the ID", async () => {
    const [id] = await idsOf("default", "?shard=5");
    expect(await json(`/v1/decode/default/${id}`)).toMatchObject({ shard: 5, worker: 5, lane: 0 });
  });

  it.each(["decimal", "hex", "base32", "base36", "base58", "base62"])(
    "writes %s that decode accepts",
    async (encoding) => {
      const response = await request(`/v1/ids/default?count=2&encoding=${encoding}`);
      const body: { ids: string[] } = await response.json();
      for (const text of body.ids) {
        const decoded = await json(`/v1/decode/default/${text}?encoding=${encoding}`);
        expect(decoded).toMatchObject({ kind: "snowflake", encodings: { [encoding]: text } });
      }
    },
  );

  it("writes JSON numbers if the layout allows", async () => {
    const response = await request("/v1/ids/js53?count=3&encoding=number");
    const body: { ids: unknown[] } = await response.json();
    expect(body.ids.every((id) => Number.isSafeInteger(id))).toBe(true);
  });

  it("a query that repeats is checked by each namespace, each time", async () => {
    const problems = [];
    for (const name of ["default", "js53", "default"]) {
      const response = await request(`/v1/ids/${name}?shard=7&encoding=number`);
      const { errors = [] } = await response.json<{ errors?: { parameter: string }[] }>();
      problems.push([response.status, errors.map(({ parameter }) => parameter).join()]);
    }
    expect(problems).toEqual([
      [400, "encoding"],
      [200, ""],
      [400, "encoding"],
    ]);
  });

  it.each([
    ["/v1/ids/default?format=text", undefined, "text"],
    ["/v1/ids/default", "text/plain", "text"],
    ["/v1/ids/default", "application/json;q=0.5, text/plain", "text"],
    ["/v1/ids/default?format=json", "text/plain", "json"],
    ["/v1/ids/default", "*/*", "json"],
    ["/v1/ids/default", "text/html", "json"],
  ])("%s with Accept %s is %s", async (path, accept, format) => {
    const response = await request(path, accept === undefined ? {} : { headers: { accept } });
    const text = await response.text();
    expect(text).toMatch(format === "text" ? /^\d+\n$/ : /^\{"ids":\["\d+"\]\}$/);
    expect(response.headers.get("edgeflake-shard")).toMatch(/^[0-7]$/);
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it("writes text in any encoding, one ID a line", async () => {
    const response = await request("/v1/ids/js53?format=text&count=20&encoding=base58");
    expect(await response.text()).toMatch(/^([1-9A-HJ-NP-Za-km-z]+\n){20}$/);
  });

  it("aborts a stream that can't finish, instead of ending it normally", async () => {
    const path = "/v1/ids/default?count=50000&format=text&shard=6";
    await expect(readAcross(path, () => clock.step(-10_000_000_000))).rejects.toThrow();
  });
});

describe("a question mark", () => {
  it("may be in a parameter's value", async () => {
    expect(await idsOf("default", "?key=a?=b")).toHaveLength(1);
    expect((await problemOf("/v1/ids/default?count=1&=b")).status).toBe(400);
  });
});

describe("/v1/blocks", () => {
  it.each(["GET", "POST"])("%s answers runs of consecutive IDs", async (method) => {
    const response = await request("/v1/blocks/default?count=10000&shard=2", { method });
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("edgeflake-shard")).toBe("2");
    const body = await response.json();
    expect(body).toMatchObject({ shard: 2, freshForMs: 250 });
    const { blocks } = body as { blocks: { first: string; count: number }[] };
    expect(blocks.reduce((sum, { count }) => sum + count, 0)).toBe(10_000);
    const ids = blocks.flatMap(({ first, count }) =>
      Array.from({ length: count }, (_, index) => BigInt(first) + BigInt(index)),
    );
    expect(new Set(ids).size).toBe(10_000);
    for (const id of [ids[0], ids.at(-1)]) {
      expect(await json(`/v1/decode/default/${id}`)).toMatchObject({ shard: 2 });
    }
  });

  it("grants a million of default at once", async () => {
    const body = await json("/v1/blocks/default?count=1000000&shard=3");
    const { blocks } = body as { blocks: { count: number }[] };
    expect(blocks.reduce((sum, { count }) => sum + count, 0)).toBe(1_000_000);
  });
});

describe("/v1/decode and /v1/range", () => {
  it("decode a tweet's ID", async () => {
    expect(await json("/v1/decode/twitter/1541815603606036480")).toEqual({
      id: "1541815603606036480",
      kind: "snowflake",
      time: "2022-06-28T16:07:40.105Z",
      unixMs: 1656432460105,
      tick: 367597485448,
      datacenter: 11,
      worker: 26,
      shard: 378,
      lane: 0,
      sequence: 0,
      encodings: {
        decimal: "1541815603606036480",
        hex: "1565a11f6217a000",
        base32: "1ASD13XH1F800",
        base36: "bppc0m3ju134",
        base58: "4aaW4SzAyQK",
        base62: "1ptWyK4WgZU",
      },
    });
  });

  it("show a datacenter only if the layout has one", async () => {
    expect(await json("/v1/decode/default/1")).not.toHaveProperty("datacenter");
    expect(await json("/v1/decode/js53/52727435558913?encoding=number")).toMatchObject({
      lane: 1,
      worker: 1,
      sequence: 1,
      time: "2019-10-19T00:00:00.000Z",
    });
  });

  it("agree with each other", async () => {
    const range = await json("/v1/range/default?from=2026-01-01&until=2026-01-02T00:00:00%2B01:00");
    const { first, last } = range as { first: string; last: string };
    expect(await json(`/v1/decode/default/${first}`)).toMatchObject({
      time: "2026-01-01T00:00:00.000Z",
      shard: 0,
      sequence: 0,
    });
    expect(await json(`/v1/decode/default/${last}`)).toMatchObject({
      time: "2026-01-01T22:59:59.999Z",
      shard: 1023,
      sequence: 4095,
    });
  });
});

describe("/v1/shards", () => {
  it("shows all shards, or one, with line and counters", async () => {
    await idsOf("node", "?shard=1&count=7");
    const list = (await json("/v1/shards/node")) as { shards: { shard: number }[] };
    expect(list.shards.map(({ shard }) => shard)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    const one = await json("/v1/shards/node/1");
    expect(one).toMatchObject({ shard: 1, region: "wnam", counters: { issued: 7, grants: 1 } });
    const { lanes } = one as { lanes: { lane: number; next: number; mark: number }[] };
    expect(lanes).toHaveLength(4);
    expect(lanes[0]?.next).toBeLessThanOrEqual(lanes[0]?.mark ?? 0);
  });

  it("lists in pages", async () => {
    const first = (await json("/v1/shards/default?limit=3")) as { cursor: string };
    expect(first).toMatchObject({ shards: [{ shard: 0 }, { shard: 1 }, { shard: 2 }] });
    const second = await json(`/v1/shards/default?limit=32&cursor=${first.cursor}`);
    expect(second).toMatchObject({ shards: [3, 4, 5, 6, 7].map((shard) => ({ shard })) });
    expect(second).not.toHaveProperty("cursor");
  });
});

/** Path, and the parameters that must be named, each with its allowed values. */
const BAD_PARAMETERS: [path: string, named: Record<string, RegExp>][] = [
  ...["0", "-1", "1.5", "1e9", "abc", "", "%20", "1%20", "+5", "01", "10001"].map(
    (count): [string, Record<string, RegExp>] => [
      `/v1/ids/default?count=${count}`,
      { count: /integer from 1 to 10000/ },
    ],
  ),
  ["/v1/ids/default?count=1000001&format=text", { count: /1000000/ }],
  ["/v1/blocks/default?count=1000001", { count: /1 to 1000000/ }],
  ["/v1/blocks/twitter?count=413697", { count: /1 to 413696/ }],
  ["/v1/blocks/js53?count=196609&order=strict", { count: /1 to 196608/ }],
  ["/v1/ids/default?count=1&count=2", { count: /once/ }],
  ["/v1/ids/default?shard=8", { shard: /0 to 7/ }],
  ["/v1/ids/default?shard=-1", { shard: /0 to 7/ }],
  ["/v1/ids/default?shard=1&shard=2", { shard: /once/ }],
  [
    `/v1/ids/default?shard=abc&key=${"k".repeat(513)}`,
    { shard: /0 to 7/, key: /mutually exclusive/ },
  ],
  ["/v1/blocks/twitter?count=0", { count: /1 to 413696/ }],
  [
    "/v1/decode/default/abc?foo=1&encoding=xx",
    { id: /digits/, foo: /unknown/, encoding: /decimal/ },
  ],
  ["/v1/range/default?from=2001-01-01&until=2002-01-01&foo=1", { until: /time/, foo: /unknown/ }],
  ["/v1/ids/default?shard=1&key=a", { key: /mutually exclusive/ }],
  ["/v1/ids/default?key=", { key: /1 to 512 bytes/ }],
  [`/v1/ids/default?key=${"k".repeat(513)}`, { key: /1 to 512 bytes/ }],
  [`/v1/ids/default?key=${encodeURIComponent("ö".repeat(257))}`, { key: /1 to 512 bytes/ }],
  ["/v1/ids/default?key=%ff", { query: /UTF-8/ }],
  ["/v1/ids/default?key=%zz", { query: /UTF-8/ }],
  ["/v1/ids/default?encoding=base64", { encoding: /decimal, hex, base32/ }],
  ["/v1/ids/default?encoding=number", { encoding: /at most 53 bits/ }],
  ["/v1/ids/default?format=xml", { format: /json, text/ }],
  ["/v1/ids/default?order=random", { order: /fresh, strict/ }],
  ["/v1/ids/default?=5", { "": /unknown/ }],
  ["/v1/ids/default?cuont=3", { cuont: /allowed: count/ }],
  ["/v1/blocks/default?encoding=hex", { encoding: /unknown/ }],
  [
    "/v1/ids/default?count=0&shard=99&encoding=x&order=y&foo=1",
    { count: /must be/, shard: /must be/, encoding: /must be/, order: /must be/, foo: /unknown/ },
  ],
  ...["abc", "-1", "%201", "01", "9223372036854775808", "99999999999999999999", "1.0", "0x10"].map(
    (id): [string, Record<string, RegExp>] => [
      `/v1/decode/default/${id}`,
      { id: /1 to 19 digits/ },
    ],
  ),
  ["/v1/decode/js53/9007199254740992", { id: /at most 9007199254740991/ }],
  ["/v1/decode/default/FF?encoding=hex", { id: /lower case/ }],
  ["/v1/decode/default/1?encoding=number", { encoding: /at most 53 bits/ }],
  ["/v1/range/default", { from: /ISO 8601/, until: /ISO 8601/ }],
  ["/v1/range/default?from=x&until=2026-02-30", { from: /ISO 8601/, until: /ISO 8601/ }],
  ["/v1/range/default?from=2026-01-02&until=2026-01-01", { from: /before until/ }],
  ["/v1/range/default?from=2026-01-01&until=2026-01-01", { from: /before until/ }],
  ["/v1/range/default?from=2001-01-01&until=2002-01-01", { until: /run from/ }],
  ["/v1/shards/default?limit=33", { limit: /1 to 32/ }],
  ["/v1/shards/default/0?x=1", { x: /unknown/ }],
];

describe("bad parameters", () => {
  it.each(BAD_PARAMETERS)("%s", async (path, named) => {
    const { status, type, body } = await problemOf(path);
    expect([status, type]).toEqual([400, "application/problem+json"]);
    expect(body).toMatchObject({
      type: "/docs#invalid_parameter",
      status: 400,
      code: "invalid_parameter",
      definite: true,
      requestId: expect.any(String),
    });
    const errors = body.errors as { parameter: string; detail: string }[];
    expect(new Set(errors.map(({ parameter }) => parameter))).toEqual(new Set(Object.keys(named)));
    for (const [parameter, takes] of Object.entries(named)) {
      const details = errors.filter((error) => error.parameter === parameter);
      expect(details.some(({ detail }) => takes.test(detail))).toBe(true);
    }
  });

  it.each<[string, Record<string, unknown>]>([
    ["ids/default?count=0", { parameter: "count", min: 1, max: 10_000 }],
    ["ids/twitter?count=1000001&format=text", { parameter: "count", min: 1, max: 1_000_000 }],
    ["blocks/js53?count=0&order=strict", { parameter: "count", min: 1, max: 196_608 }],
    ["ids/default?shard=8", { parameter: "shard", min: 0, max: 7 }],
    ["ids/default?order=x", { parameter: "order", allowed: ["fresh", "strict"] }],
    ["ids/default?encoding=number", { parameter: "encoding", allowed: [...ENCODINGS] }],
    ["shards/default?x=1", { parameter: "x", allowed: ["limit", "cursor"] }],
  ])("%s lists the allowed values for programs", async (path, takes) => {
    const { body } = await problemOf(`/v1/${path}`);
    expect(body.errors).toEqual([{ detail: expect.any(String), ...takes }]);
  });

  it("may be named like properties of Object.prototype", async () => {
    const { status, body } = await problemOf("/v1/ids/default?__proto__=1&constructor=2");
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ parameter: "__proto__" }, { parameter: "constructor" }]);
  });

  it("are listed up to 32, so that the response stays small", async () => {
    const names = Array.from({ length: 500 }, (_, index) => `p${index}=1`);
    const { body } = await problemOf(`/v1/ids/default?${names.join("&")}`);
    expect(body.errors).toHaveLength(32);
    expect(body.detail).toContain("and 468 more");
  });

  it("issue nothing", async () => {
    const issued = async (): Promise<number> => {
      const { shards } = (await json("/v1/shards/default")) as {
        shards: { counters: { issued: number } }[];
      };
      return shards.reduce((sum, { counters }) => sum + counters.issued, 0);
    };
    const before = await issued();
    for (const [path] of BAD_PARAMETERS) await (await request(path)).text();
    await (await request("/v1/ids/default", { method: "POST", body: "count=3" })).text();
    await (await request("/v1/ids/default", { method: "HEAD" })).text();
    expect(await issued()).toBe(before);
  });
});

describe("other refusals", () => {
  it.each([
    ["GET", "/v1/ids/nope", 404, "unknown_namespace"],
    ["POST", "/v1/blocks/__proto__", 404, "unknown_namespace"],
    ["GET", "/v1/range/%00", 404, "unknown_namespace"],
    ["GET", "/v1/decode/nope/1", 404, "unknown_namespace"],
    ["GET", "/v1/shards/default/8", 404, "not_found"],
    ["GET", "/v1/shards/default/x", 404, "not_found"],
    ["GET", "/v2/ids/default", 404, "not_found"],
    ["GET", "/v1/ids", 404, "not_found"],
    ["GET", "/v1/ids/default/", 404, "not_found"],
  ])("%s %s is %d %s", async (method, path, status, code) => {
    const answer = await problemOf(path, { method });
    expect(answer).toMatchObject({ status, type: "application/problem+json", body: { code } });
  });

  it.each([
    ["DELETE", "/v1/ids/default", "GET, POST"],
    ["PUT", "/v1/blocks/default", "GET, POST"],
    ["POST", "/v1/decode/default/1", "GET, HEAD"],
    ["POST", "/v1/range/default", "GET, HEAD"],
    ["POST", "/v1/shards/default", "GET, HEAD"],
    ["DELETE", "/healthz", "GET, HEAD"],
  ])("%s %s is 405 with Allow: %s", async (method, path, allow) => {
    const answer = await problemOf(path, { method });
    expect(answer).toMatchObject({ status: 405, allow, body: { code: "method_not_allowed" } });
  });

  it.each(["/v1/ids/default", "/v1/blocks/default"])("HEAD %s is 405", async (path) => {
    const response = await request(path, { method: "HEAD" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, POST"]);
  });

  it("a body is 400, an empty body is accepted", async () => {
    const answer = await problemOf("/v1/ids/default", { method: "POST", body: "{}" });
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid_body" } });
    expect((await request("/v1/ids/default", { method: "POST", body: "" })).status).toBe(200);
  });

  it.each([...PRESETS.keys()])("%s before its epoch is clock_before_epoch", async (namespace) => {
    clock.set(0);
    expect(await problemOf(`/v1/ids/${namespace}?shard=7`)).toMatchObject({
      status: 500,
      body: { code: "clock_before_epoch", definite: true },
    });
  });

  it("past the last tick is timestamp_exhausted, never a negative ID", async () => {
    clock.set(3487858230209);
    expect(await problemOf("/v1/ids/leaf?shard=7")).toMatchObject({
      status: 500,
      body: { code: "timestamp_exhausted" },
    });
    clock.set(3487858230208);
    const [id] = await idsOf("leaf", "?shard=7");
    expect(id).toBeLessThan(1n << 63n);
    expect(id).toBeGreaterThan(0n);
  });
});

describe("access", () => {
  it.each(["keys", "", "OPEN", "open ", undefined, null])(
    "ACCESS=%j without ADMIN_KEY closes every route except health",
    async (access) => {
      const closed = { ...env, ACCESS: access } as Env;
      for (const path of ["/v1/ids/default", "/v1/decode/default/1", "/nope", "/v1/nope"]) {
        const response = await app.request(path, {}, closed);
        expect(response.status).toBe(503);
        expect(response.headers.get("content-type")).toBe("application/problem+json");
        expect(await response.json()).toMatchObject({ code: "not_configured", definite: true });
      }
      const health = await app.request("/healthz", {}, closed);
      expect([health.status, await health.json()]).toEqual([200, { status: "ok" }]);
    },
  );
});
