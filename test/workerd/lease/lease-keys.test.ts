/** E8 and E3 (core/lease/lease-desk) over HTTP: whose lease it is, by key and by token. */
import { describe, expect, it } from "vitest";
import { keyFor, put } from "../../support/admin.ts";
import { clock, START_MS, useClock } from "../../support/clock.ts";
import {
  acquire,
  type HeldLease,
  inDesk,
  list,
  namespaceWith,
  outcomeOf,
  release,
  renew,
  restart,
  tryAcquire,
  tryRenew,
} from "../../support/leases.ts";

useClock();

/** The fences that the desk knows, [worker, notBefore, notAfter] in ms from the start. */
async function fencesOf(name: string): Promise<[number, number, number][]> {
  const leases = await list(name);
  return leases.map((one) => [one.worker, one.notBefore - START_MS, one.notAfter - START_MS]);
}

describe("E8 the same Idempotency-Key", () => {
  it("gets the same lease again while it is held, through restarts", async () => {
    await namespaceWith("same", 2);
    const one = await tryAcquire("same", { holder: "a", ttlMs: 5000 }, "key");
    await restart("same");
    const other = await tryAcquire("same", { holder: "a", ttlMs: 5000 }, "key");
    expect([other.status, other.text]).toEqual([201, one.text]);
    clock.step(4999);
    const late = await acquire("same", { holder: "a", ttlMs: 5000 }, "key");
    expect(late).toEqual({ ...one.body, now: START_MS + 4999 });
    expect(await list("same")).toHaveLength(1);
  });

  it("with another body is rejected, and reveals nothing about the lease", async () => {
    const name = await namespaceWith("other-body", 3);
    const first = { holder: "pod-a", ttlMs: 60_000 };
    const lease = await acquire(name, first, "boot");
    for (const other of [
      { ...first, holder: "pod-b" },
      { ...first, ttlMs: 60_001 },
      { ttlMs: 60_000 },
      {},
    ]) {
      const refused = await tryAcquire(name, other, "boot");
      expect(outcomeOf(refused)).toEqual([409, "idempotency_conflict"]);
      expect(refused.text).not.toContain(lease.token);
      expect(refused.text).not.toContain("pod-a");
    }
    expect(await list(name)).toHaveLength(1);
    // An omitted field equals its default.
    expect((await acquire(name, { holder: "pod-a" }, "boot")).token).toBe(lease.token);
  });

  it("is compared by the original body, also after renewals and new bounds", async () => {
    await namespaceWith("as-sent", 2);
    const lease = await acquire("as-sent", { ttlMs: 20_000 }, "key");
    await renew("as-sent", lease, { ttlMs: 30_000 });
    expect((await acquire("as-sent", { ttlMs: 20_000 }, "key")).ttlMs).toBe(30_000);
    const refused = await tryAcquire("as-sent", { ttlMs: 30_000 }, "key");
    expect(outcomeOf(refused)).toEqual([409, "idempotency_conflict"]);
    await namespaceWith("bounded", 2, {}, { leaseTtlMaxMs: 30_000 });
    const short = await acquire("bounded", {}, "key");
    await put("bounded", { kind: "snowflake", policy: { leaseTtlMaxMs: 20_000 } });
    expect((await acquire("bounded", {}, "key")).token).toBe(short.token);
  });

  it("gets the lease as renewed", async () => {
    await namespaceWith("renewed", 2);
    const lease = await acquire("renewed", { ttlMs: 5000 }, "key");
    clock.step(4000);
    const renewed = await renew("renewed", lease);
    clock.step(4000);
    const again = await acquire("renewed", { ttlMs: 5000 }, "key");
    expect(again).toEqual({ ...renewed, now: START_MS + 8000 });
  });

  it("keeps its lease if another acquire with the key failed half-way", async () => {
    await namespaceWith("half", 2);
    const lease = await acquire("half", { ttlMs: 5000 }, "key");
    clock.step(5000);
    const broken = "CREATE TRIGGER t BEFORE INSERT ON lease BEGIN SELECT RAISE(ABORT, 'full'); END";
    await inDesk("half", (sql) => sql.exec(broken));
    expect((await tryAcquire("half", { ttlMs: 5000 }, "key")).status).toBe(503);
    await inDesk("half", (sql) => sql.exec("DROP TRIGGER t"));
    const renewed = await renew("half", lease);
    expect(await acquire("half", { ttlMs: 5000 }, "key")).toEqual(renewed);
  });

  it("in concurrent requests gets one lease", async () => {
    await namespaceWith("burst", 3);
    const asked = Array.from({ length: 20 }, () => acquire("burst", {}, "key"));
    const tokens = (await Promise.all(asked)).map(({ token }) => token);
    expect(new Set(tokens).size).toBe(1);
    expect(await list("burst")).toHaveLength(1);
  });

  it("gets its lease even if all worker IDs are leased", async () => {
    await namespaceWith("taken", 1);
    const { token } = await acquire("taken", {}, "key");
    expect(outcomeOf(await tryAcquire("taken", {}, "other"))).toEqual([503, "no_worker_free"]);
    expect((await acquire("taken", {}, "key")).token).toBe(token);
  });

  it("of another caller gets another worker ID", async () => {
    await namespaceWith("callers", 3);
    const one = await keyFor({ scopes: ["lease"] });
    const other = await keyFor({ scopes: ["lease"] });
    const seen: HeldLease[] = [];
    for (const key of [one.key, other.key]) seen.push(await acquire("callers", {}, "k", { key }));
    seen.push(await acquire("callers", {}, "k"));
    expect(seen.map(({ worker }) => worker)).toEqual([4, 5, 6]);
    expect((await acquire("callers", {}, "k", { key: one.key })).token).toBe(seen[0]?.token);
  });

  it("in another namespace gets another lease", async () => {
    const tokens = new Set<string>();
    for (const name of ["here", "there"]) {
      tokens.add((await acquire(await namespaceWith(name, 1), {}, "key")).token);
    }
    expect(tokens.size).toBe(2);
  });

  it("any other acquire gets another worker ID, also with the same holder", async () => {
    await namespaceWith("others", 3);
    const asked = ["a", "A", "a ".trim().repeat(2), undefined].map((key) =>
      acquire("others", { holder: "pod-7" }, key),
    );
    const workers = (await Promise.all(asked)).map(({ worker }) => worker);
    expect(workers.sort()).toEqual([4, 5, 6, 7]);
    expect(outcomeOf(await tryAcquire("others", { holder: "pod-7" }))).toEqual([
      503,
      "no_worker_free",
    ]);
  });
});

describe("E8 a key whose lease is over", () => {
  it.each<[title: string, over: (name: string, lease: HeldLease) => Promise<unknown>]>([
    ["expired", async () => clock.step(5000)],
    ["released", (name, lease) => release(name, lease)],
    ["revoked", (name, lease) => release(name, lease, "?revoke=true")],
  ])("E1 for it %s: gets another lease, and the desk keeps the old fence", async (title, over) => {
    const name = await namespaceWith(`over-${title}`, 2);
    const lease = await acquire(name, { ttlMs: 5000 }, "key");
    await over(name, lease);
    await restart(name);
    const next = await acquire(name, { ttlMs: 60_000 }, "key");
    expect([next.worker, next.token]).not.toEqual([lease.worker, lease.token]);
    const begin = next.notBefore - START_MS;
    expect(await fencesOf(name)).toEqual([
      [2, 0, 5000],
      [3, begin, begin + 60_000],
    ]);
    const third = await tryAcquire(name, { ttlMs: 60_000 });
    if (title === "expired")
      expect(third.body).toMatchObject({ worker: 2, notBefore: START_MS + 5000 });
    else expect(third.body).toMatchObject({ code: "no_worker_free", retryAfterMs: 5000 });
    expect((await acquire(name, {}, "key")).token).toBe(next.token);
  });

  it("E1 gets the same worker ID from the old end on if no other is free", async () => {
    await namespaceWith("only", 1);
    const lease = await acquire("only", { ttlMs: 5000 }, "key");
    await release("only", lease, `?until=${START_MS + 2000}`);
    const early = await tryAcquire("only", {}, "key");
    expect(early.body).toMatchObject({ code: "no_worker_free", retryAfterMs: 2000 });
    clock.step(2000);
    const next = await acquire("only", {}, "key");
    expect([next.worker, next.notBefore]).toEqual([1, START_MS + 2000]);
    expect(outcomeOf(await tryRenew("only", lease))).toEqual([409, "lease_lost"]);
  });

  it("allows a renewal with the token, which blocks the worker ID for others", async () => {
    await namespaceWith("both", 2);
    const one = await acquire("both", { ttlMs: 5000 }, "key");
    clock.step(5000);
    const other = await acquire("both", { ttlMs: 5000 }, "key");
    expect((await renew("both", one)).notAfter).toBe(START_MS + 10_000);
    clock.step(4999);
    expect(outcomeOf(await tryAcquire("both"))).toEqual([503, "no_worker_free"]);
    expect((await acquire("both", { ttlMs: 5000 }, "key")).token).toBe(other.token);
  });

  it("gets another lease if the old one was overtaken", async () => {
    await namespaceWith("overtaken", 2);
    await acquire("overtaken", { ttlMs: 5000 }, "key");
    await acquire("overtaken", { ttlMs: 6000 });
    clock.step(6000);
    const overtaking = await acquire("overtaken", {});
    const again = await acquire("overtaken", {}, "key");
    expect([overtaking.worker, again.worker]).toEqual([2, 3]);
    const keys = await inDesk("overtaken", (sql) =>
      sql.exec("SELECT count(*) AS keyed FROM lease WHERE idempotencyKey LIKE '% key'").one(),
    );
    expect(keys).toEqual({ keyed: 1 });
  });
});

describe("E3 a lease", () => {
  const lostFor = async (name: string, lease: { worker: number; token: string }) => {
    expect(outcomeOf(await tryRenew(name, lease))).toEqual([409, "lease_lost"]);
    await restart(name);
    expect(outcomeOf(await tryRenew(name, lease, { ttlMs: 5000 }))).toEqual([409, "lease_lost"]);
  };

  it("that was overtaken is lost for good, even if the clock goes back", async () => {
    await namespaceWith("gone", 1);
    const lease = await acquire("gone", { ttlMs: 5000 });
    clock.step(5000);
    const next = await acquire("gone");
    await lostFor("gone", lease);
    expect(outcomeOf(await release("gone", lease))).toEqual([409, "lease_lost"]);
    clock.step(-4000);
    await lostFor("gone", lease);
    await release("gone", next, `?until=${next.notBefore}`);
    await lostFor("gone", lease);
    expect(outcomeOf(await release("gone", lease))).toEqual([409, "lease_lost"]);
    expect(await fencesOf("gone")).toEqual([[1, 5000, 5000]]);
  });

  it("that was released is lost for good", async () => {
    await namespaceWith("given", 1);
    const lease = await acquire("given");
    await release("given", lease);
    await lostFor("given", lease);
    clock.step(60_000);
    await lostFor("given", lease);
    expect((await release("given", lease)).status).toBe(204);
  });

  it("that was revoked is lost for good, and keeps its end despite any `until`", async () => {
    await namespaceWith("revoked", 1);
    const lease = await acquire("revoked");
    const both = await release("revoked", lease, `?revoke=true&until=${START_MS}`);
    expect(both).toMatchObject({ status: 400, body: { errors: [{ parameter: "until" }] } });
    const revoked = await release("revoked", { worker: 1 }, "?revoke=true");
    expect(revoked.status).toBe(204);
    await lostFor("revoked", lease);
    expect((await release("revoked", lease, `?until=${START_MS}`)).status).toBe(204);
    expect(await fencesOf("revoked")).toEqual([[1, 0, 60_000]]);
    expect(await list("revoked")).toMatchObject([{ state: "released" }]);
  });

  it.each<[title: string, tokenOf: (token: string) => string]>([
    ["another token", () => "x".repeat(32)],
    ["a shorter one", (token) => token.slice(0, -1)],
    ["a longer one", (token) => `${token}A`],
    ["another case", (token) => token.toUpperCase() + token.toLowerCase().slice(32)],
    ["a repeated token", (token) => `${token}, ${token}`],
    ["10 kB", () => "x".repeat(10_000)],
  ])("is not renewed by the token of %s", async (title, tokenOf) => {
    const name = await namespaceWith(`token-${title.replaceAll(/\W+/g, "-")}`, 1);
    const lease = await acquire(name);
    const guess = { worker: 1, token: tokenOf(lease.token) };
    expect(outcomeOf(await tryRenew(name, guess))).toEqual([409, "lease_lost"]);
    expect(outcomeOf(await release(name, guess))).toEqual([409, "lease_lost"]);
    expect((await renew(name, lease)).token).toBe(lease.token);
  });

  it.each([0, 1, 2, 3])(
    "E5 does not exist for worker ID %i, which nobody leased",
    async (worker) => {
      const name = await namespaceWith(`nobody-${worker}`, 2);
      const { token } = await acquire(name);
      if (worker === 2) return expect(await list(name)).toMatchObject([{ worker }]);
      expect(outcomeOf(await tryRenew(name, { worker, token }))).toEqual([409, "lease_lost"]);
      expect(outcomeOf(await release(name, { worker, token }))).toEqual([409, "lease_lost"]);
      const revoked = await release(name, { worker, token }, "?revoke=true");
      expect(outcomeOf(revoked)).toEqual([409, "lease_lost"]);
    },
  );
});
