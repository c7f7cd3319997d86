/** E4 (core/lease/lease-desk) and K3 (objects/leases) over HTTP: clocks that disagree, and layouts that do. */
import { describe, expect, it } from "vitest";
import { ask } from "../../support/admin.ts";
import { clock, START_MS, useClock } from "../../support/clock.ts";
import {
  acquire,
  aheadBy,
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

const YEAR_MS = 365 * 86_400_000;

useClock();

describe("E4 a desk's clock", () => {
  it("that is 60 s ahead of its caller's leases and renews", async () => {
    await namespaceWith("ahead", 1);
    const { bindings, calls } = aheadBy(60_000);
    const lease = await acquire("ahead", {}, undefined, { bindings });
    await renew("ahead", lease, undefined, { bindings });
    expect(calls).toEqual(["acquire", "renew"]);
  });

  it("that is further ahead refuses both, also when repeated, and nothing changes", async () => {
    await namespaceWith("farther", 2);
    const lease = await acquire("farther");
    clock.step(1000);
    const { bindings, calls } = aheadBy(60_001);
    const refused = await tryAcquire("farther", {}, undefined, { bindings });
    expect(outcomeOf(refused)).toEqual([503, "clock_disagreement"]);
    expect(refused.headers.get("retry-after")).toBe("1");
    const renewal = await tryRenew("farther", lease, undefined, { bindings });
    expect(outcomeOf(renewal)).toEqual([503, "clock_disagreement"]);
    expect(calls).toEqual(["acquire", "acquire", "renew", "renew"]);
    expect(await list("farther")).toMatchObject([{ worker: 2, notAfter: lease.notAfter }]);
    expect((await release("farther", lease, "", { bindings })).status).toBe(204);
  });

  it("that agrees when read again grants leases", async () => {
    await namespaceWith("anew", 1);
    let reads = 0;
    const { bindings, calls } = aheadBy(() => {
      reads += 1;
      return reads === 1 ? YEAR_MS : 0;
    });
    await acquire("anew", {}, undefined, { bindings });
    expect(calls).toEqual(["acquire", "acquire"]);
  });

  it("that jumps a year ahead and back leases nothing twice and poisons no worker ID", async () => {
    await namespaceWith("jump", 2);
    const one = await acquire("jump", { ttlMs: 5000 }, "key-1");
    const two = await acquire("jump", { ttlMs: 5000 });
    clock.step(YEAR_MS);
    const { bindings } = aheadBy(YEAR_MS);
    for (const key of ["key-1", undefined]) {
      const refused = await tryAcquire("jump", {}, key, { bindings });
      expect(outcomeOf(refused)).toEqual([503, "clock_disagreement"]);
    }
    const renewal = await tryRenew("jump", two, undefined, { bindings });
    expect(outcomeOf(renewal)).toEqual([503, "clock_disagreement"]);
    clock.step(-YEAR_MS);
    expect((await acquire("jump", { ttlMs: 5000 }, "key-1")).token).toBe(one.token);
    expect(outcomeOf(await tryAcquire("jump"))).toEqual([503, "no_worker_free"]);
    clock.step(5000);
    const next = [await acquire("jump"), await acquire("jump")];
    expect(next.map(({ worker }) => worker)).toEqual([one.worker, two.worker]);
    for (const { notBefore } of next) expect(notBefore).toBe(one.notAfter);
  });

  it.each([
    ["before the epoch", -1, "clock_before_epoch"],
    ["past the last tick", 2 ** 30, "timestamp_exhausted"],
  ])("%s leases and renews nothing", async (_, ms, code) => {
    const name = await namespaceWith(code.replace("_", "-"), 2, {
      epochMs: START_MS,
      timestampBits: 30,
    });
    const lease = await acquire(name);
    clock.step(ms);
    expect(outcomeOf(await tryAcquire(name))).toEqual([500, code]);
    expect(outcomeOf(await tryRenew(name, lease))).toEqual([500, code]);
    expect(await list(name)).toMatchObject([{ notAfter: lease.notAfter }]);
  });
});

describe("K3 the layout", () => {
  it("is that of the first lease: every call with another layout is refused, and changes nothing", async () => {
    await namespaceWith("layout", 2);
    expect(await list("layout")).toEqual([]);
    const lease = await acquire("layout");
    await inDesk("layout", (sql) => sql.exec("UPDATE desk SET fingerprint = 'other'"));
    await restart("layout");
    for (const answer of [
      await tryAcquire("layout"),
      await tryRenew("layout", lease),
      await release("layout", lease),
      await release("layout", lease, "?revoke=true"),
      await ask("/v1/leases/layout"),
    ]) {
      expect(outcomeOf(answer)).toEqual([409, "layout_conflict"]);
    }
    const rows = await inDesk("layout", (sql) => sql.exec("SELECT released FROM lease").toArray());
    expect(rows).toEqual([{ released: 0 }]);
  });
});
