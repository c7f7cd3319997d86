/** The published client, as built, in Node against the real service. Needs `npm run build` before. */
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { Edgeflake, EdgeflakeError, type EdgeflakeOptions } from "edgeflake/client";
import { afterEach, describe, expect, it, vi } from "vitest";
import { countingBinding } from "../support/client-binding.ts";
import { type Fault, type FaultyProxy, faultyProxy } from "../support/processes/faulty-proxy.ts";
import { serviceOfFile } from "../support/processes/service-process.ts";

const ADMIN_KEY = "the-admin-key-of-this-file";
const SIZE_MAX_BYTES = 4200;

const service = serviceOfFile({ ACCESS: "open" });
const closed = serviceOfFile({ ADMIN_KEY });
let proxies: FaultyProxy[] = [];

afterEach(async () => {
  for (const proxy of proxies) await proxy.close();
  proxies = [];
});
function clientOf(change: Partial<EdgeflakeOptions> = {}): Edgeflake {
  return new Edgeflake({ url: service.url, namespace: "default", ...change });
}

/** A client whose requests go through a proxy with these faults. */
async function faulty(
  plan: readonly Fault[],
  change: Partial<EdgeflakeOptions> = {},
): Promise<{ client: Edgeflake; asked: string[] }> {
  const proxy = await faultyProxy(service.url, plan);
  proxies.push(proxy);
  return { client: clientOf({ url: proxy.url, ...change }), asked: proxy.asked };
}

/** The error that a call rejects with. */
async function rejection(call: Promise<unknown>): Promise<EdgeflakeError> {
  const error: unknown = await call.then(
    () => new Error("it did not fail"),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof EdgeflakeError)) throw error;
  return error;
}

const saturated = (retryAfterMs: number): Fault => {
  const body = { code: "shard_saturated", detail: "full", definite: true, retryAfterMs };
  return { status: 503, body, headers: { "retry-after": "1" } };
};

describe("edgeflake/client", () => {
  it("is small, and has no dependencies", () => {
    const code = readFileSync(new URL("../../dist/client/edgeflake.js", import.meta.url));
    expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(SIZE_MAX_BYTES);
    expect(String(code)).not.toMatch(/\bimport\b\s*[("'{*]|\brequire\(/);
  });

  it("gets one ID and many, and decodes them", async () => {
    const client = clientOf();
    const id = await client.next();
    expect(id).toMatch(/^\d{18,19}$/);
    expect(await client.decode(id)).toMatchObject({ id, kind: "snowflake", lane: 0 });
    const many = await client.take(250_000);
    expect(new Set([id, ...many]).size).toBe(250_001);
  });

  it("answers repeated demand from memory, and repeats no ID", async () => {
    const { client, asked } = await faulty([]);
    const ids: string[] = [];
    for (let count = 0; count < 20_000; count += 1) {
      ids.push(await client.next());
      // Time for what is fetched ahead: a loop that never waits leaves none.
      if (count % 100 === 0) await new Promise(setImmediate);
    }
    expect(new Set(ids).size).toBe(20_000);
    expect(asked.length).toBeLessThan(2000);
  });

  it("returns an ID from memory at once", async () => {
    const client = clientOf();
    const ids: string[] = [];
    // IDs in memory may have expired while this process did not run.
    for (let now: string | undefined; now === undefined; ) {
      for (let count = 0; count < 50; count += 1) ids.push(await client.next());
      now = client.nextNow();
      if (now !== undefined) ids.push(now);
    }
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("fetches 5,000 misses of one turn together", async () => {
    const { client, asked } = await faulty([]);
    const ids = await Promise.all(Array.from({ length: 5000 }, () => client.next()));
    expect(new Set(ids).size).toBe(5000);
    expect(asked.length).toBeLessThanOrEqual(2);
  });

  it("keeps strict order for a key, whatever is in memory", async () => {
    const client = clientOf({ namespace: "js53" });
    const ids: number[] = [];
    for (let count = 0; count < 50; count += 1) ids.push(Number(await client.next({ key: "a" })));
    ids.push(...(await client.take(50, { key: "a" })).map(Number));
    expect(ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id))).toBe(true);
  });

  it("serves nothing older than freshForMs", async () => {
    const { client, asked } = await faulty([]);
    for (let count = 0; count < 50; count += 1) await client.next();
    await pause(400);
    const before = asked.length;
    const startMs = Date.now();
    const decoded = await client.decode(await client.next());
    expect(asked.length).toBeGreaterThan(before);
    if (decoded.kind !== "snowflake") throw new Error("of another kind");
    expect(decoded.unixMs).toBeGreaterThanOrEqual(startMs - 50);
  });

  it("sends its key, and says why the service rejects it", async () => {
    const good = clientOf({ url: `${closed.url}/`, key: ADMIN_KEY });
    expect(await good.next()).toMatch(/^\d+$/);
    const error = await rejection(clientOf({ url: closed.url, key: "nobody" }).next());
    expect(error).toMatchObject({ code: "unauthorized", status: 401, definite: true });
    expect(error.requestId).toBeTruthy();
  });

  it.each([
    ["namespace", {}, { namespace: "nope" }, "unknown_namespace"],
    ["shard", { shard: 99 }, {}, "invalid_parameter"],
  ] as const)("does not show the value of a bad %s", async (_, call, change, code) => {
    const { client, asked } = await faulty([], change);
    expect(await rejection(client.take(1, call))).toMatchObject({ code, definite: true });
    expect(asked).toHaveLength(1);
  });

  it.each([0, -1, 1.5, Number.NaN, 1_000_001])("take(%d) is a RangeError", async (count) => {
    await expect(clientOf().take(count)).rejects.toThrow(RangeError);
  });
});

describe("a namespace that allows few IDs at once", () => {
  it("gets them in several requests", async () => {
    const name = "few-at-once";
    const layout = { timestampBits: 41, workerBits: 10, sequenceBits: 2 };
    const policy = { maxBorrowMs: 5, maxStepBackMs: 0, maxWaitMs: 0, reserveMs: 5 };
    const made = await fetch(`${service.url}/v1/namespaces/${name}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ kind: "snowflake", layout, policy }),
    });
    expect(made.status).toBe(201);
    const { client, asked } = await faulty([], { namespace: name });
    expect(new Set(await client.take(50)).size).toBe(50);
    const [first, ...counts] = asked.map((path) => Number(/count=(\d+)/.exec(path)?.[1]));
    expect(first).toBe(50);
    expect(counts.every((count) => count < 50)).toBe(true);
  });
});

describe("options", () => {
  it.each([
    [{ url: "" }],
    [{ url: "ids.example.com" }],
    [{ namespace: "" }],
    [{ timeoutMs: Number.POSITIVE_INFINITY }],
    [{ timeoutMs: 0 }],
    [{ retries: -1 }],
    [{ retries: Number.NaN }],
  ])("%j are a TypeError", (change) => {
    expect(() => clientOf(change)).toThrow(TypeError);
  });
});

describe("retries", () => {
  it("never repeat a prefetch, which waits as long as the service asks", async () => {
    const aheads: number[] = [];
    const binding = countingBinding(({ count }) => {
      if (count === 1) return undefined;
      aheads.push(count);
      return { code: "rate_limited", status: 429, definite: true, retryAfterMs: 60_000 };
    });
    const client = new Edgeflake({ binding, namespace: "default" });
    for (let count = 0; count < 30; count += 1) await client.next();
    expect(aheads).toHaveLength(1);
  });

  it("end with the deadline, even if nothing else keeps the process alive", async () => {
    const binding = countingBinding(() => new Promise<never>(() => undefined));
    const client = new Edgeflake({ binding, namespace: "default", timeoutMs: 50 });
    expect(await rejection(client.next())).toMatchObject({ code: "timeout" });
  });

  it.each([
    ["a dropped connection", "drop"],
    ["an answer that breaks off", "cut"],
    ["429", { status: 429, body: { code: "rate_limited", retryAfterMs: 1 } }],
    ["502 of a proxy", { status: 502, body: "<html>" }],
    ["500 internal", { status: 500, body: { code: "internal", definite: false } }],
  ] as const)("after %s", async (_, fault) => {
    const { client, asked } = await faulty([fault, fault]);
    expect(await client.take(3)).toHaveLength(3);
    expect(asked).toHaveLength(3);
  });

  it("begin no sooner than retryAfterMs", async () => {
    const { client } = await faulty([saturated(300)]);
    const startMs = Date.now();
    await client.take(1);
    expect(Date.now() - startMs).toBeGreaterThanOrEqual(299);
  });

  it("begin no sooner than Retry-After, if the body is another server's", async () => {
    const plan: Fault[] = [{ status: 503, body: "busy", headers: { "retry-after": "1" } }];
    const { client } = await faulty(plan);
    const startMs = Date.now();
    await client.take(1);
    expect(Date.now() - startMs).toBeGreaterThanOrEqual(999);
  });

  it("are omitted if they would begin after the deadline", async () => {
    const { client, asked } = await faulty([saturated(60_000)]);
    const error = await rejection(client.take(1));
    expect(error).toMatchObject({ code: "shard_saturated", retryAfterMs: 60_000, definite: true });
    expect(asked).toHaveLength(1);
  });

  it("are at most as many as `retries`", async () => {
    const { client, asked } = await faulty(["drop", "drop", "drop", "drop"], { retries: 2 });
    expect(await rejection(client.take(1))).toMatchObject({ code: "network", definite: false });
    expect(asked).toHaveLength(3);
  });

  it("continue until timeoutMs, so that a service that is back in time is used", async () => {
    const drops = Array.from({ length: 6 }, (): Fault => "drop");
    const { client, asked } = await faulty(drops);
    expect(await client.take(1)).toHaveLength(1);
    expect(asked).toHaveLength(7);
  });

  it("end with a message that names the URL and the cause", async () => {
    const gone = await faultyProxy(service.url, []);
    await gone.close();
    const { url } = gone;
    const error = await rejection(clientOf({ url, timeoutMs: 300 }).next());
    expect(error).toMatchObject({ code: "network", definite: false });
    expect(error.message).toBe(`Request to ${url} failed: ECONNREFUSED`);
  });

  it("do not follow a redirect, which would turn a POST into a GET", async () => {
    const headers = { location: `${service.url}/v1/blocks/default?count=1` };
    const { client, asked } = await faulty([{ status: 301, body: "", headers }]);
    expect(await rejection(client.take(1))).toMatchObject({ code: "malformed", status: 301 });
    expect(asked).toHaveLength(1);
  });

  it("are omitted for errors that need a person", async () => {
    const { client, asked } = await faulty([{ status: 503, body: { code: "not_configured" } }]);
    expect(await rejection(client.take(1))).toMatchObject({ code: "not_configured" });
    expect(asked).toHaveLength(1);
  });

  it("end with the deadline if no response comes", async () => {
    const { client } = await faulty(["hang"], { timeoutMs: 200 });
    expect(await rejection(client.next())).toMatchObject({ code: "timeout", definite: false });
  });
});

describe("a signal", () => {
  it("ends a call that waits for a response", async () => {
    const { client } = await faulty(["hang"]);
    const reason = new Error("enough");
    const stop = new AbortController();
    const waiting = client.next({ signal: stop.signal });
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  it("ends a call that pauses, or has not begun", async () => {
    const { client, asked } = await faulty([saturated(5000)]);
    const stop = new AbortController();
    const waiting = client.take(1, { signal: stop.signal });
    await vi.waitUntil(() => asked.length === 1, { timeout: 10_000, interval: 5 });
    // Time for the answer to get here.
    await pause(100);
    stop.abort();
    await expect(waiting).rejects.toThrow("aborted");
    await expect(client.take(1, { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
    expect(asked).toHaveLength(1);
  });
});

describe("responses of other servers", () => {
  it.each([
    ["no JSON", "hello"],
    ["no blocks", { ids: ["1"] }],
    ["fewer IDs", { blocks: [{ first: "1", count: 1 }], shard: 0, freshForMs: 250 }],
    ["odd IDs", { blocks: [{ first: "1e5", count: 2 }], shard: 0, freshForMs: 250 }],
    ["an endless block", { blocks: [{ first: "1", count: 1e300 }], shard: 0, freshForMs: 250 }],
  ])("%s: malformed", async (_, body) => {
    const { client } = await faulty([{ status: 200, body }]);
    expect(await rejection(client.take(2))).toMatchObject({ code: "malformed" });
  });
});
