/** The desk's own invariants K1, K2 and K4 (objects/leases), and E1 to E8 on the real object as in the model. */

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { FROZEN_CLOCK_MS } from "../../../src/core/limits.ts";
import { NO_ECHO } from "../../../src/core/line/object-clock.ts";
import { Leases } from "../../../src/objects/leases.ts";
import { CLOSED } from "../../support/admin.ts";
import { clock, START_MS, useClock } from "../../support/clock.ts";
import {
  acquire,
  deskOf,
  inDesk,
  layoutWith,
  list,
  namespaceWith,
  outcomeOf,
  release,
  TERMS,
  tryAcquire,
  tryRenew,
} from "../../support/leases.ts";
import { play, scripts, specs, startOf } from "../../support/models/lease-script.ts";

const MODEL_RUNS = 150;

useClock();

/** Everything that the desk keeps. */
function rowsOf(name: string): Promise<unknown[]> {
  return inDesk(name, (sql) => sql.exec("SELECT * FROM lease ORDER BY worker").toArray());
}

function breakWrites(name: string, event: string): Promise<unknown> {
  return inDesk(name, (sql) => {
    sql.exec(
      `CREATE TRIGGER broken BEFORE ${event} ON lease BEGIN SELECT RAISE(ABORT, 'disk full'); END`,
    );
  });
}

describe("K1 a write that fails", () => {
  beforeEach(() => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
  });

  it("grants no lease, and changes no lease", async () => {
    await namespaceWith("full", 2);
    await acquire("full", { ttlMs: 5000 }, "key");
    clock.step(5000);
    await breakWrites("full", "INSERT");
    for (const key of [undefined, "other"]) {
      const failed = await tryAcquire("full", {}, key);
      expect(outcomeOf(failed)).toEqual([503, "shard_unavailable"]);
      expect(failed.body.definite).toBe(false);
      expect(failed.text).not.toContain("disk full");
    }
    expect(await list("full")).toMatchObject([{ worker: 2, notAfter: START_MS + 5000 }]);
    await inDesk("full", (sql) => sql.exec("DROP TRIGGER broken"));
    expect(await acquire("full")).toMatchObject({ worker: 3, notBefore: START_MS + 5000 });
  });

  it("of a first lease leaves no lease", async () => {
    await namespaceWith("first", 1);
    await acquire("first");
    await inDesk("first", (sql) => sql.exec("DELETE FROM lease; DELETE FROM desk"));
    await breakWrites("first", "INSERT");
    expect(outcomeOf(await tryAcquire("first"))).toEqual([503, "shard_unavailable"]);
    expect(await list("first")).toEqual([]);
    await inDesk("first", (sql) => sql.exec("DROP TRIGGER broken"));
    expect((await acquire("first")).worker).toBe(1);
  });

  it("neither renews nor releases", async () => {
    await namespaceWith("stuck", 1);
    const lease = await acquire("stuck");
    const before = await rowsOf("stuck");
    await breakWrites("stuck", "UPDATE");
    clock.step(10_000);
    expect(outcomeOf(await tryRenew("stuck", lease))).toEqual([503, "shard_unavailable"]);
    expect(outcomeOf(await release("stuck", lease))).toEqual([503, "shard_unavailable"]);
    expect(await rowsOf("stuck")).toEqual(before);
  });
});

describe("a call whose response is lost", () => {
  /** Desks whose first answer is lost; with `overloaded`, the platform's refusal. */
  function losing(error: Error) {
    let calls = 0;
    const lose = async <Reply>(reply: () => Promise<Reply>): Promise<Reply> => {
      calls += 1;
      const answer = await reply();
      if (calls === 1) throw error;
      return answer;
    };
    const getByName = (name: string) => {
      const desk = deskOf(name);
      return {
        acquire: (...call: Parameters<Leases["acquire"]>) =>
          lose(async () => await desk.acquire(...call)),
        release: (...call: Parameters<Leases["release"]>) =>
          lose(async () => await desk.release(...call)),
      };
    };
    return { ...CLOSED, LEASES: { getByName } } as unknown as Env;
  }

  it.each([undefined, "key"])("leases one worker ID, the Idempotency-Key %s", async (key) => {
    const name = await namespaceWith(`lost-${key}`, 2);
    const lease = await acquire(name, {}, key, { bindings: losing(new Error("reset")) });
    expect(await list(name)).toMatchObject([{ worker: lease.worker }]);
  });

  it("releases once", async () => {
    await namespaceWith("lost-release", 1);
    const lease = await acquire("lost-release");
    const asked = { bindings: losing(new Error("reset")) };
    expect((await release("lost-release", lease, "?until=0", asked)).status).toBe(204);
  });

  it("because of the desk's full queue is not repeated", async () => {
    await namespaceWith("queue", 2);
    const overloaded = Object.assign(new Error("overloaded"), { overloaded: true });
    const refused = await tryAcquire("queue", {}, "key", { bindings: losing(overloaded) });
    expect(outcomeOf(refused)).toEqual([503, "shard_overloaded"]);
    expect(refused.headers.get("retry-after")).toBe("1");
  });
});

describe("K2 two instances alive on one storage", () => {
  it("lease no worker ID twice, and each sees the other's leases", async () => {
    const spec = layoutWith(2);
    await runInDurableObject(deskOf("two"), (_, state) => {
      const desks = [new Leases(state, env), new Leases(state, env)];
      const input = { holder: "", ttlMs: 5000, terms: TERMS };
      const ask = (desk: number, idempotencyKey: string) =>
        desks[desk]?.acquire(spec, { ...input, idempotencyKey }, Date.now(), NO_ECHO);
      const one = ask(0, "a");
      if (!one?.ok) throw new Error("not leased");
      expect(ask(1, "a")).toMatchObject({ ok: true, lease: one.lease });
      expect(ask(1, "b")).toMatchObject({ lease: { worker: 3 } });
      expect(ask(0, "c")).toMatchObject({ refusal: { code: "no_worker_free" } });
      const { token } = one.lease;
      const back = { worker: 2, token, untilTick: one.lease.notBeforeTick };
      expect(desks[1]?.release(spec, back)).toMatchObject({ ok: true });
      const lost = { refusal: { code: "lease_lost" } };
      const renewal = { worker: 2, token, ttlMs: undefined, terms: TERMS };
      expect(desks[0]?.renew(spec, renewal, Date.now(), NO_ECHO)).toMatchObject(lost);
      expect(ask(0, "c")).toMatchObject({ lease: { worker: 2 } });
      expect(desks[1]?.release(spec, back)).toMatchObject(lost);
    });
  });

  it("with different layouts: the second is refused by the first one's stored layout", async () => {
    await runInDurableObject(deskOf("differ"), (_, state) => {
      const [old, young] = [new Leases(state, env), new Leases(state, env)];
      const input = { holder: "", ttlMs: 5000, idempotencyKey: "a", terms: TERMS };
      expect(young.page(layoutWith(1), 0, 1)).toMatchObject({ ok: true });
      expect(old.acquire(layoutWith(2), input, Date.now(), NO_ECHO)).toMatchObject({ ok: true });
      const conflict = { refusal: { code: "layout_conflict" } };
      expect(young.acquire(layoutWith(1), input, Date.now(), NO_ECHO)).toMatchObject(conflict);
      expect(young.page(layoutWith(1), 0, 1)).toMatchObject(conflict);
    });
  });
});

it("K4 a desk whose clock is proved to be frozen ends, and the next one leases", async () => {
  await runInDurableObject(deskOf("still"), (_, state) => {
    const abort = vi.fn();
    Object.defineProperty(state, "abort", { value: abort });
    const [old, young] = [new Leases(state, env), new Leases(state, env)];
    const backMs = START_MS - 900_000;
    const input = { holder: "", ttlMs: 5000, terms: TERMS };
    const ask = (desk: Leases, idempotencyKey: string, callerMs: number, echo = NO_ECHO) =>
      desk.acquire(layoutWith(2), { ...input, idempotencyKey }, callerMs, echo);
    expect(ask(old, "a", START_MS)).toMatchObject({ ok: true });
    const refused = ask(old, "b", backMs);
    expect(refused).toMatchObject({ refusal: { code: "clock_disagreement" } });
    const { instance, nowMs } = refused.clock;
    const echo = { instance, leastMs: nowMs + FROZEN_CLOCK_MS };
    expect(() => ask(old, "b", backMs + FROZEN_CLOCK_MS, echo)).toThrow("is frozen");
    expect(abort).toHaveBeenCalledOnce();
    clock.set(backMs + FROZEN_CLOCK_MS);
    const next = ask(young, "b", backMs + FROZEN_CLOCK_MS, echo);
    expect(next).toMatchObject({ ok: true, lease: { worker: 3 } });
  });
});

it("E1 E2 E3 E4 E5 E6 E7 E8 K2 hold on the real object, with any clocks", async () => {
  const samples = fc.sample(fc.tuple(specs, scripts), { numRuns: MODEL_RUNS, seed: 20_260_601 });
  const now = { nowMs: 0 };
  vi.spyOn(Date, "now").mockImplementation(() => now.nowMs);
  for (const [index, [spec, script]] of samples.entries()) {
    const stub = deskOf(`model-${index}`);
    await runInDurableObject(stub, (_, state) => {
      // The object that the test itself runs in stays alive.
      Object.defineProperty(state, "abort", { value: () => undefined });
      now.nowMs = startOf(spec);
      play({ spec, clock: now, start: () => new Leases(state, env) }, script);
    });
    await evictDurableObject(stub);
  }
});
