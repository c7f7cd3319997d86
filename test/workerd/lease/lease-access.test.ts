/** Access to the routes of leases, by namespace, and the secrets that they never reveal. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { ask, CLOSED, keyFor } from "../../support/admin.ts";
import { useClock } from "../../support/clock.ts";
import {
  acquire,
  inDesk,
  list,
  outcomeOf,
  release,
  someNamespace,
  tokenOf,
  tryAcquire,
  tryRenew,
} from "../../support/leases.ts";

useClock("waits");

const FORBIDDEN = [403, "forbidden"];

describe("a namespace", () => {
  const all = async (name: string, lease: { worker: number; token: string }) => [
    outcomeOf(await tryAcquire(name)),
    outcomeOf(await tryRenew(name, lease)),
    outcomeOf(await release(name, lease)),
    outcomeOf(await ask(`/v1/leases/${name}`)),
  ];

  it.each([
    ["of segments", "segment", [400, "wrong_kind"]],
    ["that nobody made", "nowhere", [404, "unknown_namespace"]],
    ["of no possible name", "1st", [404, "unknown_namespace"]],
  ])("%s has no leases", async (_, name, outcome) => {
    const answers = await all(name, { worker: 0, token: "x" });
    expect(answers).toEqual([outcome, outcome, outcome, outcome]);
  });

  it("that is retired grants and renews no lease; old leases may be listed and released", async () => {
    const name = await someNamespace();
    const lease = await acquire(name, {}, "key");
    expect((await ask(`/v1/namespaces/${name}`, { method: "DELETE" })).status).toBeLessThan(300);
    const gone = [410, "namespace_retired"];
    expect(outcomeOf(await tryAcquire(name, {}, "key"))).toEqual(gone);
    expect(await all(name, lease)).toEqual([gone, gone, [204, undefined], [200, undefined]]);
  });

  it("has its own leases: equal holders and keys in two namespaces do not meet", async () => {
    const [one, other] = [await someNamespace(), await someNamespace()];
    const lease = await acquire(one, { holder: "h" }, "key");
    await acquire(other, { holder: "h" }, "key");
    expect(outcomeOf(await tryRenew(other, lease))).toEqual([409, "lease_lost"]);
  });
});

describe("the routes accept", () => {
  const routes = [
    ["POST", "", { ttlMs: 5000 }],
    ["GET", "", undefined],
    ["PUT", "/1", {}],
    ["DELETE", "/1", undefined],
  ] as const;

  it.each<[title: string, input: Record<string, unknown>, open: boolean]>([
    ["a key with lease", { scopes: ["lease"] }, true],
    ["an admin key", { scopes: ["admin"] }, true],
    ["a key with read", { scopes: ["read"] }, false],
    ["a key with issue", { scopes: ["issue"] }, false],
    ["a key with issue and read", { scopes: ["issue", "read"] }, false],
  ])("%s", async (_, input, open) => {
    const name = await someNamespace(3);
    const { key } = await keyFor(input);
    const lease = await acquire(name);
    expect(lease.worker).toBe(4);
    const headers = tokenOf(lease);
    for (const [method, tail, json] of routes) {
      const path = `/v1/leases/${name}${tail && "/4"}`;
      const answer = await ask(path, { method, json, key, headers });
      if (open) expect(answer.status).toBeLessThan(300);
      else expect(outcomeOf(answer)).toEqual(FORBIDDEN);
    }
  });

  it("no key with the scope lease for another namespace, and no request without a key", async () => {
    const [mine, theirs] = [await someNamespace(), await someNamespace()];
    const lease = await acquire(theirs);
    const { key } = await keyFor({ scopes: ["lease"], namespaces: [mine] });
    const headers = tokenOf(lease);
    expect((await tryAcquire(mine, {}, undefined, { key })).status).toBe(201);
    for (const [method, tail, json] of routes) {
      const path = `/v1/leases/${theirs}${tail}`;
      expect(outcomeOf(await ask(path, { method, json, key, headers }))).toEqual(FORBIDDEN);
      const nobody = await ask(path, { method, json, key: null, headers });
      expect(outcomeOf(nobody)).toEqual([401, "unauthorized"]);
    }
    expect(await list(theirs)).toMatchObject([{ state: "held", notAfter: lease.notAfter }]);
  });

  it("for a revocation: an admin key only, with or without the lease's token", async () => {
    const name = await someNamespace();
    const lease = await acquire(name);
    const keys = [
      await keyFor({ scopes: ["lease"] }),
      await keyFor({ scopes: ["issue", "lease"] }),
    ];
    for (const { key } of keys) {
      expect(outcomeOf(await release(name, lease, "?revoke=true", { key }))).toEqual(FORBIDDEN);
    }
    expect(await list(name)).toMatchObject([{ state: "held" }]);
    const revoked = await release(name, { worker: lease.worker }, "?revoke=true");
    expect(revoked.status).toBe(204);
    expect(await list(name)).toMatchObject([{ state: "released" }]);
  });

  it("every request with open access, also revocations", async () => {
    const bindings = { ...env, ACCESS: "open" };
    const name = await someNamespace();
    const asked = { bindings, key: null };
    const { status } = await tryAcquire(name, {}, undefined, asked);
    expect(status).toBe(201);
    const revoked = await ask(`/v1/leases/${name}/1?revoke=true`, { method: "DELETE", ...asked });
    expect(revoked.status).toBe(204);
  });
});

describe("a token", () => {
  it("is in no list, error, log line or header, after any failure", async () => {
    const log = [vi.spyOn(console, "error"), vi.spyOn(console, "warn"), vi.spyOn(console, "log")];
    for (const spy of log) spy.mockImplementation(() => undefined);
    const name = await someNamespace();
    const lease = await acquire(name, {}, "my-own-key");
    const answers = [await ask(`/v1/leases/${name}`), await tryRenew(name, lease, { ttlMs: 1 })];
    await inDesk(name, (sql) =>
      sql.exec("CREATE TRIGGER t BEFORE UPDATE ON lease BEGIN SELECT RAISE(ABORT, 'full'); END"),
    );
    answers.push(await tryRenew(name, lease), await release(name, lease));
    await inDesk(name, (sql) => sql.exec("DROP TRIGGER t"));
    answers.push(await release(name, lease), await tryRenew(name, lease));
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 503, 503, 204, 409]);
    const said = JSON.stringify([
      answers.map(({ text, headers }) => [text, [...headers]]),
      log.map(({ mock }) => mock.calls),
    ]);
    expect(log.flatMap(({ mock }) => mock.calls)).toHaveLength(6);
    expect(said).not.toContain(lease.token);
    expect(said).not.toContain("my-own-key");
  });
});

describe("a browser", () => {
  it("may send the token and the Idempotency-Key, with all methods", async () => {
    const origin = "https://app.example";
    const bindings = { ...CLOSED, CORS_ORIGINS: origin };
    for (const [path, method] of [
      ["/v1/leases/default", "POST"],
      ["/v1/leases/default/512", "PUT"],
      ["/v1/leases/default/512", "DELETE"],
      ["/v1/namespaces/orders", "PATCH"],
    ] as const) {
      const headers = {
        origin,
        "access-control-request-method": method,
        "access-control-request-headers": "edgeflake-lease-token,idempotency-key",
      };
      const answer = await ask(path, { method: "OPTIONS", key: null, headers, bindings });
      expect(answer.status).toBe(204);
      const allowed = answer.headers.get("access-control-allow-headers")?.toLowerCase().split(",");
      expect(allowed).toEqual(expect.arrayContaining(["edgeflake-lease-token", "idempotency-key"]));
      expect(answer.headers.get("access-control-allow-methods")).toContain(method);
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    }
  });

  it.each([
    ["PATCH", "/v1/leases/default", "GET, POST"],
    ["POST", "/v1/leases/default/512", "PUT, DELETE"],
    ["GET", "/v1/leases/default/512", "PUT, DELETE"],
  ])("gets no response to %s %s", async (method, path, allow) => {
    const { status, headers } = await ask(path, { method });
    expect(status).toBe(405);
    const allowed = headers.get("allow")?.split(", ") ?? [];
    for (const one of allow.split(", ")) expect(allowed).toContain(one);
    expect(allowed).not.toContain(method);
  });
});
