/** Requests of one isolate that need the same thing of the registry at once: one of them reads, the others look for its answer. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ADMIN } from "../../../src/core/api-key.ts";
import {
  CACHE_TRUSTED_MS,
  READ_CLAIM_LAPSES_MS,
  READ_LOOK_MAX_MS,
  READ_WAIT_MAX_MS,
  REGISTRY_TIMEOUT_MS,
  STALL_GRACE_MS,
} from "../../../src/service/limits.ts";
import { createKey, findKey } from "../../../src/service/registry/keys.ts";
import { findNamespace } from "../../../src/service/registry/namespaces.ts";
import { RegistryCache } from "../../../src/service/registry/registry-cache.ts";
import {
  type RegistryBinding,
  RegistryUnavailableError,
} from "../../../src/service/registry/registry-call.ts";
import { ADMIN_KEY, put } from "../../support/admin.ts";
import { clock, START_MS, useClock } from "../../support/clock.ts";

/** As many as a busy isolate has at once. */
const MANY = 1000;
/** Enough requests: moving the timers of each takes real time. */
const SOME = 10;
const waitUntil = (_: Promise<unknown>) => undefined;
const hangs = () => new Promise<never>(() => undefined);

function many<Value>(ask: () => Promise<Value>): Promise<Value>[] {
  return Array.from({ length: MANY }, ask);
}

function some<Value>(ask: (index: number) => Promise<Value>): Promise<Value>[] {
  return Array.from({ length: SOME }, (_, index) => ask(index));
}

/** A registry that replaces the real one for reads. */
function registryOf(method: "namespace" | "keyByHash", read: (of: string) => Promise<unknown>) {
  const calls = vi.fn(read);
  const getByName = () => ({ [method]: calls });
  return { registry: { getByName } as unknown as RegistryBinding, calls };
}

const realNamespace = (name: string) => env.REGISTRY.getByName("registry").namespace(name);
const realKey = (hash: string) => env.REGISTRY.getByName("registry").keyByHash(hash);

describe("the real registry", () => {
  useClock();

  it("is asked for a namespace once, and again when the answer has expired", async () => {
    await put("read-once");
    const { registry, calls } = registryOf("namespace", realNamespace);
    for (const round of [1, 2]) {
      const found = await Promise.all(many(() => findNamespace(registry, "read-once", waitUntil)));
      expect(found.filter((namespace) => namespace?.name === "read-once")).toHaveLength(MANY);
      expect(calls).toHaveBeenCalledTimes(round);
      clock.step(CACHE_TRUSTED_MS + 1000);
    }
  });

  it("is asked for a key once, and charges only the request that asks", async () => {
    const made = await createKey(env.REGISTRY, { scopes: ["issue"] }, Date.now(), ADMIN);
    if (made.kind !== "created") throw new Error(made.kind);
    const { key, record } = made;
    const { registry, calls } = registryOf("keyByHash", realKey);
    const beforeAsking = vi.fn(async () => undefined);
    const hooks = { waitUntil, beforeAsking };
    for (const round of [1, 2]) {
      const found = await Promise.all(many(() => findKey(registry, ADMIN_KEY, key, hooks)));
      expect(found.filter((one) => one?.id === record.id)).toHaveLength(MANY);
      expect(calls).toHaveBeenCalledTimes(round);
      expect(beforeAsking).toHaveBeenCalledTimes(round);
      clock.step(CACHE_TRUSTED_MS + 1000);
    }
  });

  it("is asked for an unknown name once", async () => {
    const { registry, calls } = registryOf("namespace", realNamespace);
    const found = await Promise.all(many(() => findNamespace(registry, "nobody", waitUntil)));
    expect(found.every((namespace) => namespace === undefined)).toBe(true);
    expect(calls).toHaveBeenCalledTimes(1);
  });
});

describe("a read that is late or fails", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now: START_MS });
    vi.spyOn(scheduler, "wait").mockImplementation(
      (waitMs) => new Promise((resolve) => setTimeout(resolve, waitMs)),
    );
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const later = <Value>(ms: number, value: Value) => scheduler.wait(ms).then(() => value);
  const failsAfter = (ms: number, error: Error) =>
    scheduler.wait(ms).then((): never => {
      throw error;
    });
  const newCache = () => new RegistryCache<string>({ staleMaxMs: CACHE_TRUSTED_MS });
  /** How many of them ended which way. */
  async function countsOf(asked: readonly Promise<unknown>[]): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const result of await Promise.allSettled(asked)) {
      const { status } = result;
      const how = `${status === "fulfilled" ? result.value : result.reason.name}`;
      counts[how] = (counts[how] ?? 0) + 1;
    }
    return counts;
  }

  it("serves all waiting requests, at any time within the time-out", async () => {
    for (const value of ["late", undefined]) {
      const cache = newCache();
      const read = vi.fn(() => later(REGISTRY_TIMEOUT_MS, value));
      const counts = countsOf(some(() => cache.get("a", read, { waitUntil })));
      await pass(REGISTRY_TIMEOUT_MS + READ_LOOK_MAX_MS);
      expect(await counts).toEqual({ [`${value}`]: SOME });
      expect(read).toHaveBeenCalledTimes(1);
    }
  });

  it("of a cancelled request is taken over once when its claim has lapsed", async () => {
    const cache = newCache();
    void cache.get("a", hangs, { waitUntil });
    await pass(1);
    const read = vi.fn(() => later(100, "new"));
    const counts = countsOf(some(() => cache.get("a", read, { waitUntil })));
    await pass(READ_CLAIM_LAPSES_MS - 2);
    expect(read).not.toHaveBeenCalled();
    await pass(READ_WAIT_MAX_MS);
    expect(await counts).toEqual({ new: SOME });
    expect(read).toHaveBeenCalledTimes(1);
  });

  it("outlives the request that began it", async () => {
    const works: Promise<unknown>[] = [];
    const cache = newCache();
    void cache.get("a", () => later(100, "new"), { waitUntil: (work) => void works.push(work) });
    await pass(100);
    await Promise.all(works);
    expect(works).toHaveLength(1);
    expect(await cache.get("a", hangs, { waitUntil })).toBe("new");
  });

  it("is awaited for READ_WAIT_MAX_MS, even after a takeover, and then gives 503", async () => {
    const cache = newCache();
    const read = vi.fn(hangs);
    const asked = some(() => cache.get("a", read, { waitUntil }));
    // Two reads hang: the first, and its successor when the claim has lapsed.
    const counts = countsOf(asked.slice(2));
    await pass(READ_WAIT_MAX_MS + READ_LOOK_MAX_MS);
    expect(read).toHaveBeenCalledTimes(2);
    expect(await counts).toEqual({ RegistryUnavailableError: SOME - 2 });
  });

  it("fails for all waiting requests, and later requests read again", async () => {
    const cache = newCache();
    const fails = vi.fn(() => failsAfter(1000, new RegistryUnavailableError("down", false)));
    const failed = countsOf(some(() => cache.get("a", fails, { waitUntil })));
    await pass(1000 + READ_LOOK_MAX_MS);
    expect(await failed).toEqual({ RegistryUnavailableError: SOME });
    expect(fails).toHaveBeenCalledTimes(1);
    expect(await cache.get("a", async () => "new", { waitUntil })).toBe("new");
  });

  it("serves the cached answer to all waiting requests if it may still be used", async () => {
    const cache = new RegistryCache<string>({ staleMaxMs: 2 * CACHE_TRUSTED_MS });
    await cache.get("a", async () => "old", { waitUntil });
    await pass(CACHE_TRUSTED_MS);
    const fails = vi.fn(() => failsAfter(1000, new Error("down")));
    const counts = countsOf(some(() => cache.get("a", fails, { waitUntil })));
    await pass(1000 + READ_LOOK_MAX_MS);
    expect(await counts).toEqual({ old: SOME });
    expect(fails).toHaveBeenCalledTimes(1);
  });

  it("that began before a local change serves no waiting request", async () => {
    const cache = newCache();
    const asked = [
      cache.get("a", () => later(500, "old"), { waitUntil }),
      cache.get("a", async () => "new", { waitUntil }),
    ];
    await pass(100);
    cache.forget("a");
    await pass(1000);
    expect(await countsOf(asked.slice(1))).toEqual({ new: 1 });
    expect(await cache.get("a", hangs, { waitUntil })).toBe("new");
  });

  it("delays no request that may use the cache", async () => {
    const cache = newCache();
    await cache.get("a", async () => "old", { waitUntil });
    await pass(CACHE_TRUSTED_MS - 1);
    const read = vi.fn(hangs);
    const waits = vi.mocked(scheduler.wait).mock.calls.length;
    expect(await countsOf(some(() => cache.get("a", read, { waitUntil })))).toEqual({ old: SOME });
    expect(read).toHaveBeenCalledTimes(1);
    expect(scheduler.wait).toHaveBeenCalledTimes(waits);
  });

  it("ends at its time-out for all, of a registry that never answers", async () => {
    const { registry, calls } = registryOf("namespace", hangs);
    const counts = countsOf(some(() => findNamespace(registry, "hanging", waitUntil)));
    await pass(REGISTRY_TIMEOUT_MS + STALL_GRACE_MS + READ_LOOK_MAX_MS);
    expect(await counts).toEqual({ RegistryUnavailableError: SOME });
    expect(calls).toHaveBeenCalledTimes(1);
  });

  describe("because its request is over the lookup limit", () => {
    class LimitedError extends Error {
      override readonly name = "LimitedError";
    }
    const limit = () => failsAfter(10, new LimitedError());

    it("charges each waiting request by itself, and reads nothing", async () => {
      const cache = newCache();
      const read = vi.fn(async () => "never");
      const refused = countsOf(
        some(() => cache.get("a", read, { waitUntil, beforeAsking: limit })),
      );
      await pass(100);
      expect(await refused).toEqual({ LimitedError: SOME });
      expect(read).not.toHaveBeenCalled();
    });

    it("is done by a request within the limit", async () => {
      const cache = newCache();
      const read = vi.fn(() => later(20, "new"));
      const charge = vi.fn(() => later(10, undefined));
      const asked = some((index) =>
        cache.get("a", read, { waitUntil, beforeAsking: index === 0 ? limit : charge }),
      );
      const counts = countsOf(asked);
      await pass(1000);
      expect(await counts).toEqual({ LimitedError: 1, new: SOME - 1 });
      expect(read).toHaveBeenCalledTimes(1);
      expect(charge).toHaveBeenCalledTimes(SOME - 1);
    });
  });
});
