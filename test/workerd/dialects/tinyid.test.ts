/** Didi TinyID's routes, byte for byte: always status 200, by query and by form. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ask, put } from "../../support/admin.ts";
import { useClock } from "../../support/clock.ts";
import { idsOf, request } from "../../support/requests.ts";

useClock("waits");

const OPEN: Env = { ...env };
const FORM = "application/x-www-form-urlencoded";
const BATCH_RULE = "batchSize must be an integer from 1; values above 100000 count as 100000.";
const FORM_RULE = "A form must be at most 16384 bytes, and arrive within 5000 ms.";
const UNKNOWN =
  "No namespace has this name. Built-in namespaces: default, twitter, leaf, js53, node, segment. Create others with PUT /v1/namespaces/{namespace}.";

beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

/** The text of an answer, which must be TinyID's in status and headers. */
async function tiny(call: string, init?: RequestInit): Promise<string> {
  const { status, headers, text } = await answered(await request(`/tinyid/id/${call}`, init));
  const type = /Simple\b/.test(call)
    ? "text/plain;charset=UTF-8"
    : "application/json;charset=UTF-8";
  expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
    200,
    type,
    "no-store",
  ]);
  return text;
}

async function answered(response: Response) {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const form = (body: BodyInit, type = FORM): RequestInit => {
  return { method: "POST", body, headers: { "content-type": type } };
};
const ok = (data: string) => `{"data":${data},"code":200,"message":""}`;
const refused = (message: string) => `{"data":null,"code":6,"message":"${message}"}`;

describe("nextId", () => {
  it("answers a list, with one ID by default", async () => {
    await put("tiny", { kind: "segment" });
    expect(await tiny("nextId?bizType=tiny")).toBe(ok("[1]"));
    expect(await tiny("nextId?bizType=tiny&batchSize=2&token=any")).toBe(ok("[2,3]"));
    expect(await tiny("nextIdSimple?bizType=tiny&batchSize=3")).toBe("4,5,6");
    expect(await tiny("nextIdSimple?bizType=tiny", { method: "POST" })).toBe("7");
  });

  it("has the remainder, also if a batch exceeds a step", async () => {
    await put("a.b-c_d", { kind: "segment", delta: 5, remainder: 3, step: 10 });
    expect(await tiny("nextIdSimple?bizType=a.b-c_d&batchSize=2")).toBe("3,8");
    expect(await tiny("nextId?bizType=%61.b-c%5Fd&batchSize=12")).toMatch(
      /^\{"data":\[(\d*[38],){11}\d*[38]\],"code":200,"message":""\}$/,
    );
  });

  it("is exact beyond 2^53, and never passes max", async () => {
    const numbers = { start: "9007199254740993", max: "9007199254740997" };
    await put("tiny-big", { kind: "segment", ...numbers });
    expect(await tiny("nextId?bizType=tiny-big&batchSize=2")).toBe(
      ok("[9007199254740993,9007199254740994]"),
    );
    const tooMany = await tiny("nextId?bizType=tiny-big&batchSize=4");
    expect(tooMany).toMatch(/^\{"data":null,"code":6,"message":"[^"]* 9007199254740997\."\}$/);
    expect(await tiny("nextIdSimple?bizType=tiny-big&batchSize=3")).toBe(
      "9007199254740995,9007199254740996,9007199254740997",
    );
    expect(await tiny("nextId?bizType=tiny-big")).toContain('"data":null,"code":6');
    expect(await tiny("nextIdSimple?bizType=tiny-big")).toBe("");
  });

  it.each(["100001", "2147483648", "9".repeat(30), "000100000"])(
    "counts a batchSize of %s as 100,000",
    async (batchSize) => {
      await put("tiny-batch", { kind: "segment" });
      const text = await tiny(`nextIdSimple?bizType=tiny-batch&batchSize=${batchSize}`);
      const ids = text.split(",");
      expect([ids.length, new Set(ids).size]).toEqual([100_000, 100_000]);
    },
  );

  it.each(["0", "-1", "x", "1.5", "1e3", "0x10", " 1", "1 ", "NaN", "١"])(
    "rejects a batchSize of %j, and uses no ID",
    async (batchSize) => {
      await put("tiny-refusing", { kind: "segment" });
      const query = new URLSearchParams({ bizType: "tiny-refusing", batchSize });
      expect(await tiny(`nextId?${query}`)).toBe(refused(BATCH_RULE));
      expect(await tiny(`nextIdSimple?${query}`)).toBe("");
      const { body } = await ask("/v1/shards/tiny-refusing/0");
      expect(body).toMatchObject({ max_id: "1", counters: { issued: 0 } });
    },
  );
});

describe("nextSegmentId", () => {
  it("answers (currentId, maxId], with loadingId at 20 %", async () => {
    await put("tiny-range", { kind: "segment", step: 1000 });
    expect(await tiny("nextSegmentId?bizType=tiny-range&token=x")).toBe(
      ok('{"maxId":1000,"loadingId":200,"currentId":0,"delta":1,"remainder":0}'),
    );
    expect(await tiny("nextSegmentIdSimple?bizType=tiny-range")).toBe("1000,1200,2000,1,0");
    expect(await tiny("nextSegmentIdSimple", form("bizType=tiny-range"))).toBe(
      "2000,2200,3000,1,0",
    );
  });

  it("has the first ID right after currentId, from 0 on too", async () => {
    await put("tiny-zero", { kind: "segment", start: 0, delta: 2, remainder: 1, step: 10 });
    expect(await tiny("nextSegmentIdSimple?bizType=tiny-zero")).toBe("-1,1,9,2,1");
    expect(await tiny("nextIdSimple?bizType=tiny-zero&batchSize=5")).toBe("11,13,15,17,19");
    expect(await tiny("nextSegmentIdSimple?bizType=tiny-zero")).toMatch(/^\d*9,\d+,\d*9,2,1$/);
  });

  it("is shorter near max, then requests fail; exact beyond 2^53", async () => {
    const numbers = { start: "9007199254740993", max: "9007199254741000", step: 6 };
    await put("tiny-max", { kind: "segment", ...numbers });
    expect(await tiny("nextSegmentId?bizType=tiny-max")).toBe(
      ok(
        '{"maxId":9007199254740998,"loadingId":9007199254740993,"currentId":9007199254740992,"delta":1,"remainder":0}',
      ),
    );
    expect(await tiny("nextSegmentIdSimple?bizType=tiny-max")).toBe(
      "9007199254740998,9007199254740998,9007199254741000,1,0",
    );
    expect(await tiny("nextSegmentId?bizType=tiny-max")).toBe(
      refused("No number is left up to this namespace's max, 9007199254741000."),
    );
    expect(await tiny("nextSegmentIdSimple?bizType=tiny-max")).toBe("");
  });

  it("and every other route issue each number once, also to concurrent requests", async () => {
    await put("tiny-crowd", { kind: "segment", step: 8 });
    const spread = ([current = 0, , max = 0]: number[]) =>
      Array.from({ length: max - current }, (_, index) => BigInt(current + 1 + index));
    const asked = Array.from({ length: 120 }, async (_, index) => {
      if (index % 4 === 0) return idsOf("tiny-crowd", "?count=5");
      if (index % 4 === 1)
        return [BigInt(await (await request("/api/segment/get/tiny-crowd")).text())];
      if (index % 4 === 2) {
        const text = await tiny("nextIdSimple?bizType=tiny-crowd&batchSize=9");
        return text.split(",").map(BigInt);
      }
      return spread((await tiny("nextSegmentIdSimple?bizType=tiny-crowd")).split(",").map(Number));
    });
    const ids = (await Promise.all(asked)).flat();
    expect(ids).toHaveLength(30 * (5 + 1 + 9 + 8));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("parameters", () => {
  it("may be in the query or the form; the query wins, and the first of two", async () => {
    await put("tiny-form", { kind: "segment" });
    const call = (query: string, body: string) => tiny(`nextIdSimple${query}`, form(body));
    expect(await call("", "bizType=tiny-form&batchSize=2&token=t")).toBe("1,2");
    expect(await call("?bizType=tiny-form", "bizType=nope&batchSize=2&batchSize=x")).toBe("3,4");
    expect(await call("?batchSize=2&batchSize=0&x=1&x", "bizType=tiny-form&bizType=y")).toBe("5,6");
    expect(await call("?bizType=nope", "bizType=tiny-form")).toBe("");
    expect(await call("?biztype=tiny-form", "BizType=tiny-form")).toBe("");
  });

  it("are read from forms only, with any named charset", async () => {
    await put("tiny-types", { kind: "segment" });
    const query = "nextId?bizType=tiny-types";
    expect(await tiny(query, form('{"batchSize":9}', "application/json"))).toBe(ok("[1]"));
    expect(await tiny(query, form("batchSize=9", "text/plain"))).toBe(ok("[2]"));
    expect(await tiny(query, form(new Uint8Array([0xff, 0xfe]), FORM))).toBe(ok("[3]"));
    expect(await tiny(query, form("batchSize=2", `${FORM}; charset=utf-16`))).toBe(ok("[4,5]"));
    expect(await tiny("nextId", form('{"bizType":"tiny-types"}', "application/json"))).toBe(
      refused(UNKNOWN),
    );
  });

  it.each([
    ...["", "nope", "../x", "..%2Fsegment", "%00", "%ff", "segment%0a", "__proto__", "0", "-"],
    ...["%3Cscript%3E", "%22%7D", "tiny,types", "x".repeat(64)],
  ])("with the bizType %s name no namespace", async (bizType) => {
    expect(await tiny(`nextId?bizType=${bizType}`)).toBe(refused(UNKNOWN));
    expect(await tiny(`nextSegmentId?bizType=${bizType}`)).toBe(refused(UNKNOWN));
    expect(await tiny(`nextSegmentIdSimple?bizType=${bizType}`)).toBe("");
  });

  it("that no namespace can have cause no call to the registry", async () => {
    const getByName = vi.fn();
    const bindings = { ...OPEN, REGISTRY: { getByName } } as unknown as Env;
    for (const bizType of ["", "../x", "0", "tiny,types", "x".repeat(64), "x".repeat(10_000)]) {
      const { text } = await ask(`/tinyid/id/nextId?bizType=${bizType}`, { bindings });
      expect(text).toBe(refused(UNKNOWN));
    }
    expect(getByName).not.toHaveBeenCalled();
  });

  it("that are missing, of 10 kB, of the other kind, or of a retired namespace are rejected", async () => {
    for (const query of ["", `?bizType=${"x".repeat(10_000)}`]) {
      expect(await tiny(`nextId${query}`)).toBe(refused(UNKNOWN));
    }
    const kind = "The namespace is of the kind snowflake; this route needs the kind segment.";
    expect(await tiny("nextSegmentId?bizType=default")).toBe(refused(kind));
    await put("tiny-retired", { kind: "segment" });
    await ask("/v1/namespaces/tiny-retired", { method: "DELETE" });
    const retired = refused("This namespace is retired, and its name can't be reused.");
    expect(await tiny("nextId?bizType=tiny-retired")).toBe(retired);
    expect(await tiny("nextSegmentId?bizType=tiny-retired")).toBe(retired);
  });

  it("may have a body of at most 16,384 bytes", async () => {
    const fill = (bytes: number) => "bizType=segment&x=".padEnd(bytes, "y");
    expect(await tiny("nextId", form(fill(16_384)))).toContain('"code":200');
    const large = refused(FORM_RULE);
    expect(await tiny("nextId", form(fill(16_385)))).toBe(large);
    expect(await tiny("nextSegmentId", form(fill(100_000)))).toBe(large);
    expect(await tiny("nextIdSimple", form(fill(16_385)))).toBe("");
  });

  it("are ignored in a body that is no form", async () => {
    const json = { method: "POST", body: "x".repeat(100_000) };
    expect(await tiny("nextId?bizType=segment", json)).toContain('"code":200');
  });

  const lengths = [{ "content-length": "100" }, {}];
  const opened = { method: "POST", key: null, bindings: OPEN };

  it.each(lengths)("that break off are rejected, and are no internal error: %j", async (length) => {
    const errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const warnings = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const begin = new TextEncoder().encode("bizType=segment&");
    let pulls = 0;
    const rawBody = new ReadableStream({
      pull: (stream) => {
        pulls += 1;
        if (pulls === 1) stream.enqueue(begin);
        else stream.error(new Error("gone"));
      },
    });
    const headers = { "content-type": FORM, ...length };
    const { status, text } = await ask("/tinyid/id/nextId", { ...opened, headers, rawBody });
    expect([status, text]).toEqual([200, refused(FORM_RULE)]);
    expect(errors).not.toHaveBeenCalled();
    expect(warnings).toHaveBeenCalledOnce();
  });

  it.each(lengths)("that do not arrive are rejected after 5 s: %j", async (length) => {
    const wait = vi.spyOn(scheduler, "wait").mockResolvedValue(undefined);
    const headers = { "content-type": FORM, ...length };
    const rawBody = new ReadableStream();
    const { text } = await ask("/tinyid/id/nextId", { ...opened, headers, rawBody });
    expect(text).toBe(refused(FORM_RULE));
    expect(wait).toHaveBeenCalledExactlyOnceWith(5000, expect.anything());
  });
});

describe("parameters", () => {
  it("an empty batchSize counts as absent, as in Spring", async () => {
    await put("tiny-empty", { kind: "segment" });
    expect(await tiny("nextId?bizType=tiny-empty&batchSize=")).toBe(ok("[1]"));
  });

  it("an escaped path is the path", async () => {
    const response = await request("/tinyid/id/nextId%53imple?bizType=tiny-nowhere");
    expect(response.headers.get("content-type")).toBe("text/plain;charset=UTF-8");
    expect(await response.text()).toBe("");
  });
});

describe("other methods", () => {
  it("are rejected, and use no ID", async () => {
    await put("tiny-methods", { kind: "segment" });
    for (const call of ["nextId", "nextIdSimple", "nextSegmentId", "nextSegmentIdSimple"]) {
      for (const method of ["HEAD", "DELETE", "PUT", "PATCH"]) {
        const response = await request(`/tinyid/id/${call}?bizType=tiny-methods`, { method });
        const { status, headers } = await answered(response);
        expect([status, headers.get("allow")]).toEqual([405, "GET, POST"]);
        expect(headers.get("cache-control")).toBe("no-store");
      }
    }
    expect(await tiny("nextId?bizType=tiny-methods")).toBe(ok("[1]"));
  });
});
