/** The lease desk over HTTP, on real SQLite with a new instance in between: what a lease is, and E1 (core/lease/lease-desk). */
import { describe, expect, it } from "vitest";
import { ask } from "../../support/admin.ts";
import { clock, START_MS, useClock } from "../../support/clock.ts";
import {
  acquire,
  layoutWith,
  list,
  namespaceWith,
  outcomeOf,
  release,
  restart,
  tryAcquire,
} from "../../support/leases.ts";

const YEAR_MS = 365 * 86_400_000;

useClock();

describe("a lease", () => {
  it("has all that its holder needs", async () => {
    await namespaceWith("whole", 2);
    const { status, body, headers } = await tryAcquire("whole", { holder: "pod-7", ttlMs: 60_001 });
    expect(status).toBe(201);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toMatchObject({
      namespace: "whole",
      worker: 2,
      holder: "pod-7",
      ttlMs: 60_001,
      notBefore: START_MS,
      notAfter: START_MS + 60_001,
      renewAfter: START_MS + 30_001,
      now: START_MS,
      layout: layoutWith(2),
      policy: { maxWaitMs: 250 },
    });
    expect(body.token).toMatch(/^[\w-]{32}$/);
  });

  it("lasts a minute and has no holder by default", async () => {
    await namespaceWith("plain", 1);
    expect(await acquire("plain")).toMatchObject({
      holder: "unnamed",
      ttlMs: 60_000,
      notAfter: START_MS + 60_000,
    });
  });

  it.each([5000, 600_000])("may last %i ms", async (ttlMs) => {
    await namespaceWith(`lasts-${ttlMs}`, 1);
    expect((await acquire(`lasts-${ttlMs}`, { ttlMs })).notAfter).toBe(START_MS + ttlMs);
  });

  it.each([10, 1000])("of a layout with ticks of %i ms has whole ticks", async (tickMs) => {
    const name = await namespaceWith(`ticks-${tickMs}`, 1, { tickMs, timestampBits: 40 });
    const tickStart = (ms: number) => Math.floor(ms / tickMs) * tickMs;
    clock.step(tickMs - 1);
    const lease = await acquire(name, { ttlMs: 5003 });
    expect(lease.notBefore).toBe(START_MS);
    expect(lease.notAfter).toBe(tickStart(START_MS + tickMs - 1 + 5003));
    expect(await list(name)).toMatchObject([{ leftMs: lease.notAfter - START_MS - tickMs + 1 }]);
    // The tick that `until` lies in may have been stamped.
    await release(name, lease, `?until=${START_MS + tickMs + 1}`);
    expect(await list(name)).toMatchObject([{ notAfter: START_MS + 2 * tickMs }]);
    clock.step(1);
    const retry = await tryAcquire(name);
    expect(retry.body).toMatchObject({ code: "no_worker_free", retryAfterMs: tickMs });
    clock.step(tickMs);
    expect((await acquire(name)).notBefore).toBe(START_MS + 2 * tickMs);
  });

  it("is listed with its state and its rest, without its token", async () => {
    await namespaceWith("listed", 3);
    const held = await acquire("listed", { holder: "a" });
    const expired = await acquire("listed", { holder: "b", ttlMs: 5000 });
    const released = await acquire("listed", { holder: "c" });
    await release("listed", released, `?until=${START_MS + 1}`);
    clock.step(6000);
    const { text } = await ask("/v1/leases/listed");
    for (const { token } of [held, expired, released]) expect(text).not.toContain(token);
    const begin = { owner: "admin", notBefore: START_MS };
    expect(await list("listed")).toEqual([
      { worker: 4, holder: "a", state: "held", ...begin, ...ends(60_000, 54_000, 0) },
      { worker: 5, holder: "b", state: "expired", ...begin, ...ends(5000, 0, 1000) },
      { worker: 6, holder: "c", state: "released", ...begin, ...ends(1, 0, 5999) },
    ]);
  });
});

function ends(lastedMs: number, leftMs: number, restedMs: number) {
  return { notAfter: START_MS + lastedMs, leftMs, restedMs };
}

describe("E1 the next lease of a worker ID", () => {
  it("begins at the last one's end or later, through restarts", async () => {
    await namespaceWith("handover", 1);
    let last = await acquire("handover", { ttlMs: 5000 });
    for (const waitMs of [5000, 5001, 100_000]) {
      clock.step(waitMs - 1);
      await restart("handover");
      if (waitMs === 5000) {
        const early = await tryAcquire("handover");
        expect(outcomeOf(early)).toEqual([503, "no_worker_free"]);
        expect(early.body.retryAfterMs).toBe(1);
      }
      clock.step(1);
      const next = await acquire("handover", { ttlMs: 5000 });
      expect(next.worker).toBe(last.worker);
      expect(next.notBefore).toBeGreaterThanOrEqual(last.notAfter);
      expect(next.token).not.toBe(last.token);
      last = next;
    }
  });

  it.each([1, 3_600_000, YEAR_MS])("waits if the clock went back %i ms", async (backMs) => {
    const name = await namespaceWith(`back-${backMs}`, 1);
    const { notAfter } = await acquire(name, { ttlMs: 5000 });
    clock.step(5000 - backMs);
    await restart(name);
    const refused = await tryAcquire(name);
    expect(refused.body).toMatchObject({ code: "no_worker_free", retryAfterMs: backMs });
    clock.step(backMs);
    expect((await acquire(name)).notBefore).toBe(notAfter);
  });

  it("gets the worker ID that rested longest, unused ones first", async () => {
    await namespaceWith("rest", 3);
    const first = await acquire("rest", { ttlMs: 20_000 });
    const second = await acquire("rest", { ttlMs: 5000 });
    await release("rest", first, `?until=${START_MS + 9000}`);
    clock.step(50_000);
    expect((await acquire("rest", { ttlMs: 5000 })).worker).toBe(6);
    expect((await acquire("rest", { ttlMs: 80_000 })).worker).toBe(7);
    const { worker } = await acquire("rest", { ttlMs: 80_000 });
    expect([second.worker, worker]).toEqual([5, 5]);
    expect((await acquire("rest", { ttlMs: 80_000 })).worker).toBe(4);
    clock.step(4999);
    expect(outcomeOf(await tryAcquire("rest"))).toEqual([503, "no_worker_free"]);
    clock.step(1);
    expect((await acquire("rest")).worker).toBe(6);
  });
});
