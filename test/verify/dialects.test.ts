import { describe, expect, it } from "vitest";
import type { Asking } from "../../src/verify/dialects.ts";
import { DIALECTS } from "../../src/verify/dialects.ts";
import { type Answer, type Outcome, tooLong } from "../../src/verify/outcome.ts";

const ASKING: Asking = {
  key: undefined,
  namespace: "orders",
  count: 1,
  order: "fresh",
  shard: undefined,
};

function answer(status: number, body: unknown, change: Partial<Answer> = {}): Answer {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { kind: "answer", status, text, shard: undefined, delimited: true, ...change };
}

const acknowledged = (...ids: bigint[]): Outcome => ({ kind: "acknowledged", ids });

describe("requests", () => {
  it.each([
    ["edgeflake", {}, undefined, "/v1/ids/orders"],
    ["edgeflake", { count: 5 }, "a b", "/v1/ids/orders?count=5&key=a+b"],
    ["edgeflake", { shard: 0, order: "strict" }, undefined, "/v1/ids/orders?shard=0&order=strict"],
    ["edgeflake", { namespace: "a/b?" }, undefined, "/v1/ids/a%2Fb%3F"],
    ["leaf-snowflake", {}, undefined, "/api/snowflake/get/orders"],
    ["leaf-segment", { key: "k&k" }, undefined, "/api/segment/get/orders?token=k%26k"],
    [
      "tinyid",
      { key: "t", count: 3 },
      undefined,
      "/tinyid/id/nextId?bizType=orders&batchSize=3&token=t",
    ],
    ["tinyid-simple", {}, undefined, "/tinyid/id/nextIdSimple?bizType=orders&batchSize=1"],
  ] as const)("%s %j key %s: %s", (name, change, orderKey, path) => {
    expect(DIALECTS[name].request({ ...ASKING, ...change }, orderKey).path).toBe(path);
  });

  it("only edgeflake's has the key in a header", () => {
    const { edgeflake, ...others } = DIALECTS;
    const asking = { ...ASKING, key: "efk_1" };
    const request = edgeflake.request(asking, undefined);
    expect(request.headers.authorization).toBe("Bearer efk_1");
    expect(request.path).not.toContain("efk_1");
    for (const dialect of Object.values(others)) {
      expect(dialect.request(asking, undefined).headers).toEqual({});
    }
  });
});

describe("edgeflake's answers", () => {
  const read = (status: number, body: unknown, change: Partial<Answer> = {}) =>
    DIALECTS.edgeflake.read(answer(status, body, change));

  it("IDs, with their shard", () => {
    expect(read(200, { ids: ["1", "9223372036854775807"] }, { shard: "7" })).toEqual({
      ...acknowledged(1n, 9_223_372_036_854_775_807n),
      shard: 7,
    });
    expect(read(200, { ids: ["0"] }, { shard: "x" })).toMatchObject({ shard: undefined });
  });

  it.each([
    ["a number", { ids: [1] }],
    ["a leading zero", { ids: ["01"] }],
    ["a sign", { ids: ["-1"] }],
    ["hex", { ids: ["1f"] }],
    ["2^63", { ids: ["9223372036854775808"] }],
    ["no list", { ids: "1" }],
    ["no JSON", "<html>"],
    ["a text that ends too early", '{"ids":["1"'],
  ])("%s is malformed", (_, body) => {
    expect(read(200, body)).toMatchObject({ kind: "malformed" });
  });

  it("what can't be read may have been cut where nothing says its length", () => {
    const cut = read(200, '{"ids":["1"', { delimited: false });
    expect(cut).toMatchObject({ kind: "indefinite", code: "body_cut" });
  });

  it.each([
    [
      503,
      { code: "shard_saturated", detail: "full", definite: true },
      "definite",
      "shard_saturated",
    ],
    [503, { code: "shard_saturated", definite: false }, "indefinite", "shard_saturated"],
    [503, { code: "shard_saturated" }, "indefinite", "shard_saturated"],
    [500, { code: "internal", definite: false }, "indefinite", "internal"],
    [502, "Bad Gateway", "indefinite", "http_502"],
    [429, { code: "rate_limited", definite: true }, "definite", "rate_limited"],
    [404, "nothing here", "definite", "http_404"],
    [409, { code: "exhausted", definite: false }, "indefinite", "exhausted"],
    [302, "", "indefinite", "http_302"],
    [204, "", "indefinite", "http_204"],
  ])("%d %j is %s %s", (status, body, kind, code) => {
    expect(read(status, body)).toMatchObject({ kind, code });
  });
});

describe.each(["leaf-snowflake", "leaf-segment"] as const)("%s's answers", (name) => {
  const read = (status: number, body: unknown, change: Partial<Answer> = {}) =>
    DIALECTS[name].read(answer(status, body, change));

  it("a bare decimal may have been cut where nothing says its length", () => {
    const cut = read(200, "1169786042", { delimited: false });
    expect(cut).toMatchObject({ kind: "indefinite", code: "body_cut" });
    expect(cut).toHaveProperty("detail", expect.stringContaining("neither content-length"));
    const refused = read(200, "-1", { delimited: false });
    expect(refused).toMatchObject({ kind: "definite", code: "leaf_-1" });
  });

  it("a bare decimal", () => {
    expect(read(200, "1169786042799259000")).toEqual(acknowledged(1_169_786_042_799_259_000n));
  });

  it.each([
    [200, "0", "definite", "leaf_0"],
    [200, "-1", "definite", "leaf_-1"],
    [200, "-3", "indefinite", "leaf_-3"],
    [200, "Result{id=-2, status=EXCEPTION}", "definite", "leaf_-2"],
    [500, { message: "Result{id=-2, status=EXCEPTION}" }, "definite", "leaf_-2"],
    [500, { message: "Result{id=-3, status=EXCEPTION}" }, "indefinite", "leaf_-3"],
    [500, { message: "Connection pool shut down" }, "indefinite", "http_500"],
    [404, { message: "No message available" }, "definite", "http_404"],
  ])("%d %j is %s %s", (status, body, kind, code) => {
    expect(read(status, body)).toMatchObject({ kind, code });
  });

  it.each(["", "12\n", "0x1", '{"id":1}', "9223372036854775808"])("%j is malformed", (text) => {
    expect(read(200, text)).toEqual({ kind: "malformed", code: "malformed_answer", text });
  });
});

describe("TinyID's answers", () => {
  const read = (status: number, body: unknown) => DIALECTS.tinyid.read(answer(status, body));
  const simple = (text: string) => DIALECTS["tinyid-simple"].read(answer(200, text));

  it("numbers to the last digit, beyond what JSON.parse holds", () => {
    const text = '{"data":[9007199254740993, 9223372036854775807],"code":200,"message":""}';
    const ids = acknowledged(9_007_199_254_740_993n, 9_223_372_036_854_775_807n);
    expect(read(200, text)).toEqual(ids);
    expect(simple("9007199254740993,9223372036854775807")).toEqual(ids);
    expect(simple("1")).toEqual(acknowledged(1n));
  });

  it.each([
    [{ data: null, code: 5, message: "token is error" }, "definite", "tinyid_5"],
    [{ data: null, code: 6, message: "sys error" }, "indefinite", "tinyid_6"],
    [{ data: null, code: 200, message: "" }, "indefinite", "empty_answer"],
    [{ data: [], code: 200, message: "" }, "indefinite", "empty_answer"],
  ])("%j is %s %s", (body, kind, code) => {
    expect(read(200, body)).toMatchObject({ kind, code });
  });

  it("a list of numbers may have been cut where nothing says its length", () => {
    const isCut = { kind: "indefinite", code: "body_cut" };
    const change = { delimited: false };
    expect(DIALECTS["tinyid-simple"].read(answer(200, "1,23", change))).toMatchObject(isCut);
    // A text that ends with a bracket is complete.
    const whole = answer(200, '{"data":[1],"code":200}', change);
    expect(DIALECTS.tinyid.read(whole)).toEqual(acknowledged(1n));
  });

  it("an empty simple one is a failure without a word", () => {
    expect(simple("")).toMatchObject({ kind: "indefinite", code: "empty_answer" });
  });

  it.each([
    '{"data":[1,-2],"code":200}',
    '{"data":["1"],"code":200}',
    '{"data":[1.5],"code":200}',
    '{"data":[01],"code":200}',
    '{"data":[1],"code":200',
    "1,2",
    "",
  ])("%s is malformed", (text) => {
    expect(read(200, text)).toMatchObject({ kind: "malformed" });
  });

  it.each(["1,", "1, 2", "a", "1;2", "01"])("%j is malformed in the simple form", (text) => {
    expect(simple(text)).toMatchObject({ kind: "malformed" });
  });

  it("a list in the message is not the data", () => {
    const text = '{"message":"\\"data\\":[7]","data":[1],"code":200}';
    expect(read(200, text)).toEqual(acknowledged(1n));
  });
});

describe("an answer that is longer than all that was asked for takes", () => {
  it.each([
    [200, { kind: "malformed", text: "<html>", code: "answer_too_long" }],
    [502, { kind: "indefinite", code: "answer_too_long", detail: "<html>" }],
    [404, { kind: "definite", code: "answer_too_long", detail: "<html>" }],
  ])("%d: %j", (status, outcome) => {
    expect(tooLong(status, "<html>")).toEqual(outcome);
  });
});
