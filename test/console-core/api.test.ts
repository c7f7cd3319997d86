/** One request to the service: how it is sent, and how its response is read. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError, ask, type Json, problemOf } from "../../src/console/api.ts";
import { isLeasePage } from "../../src/console/lease-state.ts";
import { askAllPages, listNames, NAMESPACES_PATH } from "../../src/console/namespaces.ts";
import { useAction, useQueue } from "../../src/console/parts/action.ts";
import { bodyOf } from "../../src/console/parts/new-key.tsx";
import { cursorQuery } from "../../src/console/parts/pager.tsx";
import { Problem } from "../../src/console/parts/problem.tsx";
import { isKeyPage } from "../../src/console/sections/keys.tsx";
import { idsIn } from "../../src/console/sections/request.tsx";
import { isDefinition, isShardPage } from "../../src/console/shards/shard-state.ts";
import { hookOf, htmlOf, wordsOf } from "./view.ts";

const fetched = vi.fn<typeof fetch>();
beforeEach(() => vi.stubGlobal("fetch", fetched));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  fetched.mockReset();
});

const YEAR_MS = 365 * 86_400_000;
const DOUBT = "IDs may have been granted and lost.";

function answers(body: unknown, status = 200, headers: HeadersInit = {}): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  fetched.mockImplementation(async () => new Response(text, { status, headers }));
}

function keep(key: string): void {
  vi.stubGlobal("sessionStorage", { getItem: () => key });
}

async function errorOf(asked: Promise<Json>): Promise<ApiError> {
  const error: unknown = await asked.then(() => undefined).catch((cause: unknown) => cause);
  if (error instanceof ApiError) return error;
  throw new Error("it was not refused", { cause: error });
}

/** The page's message for it, in a section that needs the scope issue. */
function said(error: unknown): string {
  return wordsOf(htmlOf(Problem({ error, scope: "issue", doubt: DOUBT })));
}

describe("a request", () => {
  const sent = async (): Promise<RequestInit> => {
    answers({});
    await ask("/v1/keys", { method: "POST", body: { name: "ü" } });
    return fetched.mock.lastCall?.[1] ?? {};
  };

  it("follows no redirect, sends no cookie and is not cached", async () => {
    expect(await sent()).toMatchObject({
      redirect: "manual",
      credentials: "omit",
      cache: "no-store",
      body: '{"name":"ü"}',
    });
  });

  it("carries the key of this tab, unless it is malformed", async () => {
    const authorization = async () => new Headers((await sent()).headers).get("authorization");
    expect(await authorization()).toBeNull();
    keep("efk_1");
    expect(await authorization()).toBe("Bearer efk_1");
    for (const key of ["a\nb: c", "schlüssel", "<img src=x onerror=pwned>", "\ud800", "\0", ""]) {
      keep(key);
      expect(await authorization()).toBeNull();
    }
  });

  it("of a change says that its body is a merge patch", async () => {
    answers({});
    await ask("/v1/namespaces/orders", { method: "PATCH", body: { shards: 9 } });
    const { headers } = fetched.mock.lastCall?.[1] ?? {};
    expect(new Headers(headers).get("content-type")).toBe("application/merge-patch+json");
  });

  it("reports a redirect", async () => {
    fetched.mockResolvedValue({ type: "opaqueredirect" } as Response);
    expect((await errorOf(ask("/v1/keys"))).message).toMatch(/redirect/);
  });

  it("times out without a response, and is in doubt if it may have changed something", async () => {
    vi.useFakeTimers();
    fetched.mockImplementation((_, init) => {
      const { promise, reject } = Promise.withResolvers<Response>();
      init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
      return promise;
    });
    const get = errorOf(ask("/v1/ids/default"));
    const post = errorOf(ask("/v1/ids/default", { method: "POST" }));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(said(await get)).toBe("The service does not answer.");
    expect(said(await post)).toBe(`The service does not answer. ${DOUBT}`);
    expect(fetched).toHaveBeenCalledTimes(2);
  });

  it("sends any cursor escaped in the query", () => {
    const { pathname, searchParams, hash } = new URL(
      `/v1/keys${cursorQuery("1&limit=1#/../../docs?\ud800")}`,
      "https://ids.example.com",
    );
    expect([pathname, hash, [...searchParams.keys()]]).toEqual(["/v1/keys", "", ["cursor"]]);
  });
});

describe("a response of status 200", () => {
  const problem = '{"type":"/docs","status":503,"code":"internal","detail":"No."}';
  const wrong =
    '{"shards":{"0":1},"keys":[null,1],"leases":"x","ids":7,"name":[],"key":{},"namespaces":1}';
  const checks = {
    shards: isShardPage,
    leases: isLeasePage,
    keys: isKeyPage,
    namespace: isDefinition,
    ids: (answer: Json) => idsIn(answer).length === 1,
  };

  it.each(["", "null", "[]", "7", "<html>", '{"shards":[{"shard":0', problem, wrong])(
    "%j is no response of this service",
    async (body) => {
      answers(body);
      for (const isAnswer of Object.values(checks)) {
        const { code, message } = await errorOf(ask("/v1/x", { isAnswer }));
        expect(code).toBe("unreadable");
        expect(message).toMatch(/^Unexpected response/);
      }
      await expect(listNames()).rejects.toThrow(ApiError);
    },
  );

  const lease = { worker: 600, holder: "pod", state: "held", notAfter: 1, leftMs: 1, restedMs: 0 };
  const key = { id: "abc", scopes: ["issue"], createdAt: "2026-01-01T00:00:00.000Z" };
  const many = Array.from({ length: 200_000 }, (_, worker) => ({ ...lease, worker }));
  it.each([
    ["leases", "a time that is none", [{ ...lease, notAfter: 8.7e15 }]],
    ["leases", "a time as a text", [{ ...lease, notAfter: "2026" }]],
    ["leases", "no worker ID", [{ ...lease, worker: "600" }]],
    ["leases", "more than any page has", many],
    ["keys", "no id", [{ ...key, id: 7 }]],
    ["keys", "no scopes", [{ ...key, scopes: "admin" }]],
    ["shards", "one twice", [{ shard: 1 }, { shard: 1 }]],
    ["shards", "a number as a text", [{ shard: "1" }]],
    ["shards", "more than any page has", many.map(({ worker }) => ({ shard: worker }))],
  ] as const)("%s with %s is rejected", (list, _, entries) => {
    expect(checks[list]({ [list]: entries })).toBe(false);
  });

  it("with valid lists is accepted", () => {
    expect(checks.leases({ leases: [lease] })).toBe(true);
    expect(checks.keys({ keys: [key] })).toBe(true);
    expect(checks.shards({ shards: [{ shard: 0 }, { shard: 1 }] })).toBe(true);
    expect(idsIn({ ids: ["7", 7, "<b>", null, 1e300] })).toEqual(["7", "7"]);
  });
});

describe("the message of an error response", () => {
  const full = { detail: "It is full.", definite: true };
  const slower = "Rate limit exceeded (429).";
  it.each([
    [429, { detail: "Too many.", retryAfterMs: 60_000 }, {}, "Too many. Try again in 1 min."],
    [429, "<html>slow", { "retry-after": "7" }, `${slower} Try again in 7 s.`],
    [429, "", {}, slower],
    [429, { detail: " ", retryAfterMs: 1 }, {}, `${slower} Try again in 1 s.`],
    [429, { retryAfterMs: YEAR_MS }, {}, `${slower} Try again in 365 days.`],
    [503, { ...full, retryAfterMs: 2500 }, {}, "It is full. Try again in 3 s."],
    [503, { ...full, retryAfterMs: -5 }, {}, "It is full."],
    [503, { ...full, retryAfterMs: "60000" }, {}, "It is full."],
    [503, '{"detail":"It is full.","definite":true,"retryAfterMs":1e999}', {}, "It is full."],
    [503, full, { "retry-after": "soon" }, "It is full."],
    [503, full, { "retry-after": "9".repeat(400) }, "It is full."],
    [403, { detail: "No." }, {}, "No. This section needs a key with the scope issue."],
    [403, { detail: "Built in.", code: "builtin_namespace" }, {}, "Built in."],
    [
      403,
      { detail: ["x"] },
      {},
      "The service responded with status 403. This section needs a key with the scope issue.",
    ],
    [502, "<html>", {}, `The service failed (502). ${DOUBT}`],
  ] as const)("%d %j %j", async (status, body, headers, words) => {
    answers(body, status, headers);
    expect(said(await errorOf(ask("/v1/ids/default", { method: "POST" })))).toBe(words);
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  it("accepts Retry-After as a date", async () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
    answers("", 503, { "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" });
    expect(said(await errorOf(ask("/v1/x")))).toMatch(/Try again in 30 s\.$/);
  });

  it("names the scope if the key is missing or invalid", async () => {
    answers({ detail: "Unauthorized." }, 401);
    expect(said(await errorOf(ask("/v1/x")))).toBe(
      "This service requires a key. This section needs a key with the scope issue.",
    );
    keep("efk_1");
    expect(said(await errorOf(ask("/v1/x")))).toMatch(/not valid: .*revoked.*the scope issue\.$/);
  });

  it.each(["/v1/ids/orders?count=2", "/v1/shards/orders", "/v1/leases/orders/7?revoke=true"])(
    "about an unknown namespace offers to create it: %s",
    async (path) => {
      answers({ code: "unknown_namespace", detail: "No namespace has this name." }, 404);
      const error = await errorOf(ask(path));
      expect(said(error)).toBe("There is no namespace orders. Create orders");
      expect(htmlOf(Problem({ error: problemOf("It", error) }))).toContain(
        'href="#/design?name=orders"',
      );
      answers({ code: "not_found", detail: "No such shard." }, 404);
      expect(said(await errorOf(ask(path)))).toBe("No such shard.");
    },
  );

  it("is cut if it is very long", async () => {
    answers({ detail: "<b>".repeat(500_000) }, 503);
    expect(said(await errorOf(ask("/v1/x")))).toMatch(/^.{500,2000}…$/);
  });

  it("names its subject", () => {
    const error = new ApiError("No.", { code: "x", status: 503, isInDoubt: true });
    expect(said(problemOf("The key 7", error))).toBe(`The key 7: No. ${DOUBT}`);
  });
});

describe("names of namespaces", () => {
  it("are read page by page", async () => {
    const pages = [{ namespaces: [{ name: "a" }], cursor: "b&c" }, { namespaces: [{ name: "b" }] }];
    fetched.mockImplementation(async () => Response.json(pages.shift()));
    expect(await listNames()).toEqual(["a", "b"]);
    expect(fetched.mock.lastCall?.[0]).toBe("/v1/namespaces?limit=100&cursor=b%26c");
  });

  it("end even if the pages are endless, and then say so", async () => {
    answers({ namespaces: [{ name: "a" }], cursor: "more" });
    expect((await listNames()).length).toBeLessThan(100);
    expect((await askAllPages(NAMESPACES_PATH)).cursor).toBe("more");
  });
});

describe("an action", () => {
  it("runs once until it has ended, even if it is pressed again", async () => {
    const { act } = hookOf(useAction);
    const gate = Promise.withResolvers<void>();
    const work = vi.fn<() => Promise<void>>(() => gate.promise);
    act(work);
    act(work);
    expect(work).toHaveBeenCalledTimes(1);
    gate.reject(new Error("lost"));
    await vi.waitFor(() => {
      act(work);
      expect(work).toHaveBeenCalledTimes(2);
    });
  });
});

describe("actions in a queue", () => {
  it("run in turn, and a failure stops none of them", async () => {
    const { act } = hookOf(useQueue);
    const done: string[] = [];
    const gates = ["one", "two", "three"].map((name) => {
      const gate = Promise.withResolvers<void>();
      act(async () => {
        done.push(`${name} starts`);
        await gate.promise;
        done.push(`${name} ends`);
      });
      return gate;
    });
    gates[2]?.resolve();
    gates[1]?.resolve();
    await vi.waitFor(() => expect(done).toEqual(["one starts"]));
    gates[0]?.reject(new Error("lost"));
    await vi.waitFor(() => expect(done.length).toBe(5));
    expect(done.slice(1)).toEqual(["two starts", "two ends", "three starts", "three ends"]);
  });
});

describe("the request body for a new key", () => {
  const input = { name: "shop", namespaces: "", expires: "", scopes: ["issue"] };

  it("has only the filled fields", () => {
    expect(bodyOf({ ...input, name: "" })).toEqual({ scopes: ["issue"] });
    const expires = " 2099-01-31 ";
    expect(bodyOf({ ...input, namespaces: "default, js53", expires })).toEqual({
      name: "shop",
      scopes: ["issue"],
      namespaces: ["default", "js53"],
      expiresAt: "2099-01-31T00:00:00.000Z",
    });
  });

  it.each([
    [{ namespaces: "no/name" }, /“no\/name” is not a valid namespace name/],
    [{ expires: "tomorrow" }, /Until must be unix ms/],
    [{ scopes: [] }, /at least one scope/],
  ])("%j: says why it is invalid", (part, why) => {
    expect(() => bodyOf({ ...input, ...part })).toThrow(why);
  });
});
