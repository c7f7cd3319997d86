/** The router's handling of a segment object that fails. The objects are scripted faults unless a test says otherwise. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ask, CLOSED } from "../../support/admin.ts";
import { useClock } from "../../support/clock.ts";
import { idsFrom, someSegment } from "../../support/numbers.ts";
import {
  realSegments,
  recordedSegments,
  type SegmentCall,
} from "../../support/recorded/recorded-segments.ts";
import { breakWrites, maxIdOf, moveBehind } from "../../support/segments.ts";

useClock("waits");

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
/** The object itself, whose first answers get lost: the call throws after it was carried out. */
function losing(times: number, error: () => Error = () => new Error("reset")) {
  let lost = 0;
  return async (call: SegmentCall): Promise<string> => {
    const answer = await realSegments(call);
    lost += 1;
    if (lost <= times) throw error();
    return answer;
  };
}

const overloaded = () => Object.assign(new Error("overloaded"), { overloaded: true });

/** Asks with these objects in place of the real ones. */
function asking(script: (call: SegmentCall) => Promise<string>) {
  const recorded = recordedSegments(script);
  const bindings = { ...CLOSED, SEGMENTS: recorded.segments };
  const get = (path: string, key?: string) =>
    ask(path, { bindings, ...(key !== undefined && { headers: { "idempotency-key": key } }) });
  return { ...recorded, get };
}

describe("a call that throws, with no Idempotency-Key", () => {
  it.each([
    "/v1/ids/NAME?order=strict",
    "/v1/ids/NAME?key=a&count=3",
    "/v1/ids/NAME?shard=0",
    "/v1/ids/NAME?order=strict&format=text&count=20000",
    "/v1/blocks/NAME?order=strict",
    "/v1/blocks/NAME?key=a",
  ])("%s is not repeated, because that might leave a gap", async (of) => {
    const { get, calls } = asking(losing(1));
    const { status, body } = await get(of.replace("NAME", await someSegment()));
    expect([status, body.code, body.definite]).toEqual([503, "shard_unavailable", false]);
    expect(calls).toHaveLength(1);
  });

  it.each([
    ["/v1/ids/NAME", "nextSegment"],
    ["/v1/ids/NAME?count=3", "nextSegment"],
    ["/v1/ids/NAME?count=500", "nextNumbers"],
    ["/v1/ids/NAME?format=text&count=20000", "nextNumbers"],
    ["/v1/blocks/NAME?count=3", "nextNumbers"],
  ])("%s is repeated once", async (of, method) => {
    const path = of.replace("NAME", await someSegment());
    const { get, calls } = asking(losing(1));
    expect((await get(path)).status).toBe(200);
    expect(calls.map((call) => call.method)).toEqual([method, method]);
    const never = asking(losing(99));
    const failed = await never.get(of.replace("NAME", await someSegment()));
    expect([failed.status, failed.body.code, failed.body.definite]).toEqual([
      503,
      "shard_unavailable",
      false,
    ]);
    expect(never.calls).toHaveLength(2);
  });
});

it("a refused second try is not definite, because the first may have been carried out", async () => {
  const name = await someSegment();
  for (const [first, definite] of [
    [losing(1), false],
    [overloaded, true],
  ] as const) {
    let tries = 0;
    const { get } = asking(async (call) => {
      tries += 1;
      if (tries === 1 && first !== overloaded) await first(call);
      throw overloaded();
    });
    const { body } = await get(`/v1/ids/${name}?count=500`);
    expect([body.code, body.definite]).toEqual(["shard_overloaded", definite]);
  }
});

describe("a call that throws, with an Idempotency-Key", () => {
  it.each(["/v1/ids/NAME?count=3", "/v1/ids/NAME?count=3&order=strict", "/v1/blocks/NAME?count=3"])(
    "%s is repeated once, and leaves no gap",
    async (of) => {
      const name = await someSegment();
      const { get, calls } = asking(losing(1));
      const { status, body } = await get(of.replace("NAME", name), "k");
      expect(status).toBe(200);
      expect(idsFrom(body)).toEqual([1n, 2n, 3n]);
      expect(calls).toHaveLength(2);
      expect(await maxIdOf(name)).toBe("4");
      const never = asking(losing(99));
      expect((await never.get(of.replace("NAME", name), "other")).status).toBe(503);
      expect(never.calls).toHaveLength(2);
      // A repeated request gets the same numbers.
      const later = await ask(of.replace("NAME", name), {
        headers: { "idempotency-key": "other" },
      });
      expect(idsFrom(later.body)).toEqual([4n, 5n, 6n]);
    },
  );
});

describe("an object whose queue is full", () => {
  it.each(["", "?count=3", "?order=strict", "?count=500", "?format=text"])(
    "is not called again: %s",
    async (query) => {
      const { get, calls } = asking(() => Promise.reject(overloaded()));
      const { status, body, headers } = await get(`/v1/ids/${await someSegment()}${query}`, "k");
      expect([status, body.code, body.definite]).toEqual([503, "shard_overloaded", true]);
      expect(headers.get("retry-after")).toBe("1");
      expect(calls).toHaveLength(1);
    },
  );
});

describe("an invalid answer", () => {
  it.each([
    "",
    "{}",
    "[]",
    '["1"]',
    '["2","1"]',
    '["1","1"]',
    "[1,2]",
    '["-1","2"]',
    '{"code":"x"}',
  ])("%s issues nothing", async (text) => {
    const { get } = asking(async () => text);
    const { status, body } = await get(`/v1/ids/${await someSegment()}?order=strict`);
    expect([status, body.code]).toEqual([500, "internal"]);
  });

  it("a segment without an ID of the namespace issues nothing", async () => {
    const { get } = asking(async () => '["1","10"]');
    const name = await someSegment({ delta: 100, remainder: 50 });
    const { status, body } = await get(`/v1/ids/${name}`);
    expect([status, body.code]).toEqual([500, "internal"]);
  });
});

describe("the real object, superseded", () => {
  it("D2 fails a strict request without a key; the next continues from the stored maxId", async () => {
    const name = await someSegment();
    const path = `/v1/ids/${name}?order=strict&count=2`;
    expect(idsFrom((await ask(path)).body)).toEqual([1n, 2n]);
    await moveBehind(name, 50n);
    expect(await ask(path)).toMatchObject({ status: 503, body: { definite: false } });
    expect(idsFrom((await ask(path)).body)).toEqual([50n, 51n]);
  });

  it("D2 does not affect a fresh request", async () => {
    const name = await someSegment();
    expect(idsFrom((await ask(`/v1/blocks/${name}?count=2`)).body)).toEqual([1n, 2n]);
    await moveBehind(name, 50n);
    expect(idsFrom((await ask(`/v1/ids/${name}?count=2`)).body)).toEqual([50n, 51n]);
  });
});

describe("the real object, whose storage fails", () => {
  it("D1 issues nothing, hides the cause, and continues without a gap", async () => {
    const name = await someSegment();
    const path = `/v1/ids/${name}?order=strict`;
    await ask(path);
    const mend = await breakWrites(name, "UPDATE ON segment");
    for (const query of ["?order=strict", "", "?count=3", "?format=text&count=20000"]) {
      const { status, text } = await ask(`/v1/ids/${name}${query}`);
      expect(status).toBe(503);
      expect(text).not.toContain("disk full");
    }
    await mend();
    expect(idsFrom((await ask(path)).body)).toEqual([2n]);
  });

  it("does not affect requests served from memory", async () => {
    const name = await someSegment();
    expect(idsFrom((await ask(`/v1/ids/${name}`)).body)).toEqual([1n]);
    const mend = await breakWrites(name, "UPDATE ON segment");
    const bindings: Env = { ...CLOSED, SEGMENTS: env.SEGMENTS };
    for (let id = 2n; id <= 100n; id += 1n) {
      expect(idsFrom((await ask(`/v1/ids/${name}`, { bindings })).body)).toEqual([id]);
    }
    await mend();
  });
});
