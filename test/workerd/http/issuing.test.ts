/** The path of a request for IDs: access, parsing, rate limits, errors. */

import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { decode, type Encoding } from "../../../src/core/codec.ts";
import { decompose } from "../../../src/core/layout/id.ts";
import { type GrantResult, writeGrantReply } from "../../../src/core/line/grant-reply.ts";
import type { RefusalCode } from "../../../src/core/refusal.ts";
import { app } from "../../../src/http/app.ts";
import { worker } from "../../../src/http/worker.ts";
import { CACHE_TRUSTED_MS } from "../../../src/service/limits.ts";
import { ADMIN_KEY, ask, CLOSED, keyFor, put, revokedElsewhere } from "../../support/admin.ts";
import { clock, START_MS, useClock } from "../../support/clock.ts";
import { countingLimiter } from "../../support/recorded/counting-limiter.ts";
import { recordedShards } from "../../support/recorded/recorded-shards.ts";
import { type Sent, type SentAnswer, send, unlimited } from "../../support/send.ts";
import { inStorage, namespaceOf, stubOf } from "../../support/shards.ts";

useClock("waits");
beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

function bodyOf({ text }: SentAnswer): Record<string, unknown> {
  return JSON.parse(text);
}

function withKey(key: string, more: Record<string, string> = {}) {
  return { authorization: `Bearer ${key}`, ...more };
}

/** A namespace whose IDs never come from memory. */
async function putExact(): Promise<string> {
  await put("exact", { kind: "snowflake", policy: { freshForMs: 0 } });
  return "/v1/ids/exact";
}

/** The delay of the request for each outcome, in ms. */
let later = 0;

type Row = [path: string, sent?: Sent];

const ENCODINGS: readonly Encoding[] = ["decimal", "hex", "base32", "base36", "base58", "base62"];

/** Requests that the Worker serves without its router. */
const PLAIN: Row[] = [
  ["/v1/ids/default"],
  ["/v1/ids/default", { method: "POST" }],
  ["/v1/ids/twitter"],
  ["/v1/ids/node?count=5"],
  ...[1, 2, 4097, 10_000].map((count): Row => [`/v1/ids/default?count=${count}`]),
  ["/v1/ids/default?count=2", { method: "POST" }],
  ...ENCODINGS.flatMap((encoding): Row[] => [
    [`/v1/ids/default?encoding=${encoding}`],
    [`/v1/ids/default?count=3&encoding=${encoding}`],
  ]),
  ["/v1/ids/js53?encoding=number"],
  ["/v1/ids/js53?encoding=number&count=3"],
  ["/v1/ids/default?order=strict"],
  ["/v1/ids/default?order=fresh"],
  ["/v1/ids/default?format=json"],
  ["/v1/ids/default?shard=3"],
  ["/v1/ids/default?shard=3&count=10&order=strict&encoding=base58"],
  ["/v1/ids/default?key=customer-1"],
  ["/v1/ids/default?key=a.b_c-9&count=3"],
  ["/v1/ids/default", { headers: { accept: "*/*" } }],
  ["/v1/ids/default", { headers: { accept: "application/json" } }],
  [
    "/v1/ids/default",
    { headers: { origin: "https://app.example", "sec-fetch-site": "same-site" } },
  ],
  ["/v1/ids/default", { headers: { "content-type": "application/json", cookie: "a=b" } }],
];

/** Requests that have something about them, by their outcome. */
const OTHERS: Record<string, Row[]> = {
  "200": [
    ["/v1/ids/default", { headers: { accept: "text/plain" } }],
    ["/v1/ids/default?count=3", { headers: { accept: "text/plain" } }],
    ["/v1/ids/default?format=json", { headers: { accept: "text/plain" } }],
    ["/v1/ids/default", { headers: { accept: "application/json;q=0.1" } }],
    ["/v1/ids/default", { headers: { accept: "application/json;q=0.1, text/plain" } }],
    ["/v1/ids/default", { headers: { accept: "text/html" } }],
    ["/v1/ids/default", { headers: { accept: "" } }],
    ["/v1/ids/default", { headers: { accept: ",;q" } }],
    ["/v1/ids/default?format=text"],
    ["/v1/ids/default?format=text&count=3&encoding=base62"],
    ["/v1/ids/default", { headers: { "x-request-id": "given-1" } }],
    ["/v1/ids/default", { headers: { "x-request-id": "not a plain one" } }],
    ["/v1/ids/default?"],
    ["/v1/ids/default?&"],
    ["/v1/ids/default?&count=2"],
    ["/v1/ids/default?count=2&"],
    ["/v1/ids/default?count=2&&order=strict"],
    ["/v1/ids/default?count=%32"],
    ["/v1/ids/default?%63ount=2"],
    ["/v1/ids/default?key=a+b"],
    ["/v1/ids/default?key=a%2Bb"],
    ["/v1/ids/default?key=a%20b"],
    ["/v1/ids/default?key=%C3%B6"],
    ["/v1/ids/default?key=ö"],
    ["/v1/ids/default?key=a?b"],
    ["/v1/ids/default?key=a?=b"],
    ["/v1/ids/default?key=a;count=3"],
    ["/v1/ids/default?key=a~b"],
    ["/v1/ids/default?key=a=b"],
    ["/v1/ids/default?key=a/b"],
    [`/v1/ids/default?key=${"k".repeat(512)}`],
    ["/v1/ids/default?count=2#count=3"],
    ["/v1/ids/default#count=3"],
    ["/v1/ids/de%66ault"],
    ["/v1/ids/de%66ault?count=2"],
    ["/v1/ids/../ids/default"],
    ["/v1/ids/./default"],
    ["/v1/%69ds/default"],
    ["/v1/blocks/default"],
    ["/?x=//y/v1/ids/default"],
    ["/v1/ids/default", { method: "POST", body: "" }],
    ["/v1/ids/default", { method: "GET", body: "" }],
    ["/v1/ids/default", { method: "POST", headers: { "content-length": "0" } }],
  ],
  "400 invalid_parameter": [
    ["/v1/ids/default?count=0", { headers: { "x-request-id": "given-2" } }],
    ["/v1/ids/default?count"],
    ["/v1/ids/default?count="],
    ["/v1/ids/default?=1"],
    ["/v1/ids/default?="],
    ["/v1/ids/default?count=1&count=2"],
    ["/v1/ids/default?count=2&count=2"],
    ["/v1/ids/default?count=2=3"],
    ["/v1/ids/default?count=0"],
    ["/v1/ids/default?count=-1"],
    ["/v1/ids/default?count=01"],
    ["/v1/ids/default?count=1e2"],
    ["/v1/ids/default?count=10001"],
    ["/v1/ids/default?count=+2"],
    ["/v1/ids/default?count=2+"],
    ["/v1/ids/default?count=%00"],
    ["/v1/ids/default?count=2%26shard=3"],
    ["/v1/ids/default??count=2"],
    ["/v1/ids/default?cuont=2"],
    ["/v1/ids/default?Count=2"],
    ["/v1/ids/default?__proto__=1"],
    ["/v1/ids/default?constructor=1&count=2"],
    ["/v1/ids/default?toString=1"],
    ["/v1/ids/default?encoding=base64"],
    ["/v1/ids/default?encoding=number"],
    ["/v1/ids/default?encoding=Hex"],
    ["/v1/ids/default?format=xml"],
    ["/v1/ids/default?format=JSON"],
    ["/v1/ids/default?order=random"],
    ["/v1/ids/default?order="],
    ["/v1/ids/default?shard=8"],
    ["/v1/ids/default?shard=03"],
    ["/v1/ids/default?shard=1&key=a"],
    ["/v1/ids/default?key="],
    ["/v1/ids/default?key=%ff"],
    ["/v1/ids/default?key=%zz"],
    ["/v1/ids/default?%ff"],
    ["/v1/ids/default?%ff=1"],
    [`/v1/ids/default?key=${"k".repeat(513)}`],
  ],
  "404 not_found": [
    ["/v1/ids/default/"],
    ["/v1/ids/default/?count=2"],
    ["/v1/ids/"],
    ["/v1/ids"],
    ["/v1/ids?count=2"],
    ["/v1/ids//"],
    ["/v1/ids/?count=2"],
    ["/v1/ids/default/default"],
    ["//v1/ids/default"],
    ["/v1//ids/default"],
    ["/V1/ids/default"],
    ["/v1/IDS/default"],
  ],
  "404 unknown_namespace": [
    ["/v1/ids/nope"],
    ["/v1/ids/Default"],
    ["/v1/ids/__proto__"],
    ["/v1/ids/constructor"],
    ["/v1/ids/default%2F"],
    ["/v1/ids/default%3Fcount=2"],
    ["/v1/ids/default%20"],
    ["/v1/ids/%ff"],
    ["/v1/ids/default;a=b"],
  ],
  "405": [["/v1/ids/default", { method: "HEAD" }]],
  "405 method_not_allowed": [
    ["/v1/ids/default", { method: "PUT" }],
    ["/v1/ids/default", { method: "DELETE" }],
    ["/v1/ids/default", { method: "PATCH" }],
    ["/v1/ids/default", { method: "OPTIONS" }],
    ["/v1/ids/default", { method: "PUT", body: "{}" }],
  ],
  "400 invalid_body": [
    ["/v1/ids/default", { method: "POST", body: "{}" }],
    ["/v1/ids/default?count=2", { method: "POST", body: "count=3" }],
    ["/v1/ids/default", { method: "GET", body: "{}" }],
  ],
};

const CALLERS = [
  "anybody where access is open",
  "the admin key",
  "an issue key, with a limit",
] as const;

/** The headers that the caller sends with each request. */
async function callerOf(caller: (typeof CALLERS)[number]): Promise<Sent> {
  if (caller === CALLERS[0]) return { bindings: unlimited(env) };
  if (caller === CALLERS[1]) return { bindings: unlimited(CLOSED), headers: withKey(ADMIN_KEY) };
  const { key } = await keyFor({ scopes: ["issue"] });
  return { bindings: CLOSED, headers: withKey(key) };
}

function titled(rows: readonly Row[]): [title: string, ...Row][] {
  return rows.map(([path, sent = {}]) => {
    const { method = "GET", headers, body } = sent;
    const more = headers || body !== undefined ? ` ${JSON.stringify({ ...headers, body })}` : "";
    return [`${method} ${path.slice(0, 60)}${more}`, path, sent];
  });
}

describe.each(CALLERS)("%s", (caller) => {
  let sentBy: Sent = {};
  const by = ({ headers, ...sent }: Sent = {}): Sent => {
    return { ...sentBy, ...sent, headers: { ...sentBy.headers, ...headers } };
  };

  beforeEach(async () => {
    sentBy = Object.keys(sentBy).length > 0 ? sentBy : await callerOf(caller);
  });

  it.each(titled(PLAIN))("%s gets its IDs", async (_, path, sent) => {
    const answer = await send(worker, path, by(sent));
    expect(answer.status).toBe(200);
    const names = [...answer.headers.keys()].sort();
    expect(names).toEqual(["cache-control", "content-type", "edgeflake-shard"]);
    checkIds(path, answer);
  });

  // The key alone identifies the caller: the administrator's key has no special form.
  const others = Object.entries(caller === "the admin key" ? {} : OTHERS).flatMap(
    ([outcome, rows]) =>
      titled(rows).map(([title, path, sent]) => [title, outcome, path, sent] as const),
  );
  it.each(others)("%s: %s", async (_, outcome, path, sent = {}) => {
    const { status, text, headers } = await send(worker, path, by(sent));
    const code = status < 400 || text === "" ? [] : [JSON.parse(text).code];
    expect([status, ...code].join(" ")).toBe(outcome);
    const given = sent.headers?.["x-request-id"];
    if (status >= 400 && given === "given-2") expect(headers.get("x-request-id")).toBe(given);
  });

  it("each answer has the shard that its IDs carry", async () => {
    const { layout } = namespaceOf("default");
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const path = index % 2 ? "/v1/ids/default" : `/v1/ids/default?shard=${index % 8}`;
        return send(worker, path, by());
      }),
    );
    for (const answer of answers) {
      const [id = ""] = bodyOf(answer).ids as string[];
      const shard = decompose(layout, BigInt(id))?.shard;
      expect(answer.headers.get("edgeflake-shard")).toBe(`${shard}`);
    }
  });

  it("an answer's headers are its own", async () => {
    const first = await send(worker, "/v1/ids/default", by());
    first.headers.set("x-mine", "1");
    first.headers.delete("cache-control");
    const next = await send(worker, "/v1/ids/default", by());
    expect(next.headers.has("x-mine")).toBe(false);
    expect(next.headers.get("cache-control")).toBe("no-store");
  });
});

/** Expects the requested number of IDs, in the requested encoding, of the shard in the header. */
function checkIds(path: string, answer: SentAnswer): void {
  const { pathname, searchParams } = new URL(path, "https://edgeflake.test");
  const { layout } = namespaceOf(pathname.split("/").at(-1) ?? "");
  const encoding = searchParams.get("encoding") ?? "decimal";
  const texts = bodyOf(answer).ids as (string | number)[];
  expect(texts).toHaveLength(Number(searchParams.get("count") ?? 1));
  const shard = Number(answer.headers.get("edgeflake-shard"));
  const ids = texts.map((text) => {
    expect(typeof text).toBe(encoding === "number" ? "number" : "string");
    return encoding === "number" ? BigInt(text) : decode(`${text}`, encoding as Encoding);
  });
  expect(new Set(ids).size).toBe(texts.length);
  for (const id of ids) expect(decompose(layout, id ?? -1n)?.shard).toBe(shard);
}

describe("CORS_ORIGINS", () => {
  const CORS = { ...env, CORS_ORIGINS: "https://app.example, https://other.example" };
  const headers = { origin: "https://app.example" };
  const ROWS: [title: string, sent: Sent, status: number][] = [
    ["GET of an allowed origin", { headers }, 200],
    ["POST of an allowed origin", { method: "POST", headers }, 200],
    ["GET of another origin", { headers: { origin: "https://evil.example" } }, 403],
    ["GET of no origin", {}, 200],
    ["a preflight", { method: "OPTIONS", headers }, 204],
  ];

  it.each(ROWS)("%s", async (_, sent, status) => {
    const answer = await send(worker, "/v1/ids/default", { ...sent, bindings: CORS });
    expect(answer.status).toBe(status);
    const allowed = sent.headers?.origin === headers.origin ? headers.origin : null;
    expect(answer.headers.get("access-control-allow-origin")).toBe(allowed);
  });
});

describe("a key", () => {
  it.each([
    ["without the scope", { scopes: ["read"] }, 403, "forbidden"],
    ["of another namespace", { scopes: ["issue"], namespaces: ["other"] }, 403, "forbidden"],
    ["of another namespace, by a name that begins alike", other("default-2"), 403, "forbidden"],
    ["of this namespace and another", other("default", "other"), 200, undefined],
    ["of the scope admin", { scopes: ["admin"] }, 200, undefined],
  ])("%s", async (_, input, status, code) => {
    const { key } = await keyFor(input);
    const sent = { bindings: CLOSED, headers: withKey(key) };
    // Known to this isolate by another route too.
    await send(worker, "/v1/ids/other", sent);
    for (const path of ["/v1/ids/default", "/v1/ids/default?count=3", "/v1/blocks/default"]) {
      const answer = await send(worker, path, sent);
      expect([answer.status, bodyOf(answer).code]).toEqual([status, code]);
    }
  });

  it("of one namespace is rejected in another before a shard is called", async () => {
    await put("tenant");
    const { key } = await keyFor(other("tenant"));
    const { shards, calls } = recordedShards();
    const sent = { bindings: { ...CLOSED, SHARD: shards }, headers: withKey(key) };
    expect((await send(worker, "/v1/ids/tenant?shard=1", sent)).status).toBe(200);
    for (const path of ["/v1/ids/default", "/v1/ids/default?shard=1", "/v1/ids/nope"]) {
      expect((await send(worker, path, sent)).status).toBe(403);
    }
    expect(calls).toHaveLength(1);
  });

  it("stops at its expiry", async () => {
    const expiresAt = new Date(Date.now() + 5000).toISOString();
    const { key } = await keyFor({ scopes: ["issue"], expiresAt });
    const sent = { bindings: CLOSED, headers: withKey(key) };
    await send(worker, "/v1/ids/default", sent);
    clock.step(4999);
    expect((await send(worker, "/v1/ids/default", sent)).status).toBe(200);
    clock.step(1);
    expect((await send(worker, "/v1/ids/default", sent)).status).toBe(401);
  });

  it("that is revoked stops within CACHE_TRUSTED_MS", async () => {
    // The isolate trusts what it read for as long as it ever does.
    vi.spyOn(Math, "random").mockReturnValue(0.9999);
    const { key, id } = await keyFor({ scopes: ["issue"] });
    const sent = { bindings: CLOSED, headers: withKey(key) };
    await send(worker, "/v1/ids/default", sent);
    await revokedElsewhere(id);
    clock.step(CACHE_TRUSTED_MS - 10);
    expect((await send(worker, "/v1/ids/default", sent)).status).toBe(200);
    clock.step(10);
    const { shards, calls } = recordedShards();
    const bindings = { ...CLOSED, SHARD: shards };
    const answer = await send(worker, "/v1/ids/default", { ...sent, bindings });
    expect([answer.status, bodyOf(answer).code]).toEqual([401, "unauthorized"]);
    expect(calls).toEqual([]);
  });

  it.each([
    ["made up", `Bearer efk_${"A".repeat(38)}`],
    ["of another scheme", `Basic ${ADMIN_KEY}`],
    ["with something behind it", `Bearer ${ADMIN_KEY} x`],
    ["nearly the admin key", `Bearer ${ADMIN_KEY}x`],
    ["shortened", `Bearer ${ADMIN_KEY.slice(0, -1)}`],
    ["missing", ""],
    ["missing behind its scheme", "Bearer"],
  ])("that is %s: 401, even if the isolate has cached the admin key", async (_, authorization) => {
    await send(worker, "/v1/ids/default", { bindings: CLOSED, headers: withKey(ADMIN_KEY) });
    const headers: Record<string, string> = authorization === "" ? {} : { authorization };
    const answer = await send(worker, "/v1/ids/default", { bindings: CLOSED, headers });
    expect([answer.status, bodyOf(answer).code]).toEqual([401, "unauthorized"]);
  });
});

function other(...namespaces: string[]) {
  return { scopes: ["issue"], namespaces };
}

describe("a deployment", () => {
  const changed = (change: Record<string, unknown>): Env => Object.assign({ ...CLOSED }, change);

  it.each<[string, Env]>([
    ["without ADMIN_KEY", changed({ ADMIN_KEY: undefined })],
    ["with an empty ADMIN_KEY", changed({ ADMIN_KEY: "" })],
    ["with an ADMIN_KEY that cannot be sent", changed({ ADMIN_KEY: "a b" })],
    ["with neither", changed({ ACCESS: "", ADMIN_KEY: undefined })],
    ["with ACCESS nearly open", changed({ ACCESS: "OPEN", ADMIN_KEY: "" })],
  ])("%s answers nobody, even if it has cached the callers", async (_, bindings) => {
    const { key } = await keyFor({ scopes: ["issue"] });
    for (const token of [key, ADMIN_KEY]) {
      const headers = withKey(token);
      expect((await send(worker, "/v1/ids/default", { bindings: CLOSED, headers })).status).toBe(
        200,
      );
      const answer = await send(worker, "/v1/ids/default", { bindings, headers });
      expect([answer.status, bodyOf(answer).code]).toEqual([503, "not_configured"]);
    }
  });

  it("whose ADMIN_KEY changed rejects the old one", async () => {
    const old = { headers: withKey(ADMIN_KEY) };
    await send(worker, "/v1/ids/default", { ...old, bindings: CLOSED });
    const bindings = changed({ ADMIN_KEY: "the-next-admin-key-of-this-file" });
    const next = { bindings, headers: withKey("the-next-admin-key-of-this-file") };
    for (const _again of [false, true]) {
      expect((await send(worker, "/v1/ids/default", { ...old, bindings })).status).toBe(401);
      expect((await send(worker, "/v1/ids/default", next)).status).toBe(200);
    }
  });

  it("that was open before requires a key now", async () => {
    const headers = withKey("whatever");
    expect((await send(worker, "/v1/ids/default", { bindings: env, headers })).status).toBe(200);
    expect((await send(worker, "/v1/ids/default", { bindings: CLOSED, headers })).status).toBe(401);
    expect((await send(worker, "/v1/ids/default", { bindings: CLOSED })).status).toBe(401);
  });
});

describe("a namespace", () => {
  it("serves a change at once", async () => {
    await put("own");
    expect((await send(worker, "/v1/ids/own?count=2")).status).toBe(200);
    expect((await send(worker, "/v1/ids/own?shard=8")).status).toBe(400);
    await put("own", { kind: "snowflake", shards: 16 });
    expect((await send(worker, "/v1/ids/own?shard=8")).status).toBe(200);
  });

  it("that is retired issues nothing", async () => {
    await put("shut");
    const { shards, calls } = recordedShards();
    const bindings = { ...env, SHARD: shards };
    await send(worker, "/v1/ids/shut", { bindings });
    await ask("/v1/namespaces/shut", { method: "DELETE" });
    const asked = calls.length;
    for (const path of ["/v1/ids/shut", "/v1/ids/shut?shard=2", "/v1/blocks/shut"]) {
      const answer = await send(worker, path, { bindings });
      expect([answer.status, bodyOf(answer).code]).toEqual([410, "namespace_retired"]);
    }
    expect(calls.length).toBe(asked);
  });
});

describe("a limit", () => {
  const LIMITED = { ...CLOSED, LIMITER: countingLimiter() };

  it("counts the IDs of all routes, and rejects before a shard is called", async () => {
    const exact = await putExact();
    const { key } = await keyFor({ scopes: ["issue"] });
    const { shards, calls } = recordedShards();
    const sent = { bindings: { ...LIMITED, SHARD: shards }, headers: withKey(key) };
    const blocks = exact.replace("ids", "blocks");
    for (const path of [`${blocks}?count=600`, `${exact}?count=600`]) {
      expect((await send(worker, path, sent)).status).toBe(200);
    }
    expect(calls).toHaveLength(2);
    for (const path of ["/v1/ids/default", "/v1/ids/default?count=3", "/v1/blocks/default"]) {
      const refused = await send(worker, path, sent);
      expect([refused.status, bodyOf(refused).code]).toEqual([429, "rate_limited"]);
      expect(refused.headers.get("retry-after")).toBe("60");
    }
    expect(calls).toHaveLength(2);
    const another = {
      bindings: LIMITED,
      headers: withKey((await keyFor({ scopes: ["issue"] })).key),
    };
    expect((await send(worker, "/v1/ids/default", another)).status).toBe(200);
  });

  it("counts requests too, whatever their count", async () => {
    const bindings = { ...CLOSED, REQUEST_LIMITER: countingLimiter(2) };
    const headers = withKey((await keyFor({ scopes: ["issue"] })).key);
    const statuses = [];
    for (const count of [1, 4000, 1]) {
      const path = `/v1/ids/default?count=${count}`;
      statuses.push((await send(worker, path, { bindings, headers })).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });

  it("applies to the address if access is open", async () => {
    const bindings = { ...env, LIMITER: countingLimiter() };
    const from = (address: string): Sent => {
      return { bindings, headers: { "cf-connecting-ip": address } };
    };
    const path = "/v1/ids/default?count=600";
    for (const _again of [false, true]) {
      expect((await send(worker, path, from("192.0.2.77"))).status).toBe(200);
    }
    expect((await send(worker, "/v1/ids/default", from("192.0.2.77"))).status).toBe(429);
    expect((await send(worker, "/v1/ids/default", from("192.0.2.78"))).status).toBe(200);
  });

  it("charges each count once, also for a request that fails", async () => {
    const exact = await putExact();
    const limit = vi.fn(async () => ({ success: true }));
    const { key, id } = await keyFor({ scopes: ["issue"] });
    const headers = withKey(key);
    const bindings = { ...CLOSED, LIMITER: { limit } };
    expect((await send(worker, `${exact}?count=7`, { bindings, headers })).status).toBe(200);
    const { shards } = recordedShards(() => Promise.reject(new Error("broken")));
    const broken = { bindings: { ...bindings, SHARD: shards }, headers };
    expect((await send(worker, `${exact}?count=9`, broken)).status).toBe(503);
    const charged = (delta: number) => [{ key: `key:${id}`, delta }];
    expect(limit.mock.calls).toEqual([charged(7), charged(9)]);
  });

  it("allows all requests if the limiter fails", async () => {
    const LIMITER = { limit: () => Promise.reject(new Error("down")) };
    const bindings = { ...env, LIMITER };
    expect((await send(worker, "/v1/ids/default", { bindings })).status).toBe(200);
  });

  it.each([null, undefined])("does not apply if the binding is %s", async (LIMITER) => {
    const bindings: Env = Object.assign({ ...env }, { LIMITER, REQUEST_LIMITER: LIMITER });
    expect((await send(worker, "/v1/ids/default?count=5000", { bindings })).status).toBe(200);
  });
});

describe.each([
  ["with a limit", env],
  ["without a limit", unlimited(env)],
])("a refusal, %s", (_, limits) => {
  /** All results of a request: the response, calls, log lines, data points. */
  async function outcome(path: string, script?: Script) {
    const log = vi.spyOn(console, "error").mockClear();
    const warn = vi.spyOn(console, "warn").mockClear();
    const writeDataPoint = vi.fn();
    const { shards, calls } = recordedShards(script);
    const bindings = { ...limits, SHARD: shards, ANALYTICS: { writeDataPoint } };
    const answer = await send(worker, path, { bindings });
    const lines = [...log.mock.calls, ...warn.mock.calls].flatMap(([line]) => {
      const { requestId, stack: _stack, ...rest } = JSON.parse(`${line}`);
      // Others say why an object failed.
      return requestId === undefined ? [] : [rest];
    });
    const asked = calls.map(({ count, strict }) => ({ count, strict }));
    const points = writeDataPoint.mock.calls.map(([point]) => point);
    return { answer, asked, lines, points };
  }

  /** No shard rests any more. */
  function waitForAll(): void {
    later += 60_000;
    clock.set(START_MS + later);
  }

  type Script = Parameters<typeof recordedShards>[0];

  const refuse = (code: RefusalCode, granted = 0): Script => {
    const refusal = { code, detail: `${code} said`, retryAfterMs: 1 };
    const result: GrantResult = { ok: false, refusal, granted, waitedMs: 0 };
    return async () => writeGrantReply(result, { instance: 1, nowMs: 0 });
  };
  const fail = (error: Error): Script => {
    return () => Promise.reject(error);
  };
  const overloaded = Object.assign(new Error("overloaded"), { overloaded: true });

  const SCRIPTS: [string, Script, pinned: number, unpinned: number, code: string][] = [
    ["clock_behind", refuse("clock_behind"), 1, 2, "clock_behind"],
    ["clock_disagreement", refuse("clock_disagreement"), 2, 4, "clock_disagreement"],
    ["shard_saturated", refuse("shard_saturated"), 1, 2, "shard_saturated"],
    ["saturated, with a gap", refuse("shard_saturated", 5), 1, 2, "shard_saturated"],
    ["layout_conflict", refuse("layout_conflict"), 1, 1, "layout_conflict"],
    ["timestamp_exhausted", refuse("timestamp_exhausted"), 1, 1, "timestamp_exhausted"],
    ["overloaded", fail(overloaded), 1, 2, "shard_overloaded"],
    ["broken", fail(new Error("broken")), 2, 4, "shard_unavailable"],
    ["unreadable", async () => "{}", 1, 1, "internal"],
  ];

  describe.each(SCRIPTS)("%s", (named, script, pinned, unpinned, code) => {
    it.each([
      ["/v1/ids/default?shard=3", pinned],
      ["/v1/ids/default?order=strict&count=3", pinned],
      ["/v1/ids/default?key=a", pinned],
      ["/v1/ids/exact?count=2", unpinned],
      ["/v1/blocks/default?count=2", unpinned],
    ])(
      "of %s is the problem, with the right number of calls and log lines",
      async (path, times) => {
        await putExact();
        waitForAll();
        const { answer, asked, lines, points } = await outcome(path, script);
        expect(asked).toHaveLength(times);
        const route = `/v1/${path.split("/")[2]}/:namespace`;
        expect(lines).toMatchObject([{ code, route, method: "GET", status: answer.status }]);
        expect(bodyOf(answer)).toMatchObject({ code });
        expect(answer.headers.has("edgeflake-shard")).toBe(false);
        expect(points).toHaveLength(code === "internal" ? 0 : 1);
      },
    );

    it("of a single ID under repeated demand is the problem too", async () => {
      const name = `demand-${limits === env ? 1 : 2}-${named.replace(/\W+/g, "-")}`;
      await put(name);
      for (let request = 0; request < 3; request += 1) {
        waitForAll();
        const { answer, asked, lines } = await outcome(`/v1/ids/${name}`, script);
        expect(bodyOf(answer)).toMatchObject({ code });
        expect(asked.filter(({ count }) => count === 1)).toHaveLength(unpinned);
        expect(lines).toHaveLength(1);
      }
    });
  });

  it("says whether IDs may have been granted", async () => {
    const definite = async (script?: Script) =>
      bodyOf((await outcome("/v1/ids/default?shard=3", script)).answer).definite;
    expect(await definite(refuse("shard_saturated"))).toBe(true);
    expect(await definite(refuse("shard_saturated", 5))).toBe(false);
    expect(await definite(fail(new Error("broken")))).toBe(false);
  });

  it("by a real shard whose clock went back", async () => {
    const path = `/v1/ids/twitter?shard=${limits === env ? 6 : 7}`;
    expect((await send(worker, path)).status).toBe(200);
    clock.step(-5000);
    const { answer, asked, lines } = await outcome(path);
    expect(bodyOf(answer)).toMatchObject({ code: "clock_behind", definite: true });
    expect(asked).toEqual([{ count: 1, strict: false }]);
    expect(lines).toMatchObject([{ code: "clock_behind", status: 503 }]);
    const { body } = await ask(path.replace(/^.*ids(.*)[?]shard=/, "/v1/shards$1/"));
    expect(body.counters).toMatchObject({ refusals: { clock_behind: 1 } });
  });

  it("by a real shard whose storage is broken", async () => {
    const shard = limits === env ? 6 : 7;
    const path = `/v1/ids/leaf?shard=${shard}`;
    expect((await send(worker, path)).status).toBe(200);
    const stub = stubOf("leaf", shard);
    await inStorage(stub, (sql) => sql.exec("UPDATE lane SET mark = -1"));
    await evictDurableObject(stub);
    const { answer, asked, lines } = await outcome(path);
    expect(bodyOf(answer)).toMatchObject({ code: "shard_unavailable", definite: false });
    expect(asked).toHaveLength(2);
    expect(lines).toHaveLength(1);
  });
});

describe("data points", () => {
  it("are one per request, from memory or not", async () => {
    await put("counted");
    const { key, id } = await keyFor({ scopes: ["issue"] });
    for (const query of ["?shard=2", "?shard=2&count=3", "", "", "", ""]) {
      const writeDataPoint = vi.fn();
      const bindings = unlimited({ ...CLOSED, ANALYTICS: { writeDataPoint } });
      const path = `/v1/ids/counted${query}`;
      const { headers } = await send(worker, path, { bindings, headers: withKey(key) });
      const count = query.endsWith("count=3") ? 3 : 1;
      const shard = Number(headers.get("edgeflake-shard"));
      const point = { indexes: ["counted"], blobs: ["ids", id, "issued"], doubles: [count, shard] };
      expect(writeDataPoint.mock.calls).toEqual([[point]]);
    }
  });

  it("that can't be written are lost, but the request succeeds", async () => {
    const writeDataPoint = () => {
      throw new Error("full");
    };
    await put("uncounted");
    const bindings = unlimited({ ...env, ANALYTICS: { writeDataPoint } });
    // All but the first come from memory.
    for (let request = 0; request < 5; request += 1) {
      expect((await send(worker, "/v1/ids/uncounted", { bindings })).status).toBe(200);
    }
  });
});

it("an Authorization header may name its scheme in any case", async () => {
  for (const scheme of ["Bearer", "bearer", "BEARER"]) {
    const headers = { authorization: `${scheme} ${ADMIN_KEY}` };
    for (const path of ["/v1/ids/default", "/v1/namespaces/default"]) {
      expect((await send(worker, path, { bindings: CLOSED, headers })).status).toBe(200);
    }
  }
});

it("an Accept header with equal weights gets the first format", async () => {
  const accept = "text/plain, application/json, application/*+json, */*";
  const answer = await send(worker, "/v1/ids/default?count=50000", { headers: { accept } });
  expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
});

it("a registry that fails is logged with its cause", async () => {
  const log = vi.spyOn(console, "error").mockClear();
  const getByName = () => {
    throw new Error("the registry was reset");
  };
  // Only what callers use of the binding.
  const REGISTRY = { getByName } as unknown as Env["REGISTRY"];
  const answer = await send(worker, "/v1/ids/never-read", { bindings: { ...env, REGISTRY } });
  expect([answer.status, bodyOf(answer).code]).toEqual([503, "registry_unavailable"]);
  const lines = log.mock.calls.map(([line]) => JSON.parse(`${line}`));
  expect(lines).toMatchObject([{ code: "registry_unavailable", cause: "the registry was reset" }]);
});

it("too many unknown keys cause a warning without a stack", async () => {
  const [log, warn] = [vi.spyOn(console, "error"), vi.spyOn(console, "warn")];
  for (const spy of [log, warn]) spy.mockClear();
  const LOOKUP_LIMITER = { limit: async () => ({ success: false }) };
  const sent = { bindings: { ...CLOSED, LOOKUP_LIMITER }, headers: withKey("made-up") };
  for (const path of ["/v1/ids/default", "/v1/namespaces/default"]) {
    expect((await send(worker, path, sent)).status).toBe(429);
  }
  expect(log).not.toHaveBeenCalled();
  const lines = warn.mock.calls.map(([line]) => JSON.parse(`${line}`));
  expect(lines).toMatchObject([{ code: "rate_limited" }, { code: "rate_limited" }]);
  expect(lines.some((line) => "stack" in line)).toBe(false);
});

it("a shard binding that throws at once is a shard that fails", async () => {
  const getByName = () => {
    throw new Error("at once");
  };
  // Only what callers use of the binding.
  const SHARD = { getByName } as unknown as Env["SHARD"];
  for (const bindings of [{ ...env, SHARD }, unlimited({ ...env, SHARD })]) {
    const answer = await send(worker, "/v1/ids/default?shard=3", { bindings });
    expect([answer.status, bodyOf(answer).code]).toEqual([503, "shard_unavailable"]);
    expect(bodyOf(answer).definite).toBe(false);
  }
});

it("the router gives the same responses as the Worker's direct path", async () => {
  for (const path of ["/v1/ids/default?shard=3", "/v1/blocks/default?shard=3", "/v1/ids/nope"]) {
    const [direct, routed] = [await send(worker, path), await send(app, path)];
    expect(routed.status).toBe(direct.status);
    expect([...routed.headers.keys()]).toEqual([...direct.headers.keys()]);
  }
});
