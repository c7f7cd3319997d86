/** The isolate's memory of the registry, under reads that are late, hang or fail. */
import { expect, it, vi } from "vitest";
import {
  CACHE_ENTRIES_MAX,
  CACHE_TRUSTED_MS,
  NAMESPACE_STALE_MAX_MS,
  READ_CLAIM_LAPSES_MS,
  REGISTRY_DOWN_MS,
} from "../../../src/service/limits.ts";
import { RegistryCache } from "../../../src/service/registry/registry-cache.ts";
import { clock, useClock } from "../../support/clock.ts";

const background: Promise<unknown>[] = [];
const hooks = { waitUntil: (work: Promise<unknown>) => void background.push(work) };
const hangs = () => new Promise<never>(() => undefined);

useClock();

/** A read that answers on command. */
function held<Value>() {
  let answer: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((resolve) => {
    answer = resolve;
  });
  return { read: () => promise, answer };
}

it("does not cache the answer to a read that began before a local change", async () => {
  const cache = new RegistryCache<string>({ staleMaxMs: NAMESPACE_STALE_MAX_MS });
  const late = held<string | undefined>();
  const asked = cache.get("a", late.read, hooks);
  cache.forget("a");
  late.answer(undefined);
  expect(await asked).toBeUndefined();
  expect(await cache.get("a", async () => "new", hooks)).toBe("new");
});

it("does not replace a newer answer by an older one", async () => {
  const cache = new RegistryCache<string>({ staleMaxMs: NAMESPACE_STALE_MAX_MS });
  const late = held<string>();
  const asked = cache.get("a", late.read, hooks);
  clock.step(READ_CLAIM_LAPSES_MS);
  await cache.get("a", async () => "newer", hooks);
  late.answer("older");
  await asked;
  expect(await cache.get("a", hangs, hooks)).toBe("newer");
});

it("counts an answer's age from its request on", async () => {
  const cache = new RegistryCache<string>({ staleMaxMs: CACHE_TRUSTED_MS });
  const late = held<string>();
  const asked = cache.get("a", late.read, hooks);
  clock.step(5000);
  late.answer("old");
  await asked;
  clock.step(25_000);
  expect(await cache.get("a", async () => "new", hooks)).toBe("new");
});

it("reads in the background once per claim, and a claim lapses", async () => {
  const cache = new RegistryCache<string>({ staleMaxMs: NAMESPACE_STALE_MAX_MS });
  await cache.get("a", async () => "old", hooks);
  clock.step(29_999 - 3000);
  vi.spyOn(Math, "random").mockReturnValue(0);
  const cached = new RegistryCache<string>({ staleMaxMs: NAMESPACE_STALE_MAX_MS });
  await cached.get("a", async () => "old", hooks);
  clock.step(16_000);
  const read = vi.fn(hangs);
  for (let request = 0; request < 5; request += 1) await cached.get("a", read, hooks);
  expect(read).toHaveBeenCalledTimes(1);
  clock.step(READ_CLAIM_LAPSES_MS);
  await cached.get("a", read, hooks);
  expect(read).toHaveBeenCalledTimes(2);
});

it("makes no request wait while the registry fails, and later waits for a new read", async () => {
  const cache = new RegistryCache<string>({ staleMaxMs: NAMESPACE_STALE_MAX_MS });
  await cache.get("a", async () => "old", hooks);
  clock.step(CACHE_TRUSTED_MS);
  const fails = () => Promise.reject(new Error("down"));
  expect(await cache.get("a", fails, hooks)).toBe("old");
  for (let second = 0; second < 60; second += 1) {
    clock.step(1000);
    // Where it is read again, that happens in the background.
    expect(await cache.get("a", fails, hooks)).toBe("old");
    await background.at(-1)?.catch(() => undefined);
  }
  clock.step(REGISTRY_DOWN_MS);
  expect(await cache.get("a", async () => "new", hooks)).toBe("new");
});

it("treats an answer as expired if the clock went back", async () => {
  const cache = new RegistryCache<string>({ staleMaxMs: CACHE_TRUSTED_MS });
  await cache.get("a", async () => "old", hooks);
  clock.step(-1);
  expect(await cache.get("a", async () => "new", hooks)).toBe("new");
});

it("is bounded: the oldest entry is evicted first", async () => {
  const cache = new RegistryCache<number>({ staleMaxMs: CACHE_TRUSTED_MS });
  for (let key = 0; key <= CACHE_ENTRIES_MAX; key += 1) {
    await cache.get(`${key}`, async () => key, hooks);
  }
  expect(await cache.get(`${CACHE_ENTRIES_MAX}`, hangs, hooks)).toBe(CACHE_ENTRIES_MAX);
  expect(await cache.get("0", async () => -1, hooks)).toBe(-1);
});
