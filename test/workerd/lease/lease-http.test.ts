/** The input of the routes of leases: bodies, headers, queries and paths. */

import { describe, expect, it } from "vitest";
import { ask } from "../../support/admin.ts";
import { useClock } from "../../support/clock.ts";
import {
  acquire,
  list,
  outcomeOf,
  release,
  renew,
  someNamespace,
  tokenOf,
  tryAcquire,
  tryRenew,
} from "../../support/leases.ts";

useClock("waits");

const BAD_BODY = [400, "invalid_body"];
const BAD_PARAMETER = [400, "invalid_parameter"];

describe("a body", () => {
  const FIELDS: [title: string, json: unknown][] = [
    ["a ttl 1 ms too short", { ttlMs: 4999 }],
    ["a ttl 1 ms too long", { ttlMs: 86_400_001 }],
    ["a ttl with a fraction", { ttlMs: 5000.5 }],
    ["a ttl below 0", { ttlMs: -60_000 }],
    ["a ttl as text", { ttlMs: "60000" }],
    ["a ttl of null", { ttlMs: null }],
    ["an unknown field", { ttlMs: 60_000, ttl: 60 }],
    ["an array", []],
    ["a text", "x"],
    ["null", null],
  ];

  it.each([
    ...FIELDS,
    ["a holder of 254 characters", { holder: "x".repeat(254) }],
    ["a holder with half a character", { holder: "x\ud800y" }],
    ["an empty holder", { holder: "" }],
    ["a holder of 10 kB", { holder: "x".repeat(10_000) }],
    ["a holder of null", { holder: null }],
    ["a holder that is a number", { holder: 7 }],
  ] as const)("to acquire with %s is rejected, and nothing is leased", async (_, json) => {
    const name = await someNamespace();
    expect(outcomeOf(await tryAcquire(name, json))).toEqual(BAD_BODY);
    expect(await list(name)).toEqual([]);
  });

  it.each([...FIELDS, ["a holder", { holder: "x" }]] as const)(
    "to renew with %s is rejected, and nothing changes",
    async (_, json) => {
      const name = await someNamespace();
      const lease = await acquire(name);
      expect(outcomeOf(await tryRenew(name, lease, json))).toEqual(BAD_BODY);
      expect(await list(name)).toMatchObject([{ notAfter: lease.notAfter }]);
    },
  );

  it.each<[title: string, rawBody: string, type: string | undefined, outcome: unknown[]]>([
    ["no content-type", "{}", undefined, [415, "unsupported_media_type"]],
    ["another content-type", "{}", "text/plain", [415, "unsupported_media_type"]],
    ["no JSON", "{", "application/json", BAD_BODY],
    ["nothing in it", "", "application/json", BAD_BODY],
    ["70 kB", `{"holder":"${"x".repeat(70_000)}"}`, "application/json", [413, "body_too_large"]],
  ])("with %s is rejected by both", async (_, rawBody, type, outcome) => {
    const name = await someNamespace();
    const headers = {
      ...tokenOf(await acquire(name)),
      ...(type !== undefined && { "content-type": type }),
    };
    const asked = { rawBody: new TextEncoder().encode(rawBody), headers };
    const posted = await ask(`/v1/leases/${name}`, { method: "POST", ...asked });
    const renewed = await ask(`/v1/leases/${name}/1`, { method: "PUT", ...asked });
    expect([outcomeOf(posted), outcomeOf(renewed)]).toEqual([outcome, outcome]);
  });

  it("is needed to acquire, not to renew", async () => {
    const name = await someNamespace();
    const lease = await acquire(name);
    expect((await renew(name, lease)).token).toBe(lease.token);
    const bare = await ask(`/v1/leases/${name}`, { method: "POST" });
    expect(outcomeOf(bare)).toEqual([415, "unsupported_media_type"]);
  });

  it.each(["x", "x".repeat(253), "pod-7 in Zürich 🏔", "a\"b\\c'd;--", "a\u0000b"])(
    "may name the holder %j",
    async (holder) => {
      const name = await someNamespace();
      const one = await acquire(name, { holder }, "key");
      const again = await acquire(name, { holder }, "key");
      expect([one.holder, again.holder]).toEqual([holder, holder]);
      expect(await list(name)).toMatchObject([{ holder }]);
    },
  );
});

describe("a header", () => {
  it.each(["", "x".repeat(256), "with space", "a\tb"])(
    "Idempotency-Key of %j is rejected",
    async (key) => {
      const name = await someNamespace();
      expect(outcomeOf(await tryAcquire(name, {}, key))).toEqual(BAD_PARAMETER);
      expect(await list(name)).toEqual([]);
    },
  );

  it.each(["!", "x".repeat(255), 'a,b;c="d"', "~"])(
    "Idempotency-Key of %j is accepted",
    async (key) => {
      const name = await someNamespace(2);
      const { token } = await acquire(name, {}, key);
      expect((await acquire(name, {}, key)).token).toBe(token);
    },
  );

  it.each([undefined, ""])("edgeflake-lease-token of %j counts as missing", async (token) => {
    const name = await someNamespace();
    await acquire(name);
    const headers = token === undefined ? {} : tokenOf({ token });
    for (const [method, query] of [
      ["PUT", ""],
      ["DELETE", ""],
      ["DELETE", "?revoke=false"],
    ] as const) {
      const answer = await ask(`/v1/leases/${name}/1${query}`, { method, headers });
      expect(outcomeOf(answer)).toEqual(BAD_PARAMETER);
      expect(answer.body.errors).toMatchObject([{ parameter: "edgeflake-lease-token" }]);
    }
  });
});

describe("a query", () => {
  it.each([
    "until=",
    "until=x",
    "until=-1",
    "until=1.5",
    "until=2026-13-01",
    "until=2026-06-01T00:00:00+01:00",
    "until=1&until=2",
    "revoke=yes",
    "revoke=",
    "holder=x",
  ])("of a release rejects %s", async (query) => {
    const name = await someNamespace();
    const lease = await acquire(name);
    expect(outcomeOf(await release(name, lease, `?${query}`))).toEqual(BAD_PARAMETER);
    expect(await list(name)).toMatchObject([{ state: "held" }]);
  });

  it("of an acquire or a renewal rejects all parameters", async () => {
    const name = await someNamespace();
    const posted = await ask(`/v1/leases/${name}?ttlMs=5000`, { method: "POST", json: {} });
    expect(outcomeOf(posted)).toEqual(BAD_PARAMETER);
    const headers = tokenOf(await acquire(name));
    const renewed = await ask(`/v1/leases/${name}/1?ttlMs=5000`, { method: "PUT", headers });
    expect(outcomeOf(renewed)).toEqual(BAD_PARAMETER);
  });
});

describe("a worker ID", () => {
  it.each(["2", "9999", "-1", "01", "1.0", "one", "0x1", "1e0", "%31x"])(
    "of %s is not found in a layout with two",
    async (worker) => {
      const name = await someNamespace();
      const headers = tokenOf(await acquire(name));
      for (const method of ["PUT", "DELETE"]) {
        const answer = await ask(`/v1/leases/${name}/${worker}`, { method, headers });
        expect(outcomeOf(answer)).toEqual([404, "not_found"]);
      }
    },
  );
});
