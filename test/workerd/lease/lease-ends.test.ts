/** E2 (core/lease/lease-desk) over HTTP: how ends of leases move, on real SQLite with a new instance in between. */
import { describe, expect, it } from "vitest";
import { clock, START_MS, useClock } from "../../support/clock.ts";
import {
  acquire,
  list,
  namespaceWith,
  outcomeOf,
  release,
  renew,
  restart,
  tryAcquire,
} from "../../support/leases.ts";

const YEAR_MS = 365 * 86_400_000;

useClock();

describe("E2 an end", () => {
  it("moves up with a renewal, by the same length or a given one", async () => {
    await namespaceWith("up", 1, {}, { leaseTtlMaxMs: 86_400_000 });
    const lease = await acquire("up", { holder: "h", ttlMs: 10_000 });
    clock.step(4000);
    await restart("up");
    const renewed = await renew("up", lease);
    expect(renewed).toEqual({ ...lease, ...upTo(14_000, 5000), now: START_MS + 4000 });
    const longer = await renew("up", lease, { ttlMs: 86_400_000 });
    expect(longer).toMatchObject({ ttlMs: 86_400_000, ...upTo(86_404_000, 43_200_000) });
    const shorter = await renew("up", lease, { ttlMs: 5000 });
    expect(shorter).toMatchObject({ ttlMs: 5000, ...upTo(86_404_000, 2500) });
    expect((await renew("up", lease, {})).ttlMs).toBe(5000);
  });

  it("stays if the clock went back", async () => {
    await namespaceWith("stays", 1);
    const lease = await acquire("stays");
    clock.step(-YEAR_MS);
    expect((await renew("stays", lease)).notAfter).toBe(lease.notAfter);
  });

  it("that is past moves up, unless another lease has the worker ID", async () => {
    await namespaceWith("late", 1);
    const lease = await acquire("late", { ttlMs: 5000 });
    clock.step(YEAR_MS);
    const renewed = await renew("late", lease);
    expect(renewed).toMatchObject({
      notBefore: START_MS,
      notAfter: START_MS + YEAR_MS + 5000,
      token: lease.token,
    });
    expect(outcomeOf(await tryAcquire("late"))).toEqual([503, "no_worker_free"]);
  });

  it.each<[title: string, query: string, endsMs: number]>([
    ["stays if its holder gives no time", "", 60_000],
    ["falls to what was not stamped", `?until=${START_MS + 1}`, 1],
    ["falls to nothing", `?until=${START_MS}`, 0],
    ["falls no lower than its begin", `?until=${START_MS - 1}`, 0],
    ["falls no lower than its begin, of whatever instant", "?until=0", 0],
    ["does not grow", `?until=${START_MS + 60_001}`, 60_000],
    ["falls to an ISO 8601 instant", "?until=2026-06-01T00:00:01Z", 1000],
    ["falls to a date", "?until=2026-06-01", 0],
  ])("of a lease that is released %s", async (title, query, endsMs) => {
    const name = await namespaceWith(`ends-${title.replaceAll(/\W+/g, "-")}`, 1);
    const lease = await acquire(name);
    const answer = await release(name, lease, query);
    expect([answer.status, answer.text]).toEqual([204, ""]);
    await restart(name);
    const [listed] = await list(name);
    expect(listed).toMatchObject({ state: "released", notAfter: START_MS + endsMs });
    const next = await tryAcquire(name);
    if (endsMs === 0) expect(next.body).toMatchObject({ notBefore: START_MS, worker: 1 });
    else expect(next.body).toMatchObject({ code: "no_worker_free", retryAfterMs: endsMs });
  });

  it("of a lease that is released twice is the first release's", async () => {
    await namespaceWith("twice", 1);
    const lease = await acquire("twice");
    for (const until of [10_000, 5, 20_000]) {
      const { status } = await release("twice", lease, `?until=${START_MS + until}`);
      expect(status).toBe(204);
      expect(await list("twice")).toMatchObject([{ notAfter: START_MS + 10_000 }]);
    }
  });
});

function upTo(endsMs: number, restMs: number) {
  return { notAfter: START_MS + endsMs, renewAfter: START_MS + endsMs - restMs };
}
