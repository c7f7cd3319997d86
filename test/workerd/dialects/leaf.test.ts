/** Meituan Leaf's routes, byte for byte: bare decimals, Spring's error body, and the reading of an ID. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { writeGrantReply } from "../../../src/core/line/grant-reply.ts";
import { ask, put } from "../../support/admin.ts";
import { clock, useClock } from "../../support/clock.ts";
import { idsOf, json, request } from "../../support/requests.ts";

const NOW_MS = 1_900_000_000_123;
const OPEN: Env = { ...env };

useClock("waits");
beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

async function textOf(path: string, init?: RequestInit): Promise<string> {
  const response = await request(path, init);
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "text/plain;charset=UTF-8",
  ]);
  return response.text();
}

/** Leaf's error body as it is on the wire, at NOW_MS. */
function errorText(id: number, path: string): string {
  return `{"timestamp":${NOW_MS},"status":500,"error":"Internal Server Error","exception":"com.sankuai.inf.leaf.server.exception.LeafServerException","message":"Result{id=${id}, status=EXCEPTION}","path":"${path}"}`;
}

/** Asks with access open under bindings that are changed, the clock standing at NOW_MS. */
async function failure(path: string, changed: object = {}) {
  clock.set(NOW_MS);
  const bindings = { ...OPEN, ...changed } as Env;
  const { status, headers, text } = await ask(path, { key: null, bindings });
  return [status, headers.get("content-type"), headers.get("cache-control"), text];
}

function failed(id: number, path: string) {
  return [500, "application/json;charset=UTF-8", "no-store", errorText(id, path)];
}

describe("a segment's ID", () => {
  it("is a bare decimal, by GET and by POST", async () => {
    await put("leaf-segment-test", { kind: "segment" });
    const path = "/api/segment/get/leaf-segment-test";
    expect(await textOf(path)).toBe("1");
    expect(await textOf(path, { method: "POST" })).toBe("2");
    expect(await textOf(path, { method: "POST", body: new URLSearchParams("a=b") })).toBe("3");
    expect(await textOf(path, { method: "POST", body: '{"key":"other"}' })).toBe("4");
    expect(await textOf(`${path}?count=5&key=other&x&x`)).toBe("5");
  });

  it("has the namespace's remainder", async () => {
    await put("leaf.b-c_d", { kind: "segment", start: 10, delta: 3, remainder: 2 });
    expect(await textOf("/api/segment/get/leaf.b-c_d")).toBe("11");
    expect(await textOf("/api/segment/get/leaf%2Eb-c%5fd")).toBe("14");
  });

  it("is issued once, also with concurrent requests and /v1/ids", async () => {
    await put("leaf-crowd", { kind: "segment", step: 7 });
    const asked = Array.from({ length: 100 }, async (_, index) =>
      index % 4 === 0
        ? idsOf("leaf-crowd", "?count=3")
        : [BigInt(await textOf("/api/segment/get/leaf-crowd"))],
    );
    const ids = (await Promise.all(asked)).flat();
    expect(ids).toHaveLength(150);
    expect(new Set(ids).size).toBe(150);
  });

  it("is exact up to 2^63 − 1; then requests fail", async () => {
    await put("leaf-end", { kind: "segment", start: "9223372036854775806" });
    const path = "/api/segment/get/leaf-end";
    expect(await textOf(path)).toBe("9223372036854775806");
    expect(await textOf(path)).toBe("9223372036854775807");
    for (let again = 0; again < 2; again += 1)
      expect(await failure(path)).toEqual(failed(-3, path));
  });
});

describe("a snowflake ID", () => {
  it("is a bare decimal that decodes the same here and under /v1/decode", async () => {
    const first = await textOf("/api/snowflake/get/leaf");
    const second = await textOf("/api/snowflake/get/leaf", { method: "POST" });
    expect([first, second]).toEqual([expect.stringMatching(/^\d{19}$/), expect.any(String)]);
    expect(second).not.toBe(first);
    const said = await json(`/v1/decode/leaf/${first}`);
    const { timestamp, ...fields } = (await json(`/decodeSnowflakeId?snowflakeId=${first}`)) as {
      timestamp: string;
    };
    const unixMs = Number(timestamp.split("(")[0]);
    expect(said).toMatchObject({ unixMs });
    const { sequence, shard } = said as Record<string, unknown>;
    expect(fields).toEqual({ sequenceId: `${sequence}`, workerId: `${shard}` });
  });
});

describe("a failure", () => {
  it.each([
    "/api/segment/get/nope",
    "/api/snowflake/get/nope",
    "/api/segment/get/leaf",
    "/api/snowflake/get/segment",
    "/api/segment/get/..%2fsegment",
    "/api/segment/get/%00",
    "/api/segment/get/segment%0a",
    "/api/segment/get/%ff%fe",
    "/api/segment/get/__proto__",
    "/api/segment/get/0",
    "/api/segment/get/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
  ])("at %s is an unknown key", async (path) => {
    expect(await failure(path)).toEqual(failed(-2, path));
  });

  it("shows no HTML and no part of the query, also after a query of 10 kB", async () => {
    const long = `/api/segment/get/${"k".repeat(10_000)}`;
    expect(await failure(long)).toEqual(failed(-2, long));
    const [, , , text] = await failure('/api/segment/get/<b a="x">?token=<i>');
    expect(text).toBe(errorText(-2, "/api/segment/get/%3Cb%20a=%22x%22%3E"));
  });

  it("of a retired namespace is an unknown key", async () => {
    await put("leaf-retired", { kind: "segment" });
    const path = "/api/segment/get/leaf-retired";
    expect(await textOf(path)).toBe("1");
    expect((await ask("/v1/namespaces/leaf-retired", { method: "DELETE" })).status).toBe(204);
    expect(await failure(path)).toEqual(failed(-2, path));
  });

  it("of the registry, or of a deployment without a key, is not initialised", async () => {
    const REGISTRY = { getByName: () => ({ namespace: () => Promise.reject(new Error("down")) }) };
    const path = "/api/segment/get/leaf-never-read";
    expect(await failure(path, { REGISTRY })).toEqual(failed(-1, path));
    const closed = { ACCESS: "keys", ADMIN_KEY: undefined };
    expect(await failure("/api/segment/get/segment", closed)).toEqual(
      failed(-1, "/api/segment/get/segment"),
    );
  });

  it("of the object is not available, without details", async () => {
    await put("leaf-broken", { kind: "segment" });
    await put("leaf-broken-shards");
    const getByName = () => {
      throw new Error("a secret of the inside");
    };
    const segment = "/api/segment/get/leaf-broken";
    const snowflake = "/api/snowflake/get/leaf-broken-shards";
    expect(await failure(segment, { SEGMENTS: { getByName } })).toEqual(failed(-3, segment));
    expect(await failure(snowflake, { SHARD: { getByName } })).toEqual(failed(-3, snowflake));
  });

  it("of a saturated shard is not available", async () => {
    await put("leaf-saturated");
    const refusal = { code: "shard_saturated", detail: "full", retryAfterMs: 1 } as const;
    const reply = writeGrantReply(
      { ok: false, refusal, granted: 0, waitedMs: 0 },
      { instance: 1, nowMs: 0 },
    );
    const SHARD = { getByName: () => ({ grant: async () => reply }) };
    const path = "/api/snowflake/get/leaf-saturated";
    expect(await failure(path, { SHARD })).toEqual(failed(-3, path));
  });

  it("of a caller above its rate limit is not available", async () => {
    const LIMITER = { limit: vi.fn(async () => ({ success: false })) };
    const path = "/api/segment/get/segment";
    expect(await failure(path, { LIMITER })).toEqual(failed(-3, path));
    expect(LIMITER.limit).toHaveBeenCalledExactlyOnceWith({ key: "address:", delta: 1 });
  });
});

describe("other methods", () => {
  it.each(["/api/segment/get/leaf-methods", "/api/snowflake/get/default"])(
    "are rejected at %s, also HEAD",
    async (path) => {
      for (const method of ["HEAD", "DELETE", "PUT", "OPTIONS"]) {
        const { status, headers } = await request(path, { method });
        expect([method, status, headers.get("allow")]).toEqual([method, 405, "GET, POST"]);
        expect(headers.get("cache-control")).toBe("no-store");
      }
    },
  );

  it("use no ID", async () => {
    await put("leaf-methods", { kind: "segment" });
    await request("/api/segment/get/leaf-methods", { method: "HEAD" });
    expect(await idsOf("leaf-methods", "?order=strict")).toEqual([1n]);
  });
});

describe("/decodeSnowflakeId", () => {
  const ID = "1169786042799259000";
  const path = `/decodeSnowflakeId?snowflakeId=${ID}`;
  const said = (local: string) =>
    `{"timestamp":"1567733700834(${local})","sequenceId":"3448","workerId":"39"}`;

  it.each([
    [undefined, "2019-09-06 09:35:00.834"],
    ["", "2019-09-06 09:35:00.834"],
    ["+00:00", "2019-09-06 01:35:00.834"],
    ["-03:30", "2019-09-05 22:05:00.834"],
    ["+14:00", "2019-09-06 15:35:00.834"],
  ])("decodes Leaf's own example in the zone %s", async (LEAF_UTC_OFFSET, local) => {
    const bindings = { ...OPEN, LEAF_UTC_OFFSET } as Env;
    const { status, headers, text } = await ask(path, { key: null, bindings });
    expect([status, headers.get("content-type"), text]).toEqual([
      200,
      "application/json;charset=UTF-8",
      said(local),
    ]);
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it.each(["8", "+8:00", "+15:00", "+08:60", "UTC", "Asia/Shanghai", "+08:00 ", "08:00"])(
    "fails in the zone %j, and shows no wrong time",
    async (LEAF_UTC_OFFSET) => {
      expect(await failure(path, { LEAF_UTC_OFFSET })).toEqual(failed(-1, "/decodeSnowflakeId"));
    },
  );

  it.each([
    ["-1", "1288834974656(2010-11-04 09:42:54.656)", "4095", "1023"],
    ["+5", "1288834974657(2010-11-04 09:42:54.657)", "5", "0"],
    ["0000004096", "1288834974657(2010-11-04 09:42:54.657)", "0", "1"],
  ])("parses %j like Java's long", async (text, timestamp, sequenceId, workerId) => {
    const response = await request(`/decodeSnowflakeId?snowflakeId=${encodeURIComponent(text)}`);
    expect(await response.json()).toEqual({ timestamp, sequenceId, workerId });
  });

  it("decodes the first and the last ID", async () => {
    const texts = ["0", "9223372036854775807"].map(async (id) => {
      return (await request(`/decodeSnowflakeId?snowflakeId=${id}`)).text();
    });
    expect(await Promise.all(texts)).toEqual([
      '{"timestamp":"1288834974657(2010-11-04 09:42:54.657)","sequenceId":"0","workerId":"0"}',
      '{"timestamp":"3487858230208(2080-07-11 01:30:30.208)","sequenceId":"4095","workerId":"1023"}',
    ]);
  });

  it.each(["", "x", "+", "1.0", "1e3", "0x1", " 1", "9223372036854775808"])(
    "rejects the ID %j",
    async (text) => {
      const response = await request(`/decodeSnowflakeId?snowflakeId=${encodeURIComponent(text)}`);
      expect([response.status, await response.text()]).toEqual([
        200,
        '{"errorMsg":"snowflake Id反解析发生异常!"}',
      ]);
    },
  );

  it("without its parameter is Spring's 400, and uses the first of two", async () => {
    const [status, type, , text] = await failure("/decodeSnowflakeId?snowflakeid=1");
    expect([status, type, text]).toEqual([
      400,
      "application/json;charset=UTF-8",
      `{"timestamp":${NOW_MS},"status":400,"error":"Bad Request","exception":"org.springframework.web.bind.MissingServletRequestParameterException","message":"Required String parameter 'snowflakeId' is not present","path":"/decodeSnowflakeId"}`,
    ]);
    const twice = await request(`/decodeSnowflakeId?x=1&snowflakeId=${ID}&snowflakeId=x`);
    expect(await twice.text()).toBe(said("2019-09-06 09:35:00.834"));
  });

  it("accepts GET and HEAD", async () => {
    const head = await request(path, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const post = await request(path, { method: "POST" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});
