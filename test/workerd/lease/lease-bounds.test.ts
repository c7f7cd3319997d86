/** E6 and E7 (core/lease/lease-desk) over HTTP: how long a lease may last, and how many worker IDs one API key may have. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { CLOSED, keyFor, put } from "../../support/admin.ts";
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

const DAY_MS = 86_400_000;
const FORBIDDEN = [403, "forbidden"];

useClock();

async function setPolicy(name: string, policy: Record<string, number>): Promise<void> {
  const { status, text } = await put(name, { kind: "snowflake", policy });
  if (status !== 200) throw new Error(`no policy: ${text}`);
}

/** A key with the scope lease, as the bearer of requests. */
async function holder(): Promise<{ key: string; id: string }> {
  return await keyFor({ scopes: ["lease"] });
}

describe("E7 a lease", () => {
  it("lasts at most 10 min by default", async () => {
    await namespaceWith("usual", 2);
    const tooLong = { field: "ttlMs", min: 5000, max: 600_000 };
    const refused = await tryAcquire("usual", { ttlMs: 600_001 });
    expect(outcomeOf(refused)).toEqual([400, "invalid_body"]);
    expect(refused.body.errors).toMatchObject([tooLong]);
    expect(await list("usual")).toEqual([]);
    const lease = await acquire("usual", { ttlMs: 600_000 });
    const renewal = await tryRenew("usual", lease, { ttlMs: 600_001 });
    expect(outcomeOf(renewal)).toEqual([400, "invalid_body"]);
    expect(renewal.body.errors).toMatchObject([tooLong]);
    expect((await renew("usual", lease)).ttlMs).toBe(600_000);
  });

  it.each([5000, 20_000, DAY_MS])("lasts as long as a policy of %i ms allows", async (mostMs) => {
    const name = await namespaceWith(`most-${mostMs}`, 2, {}, { leaseTtlMaxMs: mostMs });
    const longer = await tryAcquire(name, { ttlMs: mostMs + 1 });
    expect(outcomeOf(longer)).toEqual([400, "invalid_body"]);
    expect((await acquire(name, { ttlMs: mostMs })).notAfter).toBe(START_MS + mostMs);
  });

  it("without a length is shortened to the bound", async () => {
    await namespaceWith("short", 1, {}, { leaseTtlMaxMs: 20_000 });
    const lease = await acquire("short");
    expect([lease.ttlMs, lease.notAfter]).toEqual([20_000, START_MS + 20_000]);
  });

  it("that is held keeps its end if the bound falls, and is renewed within the new bound", async () => {
    await namespaceWith("falls", 1, {}, { leaseTtlMaxMs: DAY_MS });
    const lease = await acquire("falls", { ttlMs: DAY_MS });
    await setPolicy("falls", { leaseTtlMaxMs: 5000 });
    const renewed = await renew("falls", lease);
    expect([renewed.ttlMs, renewed.notAfter]).toEqual([5000, lease.notAfter]);
  });
});

describe("E6 the worker IDs of one API key", () => {
  it("are half of the worker IDs for leases; a request for one more is rejected, and says what to do", async () => {
    await namespaceWith("half", 3);
    const { key } = await holder();
    await acquire("half", { ttlMs: 60_000 }, undefined, { key });
    await acquire("half", { ttlMs: 20_000 }, undefined, { key });
    clock.step(1500);
    const refused = await tryAcquire("half", {}, undefined, { key });
    expect(outcomeOf(refused)).toEqual(FORBIDDEN);
    expect(refused.body).toMatchObject({ retryAfterMs: 18_500, definite: true });
    expect(refused.headers.get("retry-after")).toBe("19");
    expect(refused.body.detail).toContain("2 of at most 2");
    expect(refused.body.detail).toContain("policy.leasesPerKeyMax");
    expect(await list("half")).toHaveLength(2);
  });

  it("leave the rest to other keys, and have no limit for an administrator", async () => {
    await namespaceWith("others", 3);
    const [one, other] = [await holder(), await holder()];
    for (const { key } of [one, one, other]) await acquire("others", {}, undefined, { key });
    expect(outcomeOf(await tryAcquire("others", {}, undefined, { key: one.key }))).toEqual(
      FORBIDDEN,
    );
    expect((await acquire("others")).worker).toBe(7);
    await namespaceWith("admins", 3);
    const admin = await keyFor({ scopes: ["admin"] });
    for (const _ of "1234") await acquire("admins", {}, undefined, { key: admin.key });
    const full = await tryAcquire("admins", {}, undefined, { key: admin.key });
    expect(outcomeOf(full)).toEqual([503, "no_worker_free"]);
    await namespaceWith("opened", 2);
    const open = { key: null, bindings: { ...env, ACCESS: "open" } };
    for (const _ of "12") await acquire("opened", {}, undefined, open);
  });

  it("count while their ticks may have been used, released or not, through restarts", async () => {
    await namespaceWith("loop", 3);
    const { key } = await holder();
    for (const turn of [0, 1]) {
      const lease = await acquire("loop", { ttlMs: 5000 }, undefined, { key });
      if (turn === 0) await release("loop", lease, "", { key });
      else await release("loop", lease, "?revoke=true");
    }
    await restart("loop");
    expect(outcomeOf(await tryAcquire("loop", {}, undefined, { key }))).toEqual(FORBIDDEN);
    clock.step(4999);
    expect((await tryAcquire("loop", {}, undefined, { key })).body.retryAfterMs).toBe(1);
    clock.step(1);
    await acquire("loop", {}, undefined, { key });
  });

  it("are fewer as soon as a holder says which ticks it did not use", async () => {
    await namespaceWith("until", 2);
    const { key } = await holder();
    for (const _ of "123") {
      const lease = await acquire("until", {}, undefined, { key });
      const query = `?until=${lease.notBefore}`;
      const released = await release("until", lease, query, { key });
      expect(released.status).toBe(204);
    }
  });

  it("are not exceeded by renewals of leases that are past their end", async () => {
    await namespaceWith("late", 3);
    const { key } = await holder();
    const acquired = () => acquire("late", { ttlMs: 5000 }, undefined, { key });
    const renewed = (lease: HeldLease) => tryRenew("late", lease, undefined, { key });
    const first = [await acquired(), await acquired()];
    clock.step(5000);
    const second = [await acquired(), await acquired()];
    for (const lease of first) expect(outcomeOf(await renewed(lease))).toEqual(FORBIDDEN);
    for (const lease of second) expect((await renewed(lease)).status).toBe(200);
    clock.step(5000);
    for (const lease of first) expect((await renewed(lease)).status).toBe(200);
    for (const lease of second) expect(outcomeOf(await renewed(lease))).toEqual(FORBIDDEN);
  });

  it("count for the key that acquired them, even if another key renews", async () => {
    await namespaceWith("rotated", 2);
    const [old, young] = [await holder(), await holder()];
    const lease = await acquire("rotated", {}, undefined, { key: old.key });
    await renew("rotated", lease, undefined, { key: young.key });
    expect(await list("rotated")).toMatchObject([{ owner: old.id }]);
    await acquire("rotated", {}, undefined, { key: young.key });
    expect(outcomeOf(await tryAcquire("rotated", {}, undefined, { key: old.key }))).toEqual(
      FORBIDDEN,
    );
  });

  it("are limited by the policy, from 1 to all", async () => {
    await namespaceWith("policy", 2, {}, { leasesPerKeyMax: 1 });
    const { key } = await holder();
    await acquire("policy", {}, "one", { key });
    expect((await acquire("policy", {}, "one", { key })).worker).toBe(2);
    expect(outcomeOf(await tryAcquire("policy", {}, "two", { key }))).toEqual(FORBIDDEN);
    await setPolicy("policy", { leasesPerKeyMax: 2 });
    await acquire("policy", {}, "two", { key });
    const full = await tryAcquire("policy", {}, "three", { key });
    expect(outcomeOf(full)).toEqual(FORBIDDEN);
  });

  it("are at least one, if the layout has one worker ID for leases or none", async () => {
    const { key } = await holder();
    await namespaceWith("one", 1);
    expect((await acquire("one", {}, undefined, { key })).worker).toBe(1);
    await namespaceWith("none", 0);
    const none = await tryAcquire("none", {}, undefined, { key });
    expect(outcomeOf(none)).toEqual([503, "no_worker_free"]);
  });
});

describe("the owner of a lease", () => {
  it("is listed for administrators only", async () => {
    await namespaceWith("owned", 3);
    const { key, id } = await holder();
    await acquire("owned", {}, undefined, { key });
    await acquire("owned");
    expect(await list("owned")).toMatchObject([{ owner: id }, { owner: "admin" }]);
    const seen = await list("owned", "", { key });
    expect(seen.map((lease) => "owner" in lease)).toEqual([false, false]);
  });
});

describe("a desk from a version without owners", () => {
  /** Takes away the columns that were added since, and their index. */
  const age = (name: string) =>
    inDesk(name, (sql) => {
      sql.exec("DROP INDEX leaseOwner");
      sql.exec("ALTER TABLE lease DROP COLUMN owner");
      sql.exec("ALTER TABLE lease DROP COLUMN askedTtlMs");
    });

  it("opens: its leases keep their fences, tokens and keys, and get an owner when renewed", async () => {
    await namespaceWith("old", 3);
    const { key, id } = await holder();
    const one = await acquire("old", { ttlMs: 20_000 }, "key", { key });
    const other = await acquire("old", { ttlMs: 20_000 });
    await age("old");
    await restart("old");
    expect(await list("old")).toEqual([
      { worker: 4, holder: "unnamed", state: "held", ...END_20_S },
      { worker: 5, holder: "unnamed", state: "held", ...END_20_S },
    ]);
    const again = await acquire("old", { ttlMs: 20_000 }, "key", { key });
    expect(again.token).toBe(one.token);
    await renew("old", one, undefined, { key });
    expect((await release("old", other)).status).toBe(204);
    expect(await list("old")).toMatchObject([{ owner: id }, { state: "released" }]);
    await acquire("old", {}, undefined, { key });
    expect(outcomeOf(await tryAcquire("old", {}, undefined, { key }))).toEqual(FORBIDDEN);
  });
});

const END_20_S = {
  notBefore: START_MS,
  notAfter: START_MS + 20_000,
  leftMs: 20_000,
  restedMs: 0,
};

describe("E1 all worker IDs, leased for a day and revoked", () => {
  it("are leased to nobody before their old ends, under any later policy", async () => {
    await namespaceWith("day", 10, {}, { leaseTtlMaxMs: DAY_MS });
    for (let index = 0; index < 512; index += 1) await acquire("day", { ttlMs: DAY_MS });
    const leases = await Promise.all(
      [0, 1, 2, 3, 4, 5].map((page) => list("day", `?cursor=${512 + page * 100}`)),
    );
    for (const { worker } of leases.flat()) {
      const revoked = await release("day", { worker }, "?revoke=true");
      expect(revoked.status).toBe(204);
    }
    await setPolicy("day", {});
    await restart("day");
    for (const stepMs of [0, 600_000, DAY_MS - 600_001]) {
      clock.step(stepMs);
      expect(outcomeOf(await tryAcquire("day"))).toEqual([503, "no_worker_free"]);
    }
    clock.step(1);
    const next = await acquire("day", { ttlMs: 5000 });
    expect([next.worker, next.notBefore]).toEqual([512, START_MS + DAY_MS]);
  });
});

describe("the rate limit", () => {
  it("counts one ID for an acquire, and none for a renewal or a release", async () => {
    await namespaceWith("charged", 2);
    const { key, id } = await holder();
    const charges: unknown[] = [];
    let success = true;
    const LIMITER = {
      limit: async (charge: unknown) => {
        charges.push(charge);
        return { success };
      },
    };
    const asked = { key, bindings: { ...CLOSED, LIMITER } };
    const lease = await acquire("charged", {}, undefined, asked);
    expect(charges).toEqual([{ key: `key:${id}`, delta: 1 }]);
    success = false;
    const limited = await tryAcquire("charged", {}, undefined, asked);
    expect(outcomeOf(limited)).toEqual([429, "rate_limited"]);
    expect(charges).toHaveLength(2);
    await renew("charged", lease, undefined, asked);
    expect((await release("charged", lease, "", asked)).status).toBe(204);
    expect(charges).toHaveLength(2);
    expect(await list("charged")).toHaveLength(1);
  });
});
