/** The short cut in front of the router gives what the router gives, for segments too. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { writeSegmentReply } from "../../src/core/segment-reply.ts";
import { app } from "../../src/http/app.ts";
import { worker } from "../../src/http/worker.ts";
import { put } from "../support/admin.ts";
import { sendBoth, sendShort, unlimited } from "../support/both-ways.ts";
import { useClock } from "../support/clock.ts";
import { someSegment } from "../support/numbers.ts";
import { recordedSegments } from "../support/recorded-segments.ts";
import { type Sent, type SentAnswer, send } from "../support/send.ts";

useClock();
beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

type Row = [query: string, sent?: Sent];

const OPEN = unlimited(env);
const KEYED = { headers: { "idempotency-key": "k" } };

/** Requests that take the short cut once the namespace is in memory. */
const SHORT: Row[] = [
  [""],
  ["", { method: "POST" }],
  ["?count=2"],
  ["?count=99"],
  ["?count=5000"],
  ["?order=strict"],
  ["?order=fresh&count=3"],
  ["?shard=0"],
  ["?key=a&count=3"],
  ["?encoding=base58&count=3"],
  ["?encoding=number&count=3"],
  ["?format=json"],
];

/** Requests that have something about them. */
const OTHERS: Row[] = [
  ["", KEYED],
  ["?count=3", KEYED],
  ["?count=3&order=strict", KEYED],
  ["", { headers: { "idempotency-key": "" } }],
  ["?count=4", { headers: { "idempotency-key": "a b" } }],
  ["?count=0", { headers: { "idempotency-key": "a b" } }],
  ["?format=text&count=3"],
  ["", { headers: { accept: "text/plain" } }],
  ["?shard=1"],
  ["?shard=0&key=a"],
  ["?count=10001"],
  ["?count=0"],
  ["?colour=red"],
  ["", { method: "HEAD" }],
  ["", { method: "POST", body: "{}" }],
];

const titled = (rows: readonly Row[]) =>
  rows.map(([query, sent = {}]): [string, string, Sent] => {
    return [`${query} ${JSON.stringify(sent)}`, query, sent];
  });

function idsOf({ text }: SentAnswer): unknown[] {
  return JSON.parse(text).ids;
}

describe.each([
  ["with a limit", env],
  ["without", OPEN],
])("%s", (_, bindings) => {
  const MAX = `${Number.MAX_SAFE_INTEGER}`;

  it.each(titled(SHORT))("%s takes the short cut", async (_title, query, sent) => {
    const path = `/v1/ids/${await someSegment({ max: MAX })}${query}`;
    const ids: unknown[] = [];
    for (const again of [false, true, true]) {
      const answer = await sendBoth(path, { ...sent, bindings });
      expect(answer.status).toBe(200);
      if (again) expect(answer.short).toBe(true);
      for (const one of [answer, answer.routed]) {
        expect(one.headers.get("edgeflake-shard")).toBe("0");
        ids.push(...idsOf(one));
      }
    }
    const count = Number(new URLSearchParams(query).get("count") ?? 1);
    expect(ids).toHaveLength(6 * count);
    expect(new Set(ids).size).toBe(6 * count);
    const isNumber = query.includes("encoding=number");
    expect(ids.every((id) => typeof id === (isNumber ? "number" : "string"))).toBe(true);
  });

  it.each(titled(OTHERS))("%s is answered as the router does", async (_title, query, sent) => {
    const path = `/v1/ids/${await someSegment()}${query}`;
    for (const _again of [false, true]) {
      expect(await sendBoth(path, { ...sent, bindings })).toMatchObject({ short: false });
    }
  });

  it("a key given again gets the same numbers on both ways", async () => {
    const path = `/v1/ids/${await someSegment()}?count=3`;
    const { routed, ...answer } = await sendBoth(path, { ...KEYED, bindings });
    expect(idsOf(answer)).toEqual(["1", "2", "3"]);
    expect(idsOf(routed)).toEqual(["1", "2", "3"]);
  });
});

describe("out of memory", () => {
  it("both ways go on in the same buffer, and batches leave nothing behind", async () => {
    const name = await someSegment();
    const { segments, asked } = recordedSegments();
    const bindings = { ...OPEN, SEGMENTS: segments };
    const ids: unknown[] = [];
    for (const [index, query] of ["", "?count=3", "", "?count=2", "?count=3"].entries()) {
      const answer = await send(index % 2 ? app : worker, `/v1/ids/${name}${query}`, { bindings });
      // The first reads the registry, and fetches.
      expect(answer.behind).toBe(index === 0 ? 2 : 0);
      ids.push(...idsOf(answer));
    }
    expect(ids).toEqual(Array.from({ length: 10 }, (_, index) => `${1 + index}`));
    expect(asked()).toEqual([["nextSegment", 100]]);
    // One more, and more than a tenth is used.
    const { behind, short } = await sendShort(`/v1/ids/${name}`, { bindings });
    expect([behind, short]).toEqual([1, true]);
    expect(asked()).toHaveLength(2);
  });
});

describe("what is refused", () => {
  const refuse = async () =>
    writeSegmentReply({ ok: false, refusal: { code: "exhausted", detail: "none left" } });
  const fail = () => Promise.reject(new Error("broken"));
  const overloaded = () => Promise.reject(Object.assign(new Error("full"), { overloaded: true }));

  it.each([
    ["exhausted", refuse, 1],
    ["shard_overloaded", overloaded, 1],
    ["shard_unavailable", fail, 2],
  ] as const)("%s: is the router's problem, asked for once", async (code, script, calls) => {
    for (const query of ["", "?count=3", "?order=strict"]) {
      const [name, other] = [await someSegment(), await someSegment()];
      const short = recordedSegments(script);
      const path = `/v1/ids/${name}${query}`;
      // The namespace gets into memory without an ID.
      await send(app, `/v1/namespaces/${name}`);
      const bindings = { ...OPEN, SEGMENTS: short.segments };
      const answer = await send(worker, path, { bindings });
      expect(JSON.parse(answer.text)).toMatchObject({
        code,
        definite: code !== "shard_unavailable",
      });
      const tries = query === "?order=strict" ? 1 : calls;
      expect(short.calls).toHaveLength(tries);
      const routed = await send(app, `/v1/ids/${other}${query}`, { bindings });
      expect(routed.status).toBe(answer.status);
      expect(JSON.parse(routed.text)).toEqual({
        ...JSON.parse(answer.text.replaceAll(name, other)),
        requestId: expect.any(String),
      });
      expect(short.calls).toHaveLength(2 * tries);
    }
  });

  it("a retired segment issues nothing on either way, whatever is in memory", async () => {
    const name = await someSegment();
    for (const _again of [false, true]) await sendBoth(`/v1/ids/${name}`, { bindings: OPEN });
    await send(app, `/v1/namespaces/${name}`, { method: "DELETE" });
    for (const _again of [false, true]) {
      expect((await sendBoth(`/v1/ids/${name}`, { bindings: OPEN })).status).toBe(410);
    }
  });

  it("a query is read anew where the namespace changed", async () => {
    const name = await someSegment({ max: `${Number.MAX_SAFE_INTEGER}` });
    const path = `/v1/ids/${name}?encoding=number`;
    for (const _again of [false, true]) {
      expect((await sendBoth(path, { bindings: OPEN })).status).toBe(200);
    }
    await put(name, { kind: "segment", max: `${2n ** 53n}` });
    for (const _again of [false, true]) {
      expect((await sendBoth(path, { bindings: OPEN })).status).toBe(400);
    }
  });
});
