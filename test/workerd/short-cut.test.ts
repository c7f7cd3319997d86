/** The short cut in front of the router gives what the router gives. */

import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { decode, type Encoding } from "../../src/core/codec.ts";
import type { RefusalCode } from "../../src/core/errors.ts";
import { type GrantResult, writeGrantReply } from "../../src/core/grant-reply.ts";
import { decompose } from "../../src/core/id.ts";
import { app } from "../../src/http/app.ts";
import { worker } from "../../src/http/worker.ts";
import { CACHE_TRUSTED_MS } from "../../src/service/limits.ts";
import { ADMIN_KEY, ask, CLOSED, keyFor, put, revokedElsewhere } from "../support/admin.ts";
import { comparable, sendBoth, sendShort, unlimited } from "../support/both-ways.ts";
import { clock, START_MS, useClock } from "../support/clock.ts";
import { countingLimiter } from "../support/counting-limiter.ts";
import { recordedShards } from "../support/recorded-shards.ts";
import { type Sent, type SentAnswer, send } from "../support/send.ts";
import { inStorage, namespaceOf, stubOf } from "../support/shards.ts";

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

/** A namespace whose IDs never come from memory, known to the short cut. */
async function putExact(): Promise<string> {
  await put("exact", { kind: "snowflake", policy: { freshForMs: 0 } });
  await send(app, "/v1/ids/exact");
  return "/v1/ids/exact";
}

/** How much later each outcome is asked for, in ms. */
let later = 0;

type Row = [path: string, sent?: Sent];

const ENCODINGS: readonly Encoding[] = ["decimal", "hex", "base32", "base36", "base58", "base62"];

/** Requests that take the short cut once the caller is in memory. */
const SHORT: Row[] = [
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

/** Requests that have something about them. */
const OTHERS: Row[] = [
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
  ["/v1/ids/default?count=0", { headers: { "x-request-id": "given-2" } }],
  ...[
    "?",
    "?count",
    "?count=",
    "?=1",
    "?=",
    "?&",
    "?&count=2",
    "?count=2&",
    "?count=2&&order=strict",
    "?count=1&count=2",
    "?count=2&count=2",
    "?count=2=3",
    "?count=0",
    "?count=-1",
    "?count=01",
    "?count=1e2",
    "?count=10001",
    "?count=+2",
    "?count=2+",
    "?count=%32",
    "?%63ount=2",
    "?count=%00",
    "?count=2%26shard=3",
    "?cuont=2",
    "?Count=2",
    "?__proto__=1",
    "?constructor=1&count=2",
    "?toString=1",
    "?encoding=base64",
    "?encoding=number",
    "?encoding=Hex",
    "?format=xml",
    "?format=JSON",
    "?order=random",
    "?order=",
    "?shard=8",
    "?shard=03",
    "?shard=1&key=a",
    "?key=",
    "?key=a+b",
    "?key=a%2Bb",
    "?key=a%20b",
    "?key=%C3%B6",
    "?key=ö",
    "?key=%ff",
    "?key=%zz",
    "?%ff",
    "?%ff=1",
    "?key=a?b",
    "?key=a?=b",
    "?key=a;count=3",
    "?key=a~b",
    "?key=a=b",
    "?key=a/b",
    `?key=${"k".repeat(512)}`,
    `?key=${"k".repeat(513)}`,
    "?count=2#count=3",
    "#count=3",
  ].map((query): Row => [`/v1/ids/default${query}`]),
  ...[
    "/v1/ids/default/",
    "/v1/ids/default/?count=2",
    "/v1/ids/",
    "/v1/ids",
    "/v1/ids?count=2",
    "/v1/ids//",
    "/v1/ids/?count=2",
    "/v1/ids/nope",
    "/v1/ids/Default",
    "/v1/ids/__proto__",
    "/v1/ids/constructor",
    "/v1/ids/de%66ault",
    "/v1/ids/de%66ault?count=2",
    "/v1/ids/default%2F",
    "/v1/ids/default%3Fcount=2",
    "/v1/ids/default%20",
    "/v1/ids/%ff",
    "/v1/ids/default;a=b",
    "/v1/ids/default/default",
    "/v1/ids/../ids/default",
    "/v1/ids/./default",
    "//v1/ids/default",
    "/v1//ids/default",
    "/V1/ids/default",
    "/v1/IDS/default",
    "/v1/%69ds/default",
    "/v1/blocks/default",
    "/?x=//y/v1/ids/default",
  ].map((path): Row => [path]),
  ...["HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"].map((method): Row => {
    return ["/v1/ids/default", { method }];
  }),
  ["/v1/ids/default", { method: "POST", body: "" }],
  ["/v1/ids/default", { method: "POST", body: "{}" }],
  ["/v1/ids/default?count=2", { method: "POST", body: "count=3" }],
  ["/v1/ids/default", { method: "GET", body: "" }],
  ["/v1/ids/default", { method: "GET", body: "{}" }],
  ["/v1/ids/default", { method: "PUT", body: "{}" }],
  ["/v1/ids/default", { method: "POST", headers: { "content-length": "0" } }],
];

const CALLERS = [
  "anybody where access is open",
  "the admin key",
  "an issue key, with a limit",
] as const;

/** What that caller sends with each request. */
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

  it.each(titled(SHORT))("%s takes the short cut", async (_, path, sent) => {
    for (const again of [false, true]) {
      const answer = await sendBoth(path, by(sent));
      expect(answer.status).toBe(200);
      if (again) expect(answer.short).toBe(true);
      for (const one of [answer, answer.routed]) checkIds(path, one);
    }
  });

  // Who asks is told from the key alone: the administrator's has nothing about it that the other keys have not.
  const others = caller === "the admin key" ? [] : titled(OTHERS);
  it.each(others)("%s is answered as the router does", async (_, path, sent) => {
    for (const _again of [false, true]) {
      const { status, headers, routed } = await sendBoth(path, by(sent));
      if (status < 400 || sent?.headers?.["x-request-id"] !== "given-2") continue;
      expect(headers.get("x-request-id")).toBe("given-2");
      expect(routed.headers.get("x-request-id")).toBe("given-2");
    }
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
    const first = await sendShort("/v1/ids/default", by());
    first.headers.set("x-mine", "1");
    first.headers.delete("cache-control");
    const next = await sendBoth("/v1/ids/default", by());
    expect(next.headers.has("x-mine")).toBe(false);
    expect(next.headers.get("cache-control")).toBe("no-store");
  });
});

/** As many IDs as were asked for, in the encoding asked for, of the shard that the header names. */
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
  const ROWS: [title: string, sent: Sent][] = [
    ["GET of an allowed origin", { headers }],
    ["POST of an allowed origin", { method: "POST", headers }],
    ["GET of another origin", { headers: { origin: "https://evil.example" } }],
    ["GET of no origin", {}],
    ["a preflight", { method: "OPTIONS", headers }],
  ];

  it.each(ROWS)("%s", async (_, sent) => {
    for (const bindings of [CORS, { ...CORS, ...CLOSED, CORS_ORIGINS: CORS.CORS_ORIGINS }]) {
      const given = { ...sent, bindings, headers: withKey(ADMIN_KEY, sent.headers) };
      for (const _again of [false, true]) {
        const answer = await sendBoth("/v1/ids/default", given);
        const allowed = sent.headers?.origin === headers.origin ? headers.origin : null;
        expect(answer.headers.get("access-control-allow-origin")).toBe(allowed);
      }
    }
  });
});

describe("a key", () => {
  it.each([
    ["without the scope", { scopes: ["read"] }, 403, "forbidden"],
    ["of another namespace", { scopes: ["issue"], namespaces: ["other"] }, 403, "forbidden"],
    ["of another namespace, by a name that begins alike", other("default-2"), 403, "forbidden"],
    ["of this namespace and another", other("default", "other"), 200, undefined],
    ["of the scope admin", { scopes: ["admin"] }, 200, undefined],
  ])("%s", async (_, wish, status, code) => {
    const { key } = await keyFor(wish);
    const sent = { bindings: CLOSED, headers: withKey(key) };
    // Known to this isolate by another route too.
    await send(app, "/v1/ids/other", sent);
    for (const path of ["/v1/ids/default", "/v1/ids/default?count=3", "/v1/ids/default?x=1"]) {
      for (const _again of [false, true]) {
        const answer = await sendBoth(path, sent);
        if (path.endsWith("x=1") && status === 200) continue;
        expect([answer.status, bodyOf(answer).code]).toEqual([status, code]);
      }
    }
  });

  it("of one namespace takes the short cut there, and is refused elsewhere at once", async () => {
    await put("tenant");
    const { key } = await keyFor(other("tenant"));
    const { shards, calls } = recordedShards();
    const sent = { bindings: { ...CLOSED, SHARD: shards }, headers: withKey(key) };
    await sendBoth("/v1/ids/tenant?shard=1", sent);
    expect(await sendShort("/v1/ids/tenant?shard=1", sent)).toMatchObject({
      status: 200,
      short: true,
    });
    const asked = calls.length;
    for (const path of ["/v1/ids/default", "/v1/ids/default?shard=1", "/v1/ids/nope"]) {
      expect((await sendBoth(path, sent)).status).toBe(403);
    }
    expect(calls.length).toBe(asked);
  });

  it("stops at its expiry", async () => {
    const expiresAt = new Date(Date.now() + 5000).toISOString();
    const { key } = await keyFor({ scopes: ["issue"], expiresAt });
    const sent = { bindings: CLOSED, headers: withKey(key) };
    await sendBoth("/v1/ids/default", sent);
    clock.step(4999);
    expect(await sendBoth("/v1/ids/default", sent)).toMatchObject({ status: 200, short: true });
    clock.step(1);
    for (const _again of [false, true]) {
      expect(await sendBoth("/v1/ids/default", sent)).toMatchObject({ status: 401 });
    }
  });

  it("that is revoked stops within CACHE_TRUSTED_MS", async () => {
    // The isolate trusts what it read for as long as it ever does.
    vi.spyOn(Math, "random").mockReturnValue(0.9999);
    const { key, id } = await keyFor({ scopes: ["issue"] });
    const sent = { bindings: CLOSED, headers: withKey(key) };
    await sendBoth("/v1/ids/default", sent);
    await revokedElsewhere(id);
    clock.step(CACHE_TRUSTED_MS - 10);
    expect(await sendShort("/v1/ids/default", sent)).toMatchObject({ status: 200, short: true });
    clock.step(10);
    for (const _again of [false, true]) {
      const { shards, calls } = recordedShards();
      const bindings = { ...CLOSED, SHARD: shards };
      const answer = await sendBoth("/v1/ids/default", { ...sent, bindings });
      expect([answer.status, bodyOf(answer).code]).toEqual([401, "unauthorized"]);
      expect(calls).toEqual([]);
    }
  });

  it.each([
    ["made up", `Bearer efk_${"A".repeat(38)}`],
    ["of another scheme", `Basic ${ADMIN_KEY}`],
    ["in lower case", `bearer ${ADMIN_KEY}`],
    ["behind two spaces", `Bearer  ${ADMIN_KEY}`],
    ["with something behind it", `Bearer ${ADMIN_KEY} x`],
    ["nearly the admin key", `Bearer ${ADMIN_KEY}x`],
    ["cut short", `Bearer ${ADMIN_KEY.slice(0, -1)}`],
    ["missing", ""],
    ["missing behind its scheme", "Bearer"],
  ])("that is %s", async (_, authorization) => {
    await sendBoth("/v1/ids/default", { bindings: CLOSED, headers: withKey(ADMIN_KEY) });
    const headers: Record<string, string> = authorization === "" ? {} : { authorization };
    for (const _again of [false, true]) {
      await sendBoth("/v1/ids/default", { bindings: CLOSED, headers });
    }
  });
});

function other(...namespaces: string[]) {
  return { scopes: ["issue"], namespaces };
}

describe("a deployment", () => {
  const changed = (change: Record<string, unknown>): Env => Object.assign({ ...CLOSED }, change);

  it.each<[string, Env, number, string]>([
    ["without ADMIN_KEY", changed({ ADMIN_KEY: undefined }), 503, "not_configured"],
    ["with an empty ADMIN_KEY", changed({ ADMIN_KEY: "" }), 503, "not_configured"],
    ["with an ADMIN_KEY that cannot be sent", changed({ ADMIN_KEY: "a b" }), 503, "not_configured"],
    ["with neither", changed({ ACCESS: "", ADMIN_KEY: undefined }), 503, "not_configured"],
    ["with ACCESS nearly open", changed({ ACCESS: "OPEN", ADMIN_KEY: "" }), 503, "not_configured"],
  ])("%s answers nobody, though it knew the callers before", async (_, bindings, status, code) => {
    const { key } = await keyFor({ scopes: ["issue"] });
    for (const token of [key, ADMIN_KEY]) {
      const headers = withKey(token);
      await sendBoth("/v1/ids/default", { bindings: CLOSED, headers });
      expect(await sendBoth("/v1/ids/default", { bindings: CLOSED, headers })).toMatchObject({
        short: true,
      });
      const answer = await sendBoth("/v1/ids/default", { bindings, headers });
      expect([answer.status, bodyOf(answer).code]).toEqual([status, code]);
    }
  });

  it("whose ADMIN_KEY changed takes the old one no more", async () => {
    const old = { headers: withKey(ADMIN_KEY) };
    for (const _again of [false, true]) {
      await sendBoth("/v1/ids/default", { ...old, bindings: CLOSED });
    }
    const bindings = changed({ ADMIN_KEY: "the-next-admin-key-of-this-file" });
    const next = { bindings, headers: withKey("the-next-admin-key-of-this-file") };
    for (const _again of [false, true]) {
      expect((await sendBoth("/v1/ids/default", { ...old, bindings })).status).toBe(401);
      expect((await sendBoth("/v1/ids/default", next)).status).toBe(200);
    }
    expect(await sendShort("/v1/ids/default", next)).toMatchObject({ short: true });
  });

  it("that was open and is not any more asks for a key", async () => {
    const headers = withKey("whatever");
    expect((await sendBoth("/v1/ids/default", { bindings: env, headers })).status).toBe(200);
    expect((await sendBoth("/v1/ids/default", { bindings: CLOSED, headers })).status).toBe(401);
    expect((await sendBoth("/v1/ids/default", { bindings: CLOSED })).status).toBe(401);
  });
});

describe("a namespace", () => {
  it("of one's own takes the short cut once it is known, and serves a change at once", async () => {
    await put("own");
    expect(await sendBoth("/v1/ids/own?count=2")).toMatchObject({ status: 200, short: false });
    expect(await sendBoth("/v1/ids/own?count=2")).toMatchObject({ status: 200, short: true });
    expect((await sendBoth("/v1/ids/own?shard=8")).status).toBe(400);
    await put("own", { kind: "snowflake", shards: 16 });
    await sendBoth("/v1/ids/own");
    expect(await sendBoth("/v1/ids/own?shard=8")).toMatchObject({ status: 200, short: true });
  });

  it("that is retired issues nothing on either way", async () => {
    await put("shut");
    const { shards, calls } = recordedShards();
    const bindings = { ...env, SHARD: shards };
    await sendBoth("/v1/ids/shut", { bindings });
    await ask("/v1/namespaces/shut", { method: "DELETE" });
    const asked = calls.length;
    for (const path of ["/v1/ids/shut", "/v1/ids/shut", "/v1/ids/shut?shard=2", "/v1/ids/shut"]) {
      const answer = await sendBoth(path, { bindings });
      expect([answer.status, bodyOf(answer).code]).toEqual([410, "namespace_retired"]);
    }
    expect(calls.length).toBe(asked);
  });
});

describe("a limit", () => {
  const LIMITED = { ...CLOSED, LIMITER: countingLimiter() };

  it("refuses on the short cut as the router does, and IDs charged on one way count on both", async () => {
    const exact = await putExact();
    const { key } = await keyFor({ scopes: ["issue"] });
    const { shards, calls } = recordedShards();
    const sent = { bindings: { ...LIMITED, SHARD: shards }, headers: withKey(key) };
    expect((await send(app, `${exact}?count=600`, sent)).status).toBe(200);
    expect(await sendShort(`${exact}?count=600`, sent)).toMatchObject({
      status: 200,
      short: true,
    });
    expect(calls).toHaveLength(2);
    for (const path of ["/v1/ids/default", "/v1/ids/default?count=3"]) {
      const refused = await sendBoth(path, sent);
      expect([refused.status, bodyOf(refused).code]).toEqual([429, "rate_limited"]);
      expect(refused.headers.get("retry-after")).toBe("60");
    }
    expect(calls).toHaveLength(2);
  });

  it("is charged on the short cut alone", async () => {
    const { key } = await keyFor({ scopes: ["issue"] });
    const sent = { bindings: LIMITED, headers: withKey(key) };
    // The caller gets into memory without a charge.
    await send(app, "/v1/ids/default", { ...sent, bindings: CLOSED });
    for (const _again of [false, true]) {
      expect(await sendShort("/v1/ids/default?count=600", sent)).toMatchObject({
        status: 200,
        short: true,
      });
    }
    expect((await sendShort("/v1/ids/default", sent)).status).toBe(429);
    const other = {
      bindings: LIMITED,
      headers: withKey((await keyFor({ scopes: ["issue"] })).key),
    };
    expect((await sendBoth("/v1/ids/default", other)).status).toBe(200);
  });

  it("goes by address where access is open", async () => {
    const bindings = { ...env, LIMITER: countingLimiter() };
    const from = (address: string): Sent => {
      return { bindings, headers: { "cf-connecting-ip": address } };
    };
    const path = "/v1/ids/default?count=600";
    for (const _again of [false, true]) {
      expect(await sendShort(path, from("192.0.2.77"))).toMatchObject({ status: 200, short: true });
    }
    expect((await sendBoth("/v1/ids/default", from("192.0.2.77"))).status).toBe(429);
    expect((await sendBoth("/v1/ids/default", from("192.0.2.78"))).status).toBe(200);
  });

  it("charges what was asked for once, also for an issuing that fails", async () => {
    const exact = await putExact();
    const limit = vi.fn(async () => ({ success: true }));
    const { key, id } = await keyFor({ scopes: ["issue"] });
    const headers = withKey(key);
    await sendBoth("/v1/ids/default", { bindings: CLOSED, headers });
    const bindings = { ...CLOSED, LIMITER: { limit } };
    expect(await sendShort(`${exact}?count=7`, { bindings, headers })).toMatchObject({
      status: 200,
      short: true,
    });
    expect(limit.mock.calls).toEqual([[{ key: `key:${id}`, delta: 7 }]]);
    const { shards } = recordedShards(() => Promise.reject(new Error("broken")));
    const broken = { bindings: { ...bindings, SHARD: shards }, headers };
    expect((await sendShort(`${exact}?count=9`, broken)).status).toBe(503);
    expect(limit.mock.calls.slice(1)).toEqual([[{ key: `key:${id}`, delta: 9 }]]);
  });

  it("lets callers on where the limiter fails", async () => {
    const LIMITER = { limit: () => Promise.reject(new Error("down")) };
    const bindings = { ...env, LIMITER };
    expect(await sendBoth("/v1/ids/default", { bindings })).toMatchObject({
      status: 200,
      short: true,
    });
  });

  it.each([null, undefined])("is none where the binding is %s", async (LIMITER) => {
    const bindings: Env = Object.assign({ ...env }, { LIMITER });
    expect((await sendBoth("/v1/ids/default?count=5000", { bindings })).status).toBe(200);
  });
});

describe.each([
  ["with a limit", env],
  ["without a limit", unlimited(env)],
])("an issuing that is refused, %s", (title, limits) => {
  /** What one way made of a request: the answer, calls, log lines, data points. */
  async function outcome(to: typeof worker | typeof app, path: string, script?: Script) {
    const log = vi.spyOn(console, "error").mockClear();
    const warn = vi.spyOn(console, "warn").mockClear();
    const writeDataPoint = vi.fn();
    const { shards, calls } = recordedShards(script);
    const bindings = { ...limits, SHARD: shards, ANALYTICS: { writeDataPoint } };
    const answer = await send(to, path, { bindings });
    const lines = [...log.mock.calls, ...warn.mock.calls].flatMap(([line]) => {
      const { requestId, stack: _, ...rest } = JSON.parse(`${line}`);
      // Others say why an object failed.
      return requestId === undefined ? [] : [rest];
    });
    const asked = calls.map(({ count, strict }) => ({ count, strict }));
    const points = writeDataPoint.mock.calls.map(([point]) => point);
    return { answer, asked, lines, points };
  }

  /** No shard rests any more that was left alone before. */
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
    ])("of %s is the router's problem, asked for once and logged once", async (path, times) => {
      await putExact();
      waitForAll();
      const short = await outcome(worker, path, script);
      expect(short.asked).toHaveLength(times);
      expect(short.lines).toMatchObject([{ code, route: "/v1/ids/:namespace" }]);
      expect(bodyOf(short.answer)).toMatchObject({ code });
      expect(short.answer.headers.has("edgeflake-shard")).toBe(false);
      waitForAll();
      const routed = await outcome(app, path, script);
      expect(comparable(short.answer)).toEqual(comparable(routed.answer));
      const { answer: _routed, ...rest } = routed;
      expect(short).toMatchObject(rest);
      expect(short.points).toHaveLength(code === "internal" ? 0 : 1);
    });

    it("of a single ID, under repeated demand, is too", async () => {
      for (const to of [worker, app]) {
        const of = `${to === app ? "routed" : "short"}-${title.replaceAll(" ", "-")}`;
        const name = `${of}-${named.replace(/\W+/g, "-")}`;
        await put(name);
        await send(app, `/v1/ids/${name}?count=2`);
        for (let request = 0; request < 3; request += 1) {
          waitForAll();
          const { answer, asked, lines } = await outcome(to, `/v1/ids/${name}`, script);
          expect(bodyOf(answer)).toMatchObject({ code });
          expect(asked.filter(({ count }) => count === 1)).toHaveLength(unpinned);
          expect(lines).toHaveLength(1);
        }
      }
    });
  });

  it("says whether something was granted before", async () => {
    const path = "/v1/ids/default?shard=3";
    for (const to of [worker, app]) {
      const definite = async (script?: Script) =>
        bodyOf((await outcome(to, path, script)).answer).definite;
      expect(await definite(refuse("shard_saturated"))).toBe(true);
      expect(await definite(refuse("shard_saturated", 5))).toBe(false);
      expect(await definite(fail(new Error("broken")))).toBe(false);
    }
  });

  it("by a real shard whose clock went back", async () => {
    const path = `/v1/ids/twitter?shard=${limits === env ? 6 : 7}`;
    expect((await sendBoth(path)).status).toBe(200);
    clock.step(-5000);
    const [short, routed] = [await outcome(worker, path), await outcome(app, path)];
    expect(bodyOf(short.answer)).toMatchObject({ code: "clock_behind", definite: true });
    expect(comparable(short.answer)).toEqual(comparable(routed.answer));
    expect(short.asked).toEqual([{ count: 1, strict: false }]);
    expect(short.lines).toMatchObject([{ code: "clock_behind", status: 503 }]);
    expect(routed.lines).toEqual(short.lines);
    const { body } = await ask(path.replace(/^.*ids(.*)[?]shard=/, "/v1/shards$1/"));
    expect(body.counters).toMatchObject({ refusals: { clock_behind: 2 } });
  });

  it("by a real shard whose storage is broken", async () => {
    const shard = limits === env ? 6 : 7;
    const path = `/v1/ids/leaf?shard=${shard}`;
    expect((await sendBoth(path)).status).toBe(200);
    const stub = stubOf("leaf", shard);
    await inStorage(stub, (sql) => sql.exec("UPDATE lane SET mark = -1"));
    await evictDurableObject(stub);
    const [short, routed] = [await outcome(worker, path), await outcome(app, path)];
    expect(bodyOf(short.answer)).toMatchObject({ code: "shard_unavailable", definite: false });
    expect(comparable(short.answer)).toEqual(comparable(routed.answer));
    expect(short.asked).toHaveLength(2);
    expect(short.lines).toEqual(routed.lines);
    expect(short.lines).toHaveLength(1);
  });

  it("behind a limit is refused once too", async () => {
    const { shards, calls } = recordedShards(refuse("shard_saturated"));
    const bindings = { ...env, SHARD: shards, LIMITER: { limit: async () => ({ success: true }) } };
    const answer = await sendBoth("/v1/ids/default?shard=3", { bindings });
    expect(bodyOf(answer)).toMatchObject({ code: "shard_saturated", definite: true });
    expect(calls).toHaveLength(2);
  });
});

describe("data points", () => {
  it("are the same on both ways, from memory or not", async () => {
    await put("counted");
    const { key, id } = await keyFor({ scopes: ["issue"] });
    for (const query of ["?shard=2", "?shard=2&count=3", "", "", "", ""]) {
      for (const to of [worker, app]) {
        const writeDataPoint = vi.fn();
        const bindings = unlimited({ ...CLOSED, ANALYTICS: { writeDataPoint } });
        const path = `/v1/ids/counted${query}`;
        const { headers } = await send(to, path, { bindings, headers: withKey(key) });
        const count = query.endsWith("count=3") ? 3 : 1;
        expect(writeDataPoint.mock.calls).toEqual([
          [
            {
              indexes: ["counted"],
              blobs: ["ids", id, "issued"],
              doubles: [count, Number(headers.get("edgeflake-shard"))],
            },
          ],
        ]);
      }
    }
  });

  it("that cannot be written are lost, and the request is answered all the same", async () => {
    const writeDataPoint = () => {
      throw new Error("full");
    };
    await put("uncounted");
    const bindings = unlimited({ ...env, ANALYTICS: { writeDataPoint } });
    // All but the first come from memory.
    for (let request = 0; request < 5; request += 1) {
      const answer = await sendBoth("/v1/ids/uncounted", { bindings });
      expect(answer.status).toBe(200);
    }
  });
});

describe("a shard binding that throws at once", () => {
  it.each([
    ["without a limit", unlimited(env)],
    ["with one", env],
  ])("%s: is the router's internal problem", async (_, bindings) => {
    const getByName = () => {
      throw new Error("at once");
    };
    // Only what callers use of the binding.
    const SHARD = { getByName } as unknown as Env["SHARD"];
    const answer = await send(worker, "/v1/ids/default?shard=3", {
      bindings: { ...bindings, SHARD },
    });
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.text)).toMatchObject({ code: "internal", definite: false });
  });
});
