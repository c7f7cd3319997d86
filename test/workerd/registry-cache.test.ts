/** The isolate's memory of the registry, under reads that are late, hang or fail. */
import { expect, it, vi } from "vitest";
import { CACHE_ENTRIES_MAX } from "../../src/service/limits.ts";
import { RegistryCache } from "../../src/service/registry-cache.ts";
import { clock, useClock } from "../support/clock.ts";

const background: Promise<unknown>[] = [];
const waitUntil = (work: Promise<unknown>) => void background.push(work);
const hangs = () => new Promise<never>(() => undefined);

useClock();

/** A read that answers when it is told to. */
function held<Value>() {
  let answer: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((resolve) => {
    answer = resolve;
  });
  return { read: () => promise, answer };
}

it("does not remember what was asked for before a change made here", async () => {
  const cache = new RegistryCache<string>({ servesStale: true });
  const late = held<string | undefined>();
  const asked = cache.get("a", late.read, waitUntil);
  cache.forget("a");
  late.answer(undefined);
  expect(await asked).toBeUndefined();
  expect(await cache.get("a", async () => "new", waitUntil)).toBe("new");
});

it("does not let an older question's answer replace a newer one's", async () => {
  const cache = new RegistryCache<string>({ servesStale: true });
  const late = held<string>();
  const asked = cache.get("a", late.read, waitUntil);
  clock.step(10);
  await cache.get("a", async () => "newer", waitUntil);
  late.answer("older");
  await asked;
  expect(await cache.get("a", hangs, waitUntil)).toBe("newer");
});

it("trusts an answer from when it was asked for", async () => {
  const cache = new RegistryCache<string>({ servesStale: false });
  const late = held<string>();
  const asked = cache.get("a", late.read, waitUntil);
  clock.step(5000);
  late.answer("old");
  await asked;
  clock.step(25_000);
  expect(await cache.get("a", async () => "new", waitUntil)).toBe("new");
});

it("asks in the background once per claim, and a claim lapses", async () => {
  const cache = new RegistryCache<string>({ servesStale: true });
  await cache.get("a", async () => "old", waitUntil);
  clock.step(29_999 - 3000);
  vi.spyOn(Math, "random").mockReturnValue(0);
  const cached = new RegistryCache<string>({ servesStale: true });
  await cached.get("a", async () => "old", waitUntil);
  clock.step(16_000);
  const read = vi.fn(hangs);
  for (let request = 0; request < 5; request += 1) await cached.get("a", read, waitUntil);
  expect(read).toHaveBeenCalledTimes(1);
  clock.step(1000);
  await cached.get("a", read, waitUntil);
  expect(read).toHaveBeenCalledTimes(2);
});

it("makes nobody wait for a registry that has just failed, and comes back by itself", async () => {
  const cache = new RegistryCache<string>({ servesStale: true });
  await cache.get("a", async () => "old", waitUntil);
  clock.step(30_000);
  const fails = () => Promise.reject(new Error("down"));
  expect(await cache.get("a", fails, waitUntil)).toBe("old");
  for (let second = 0; second < 10; second += 1) {
    clock.step(1000);
    expect(await cache.get("a", hangs, waitUntil)).toBe("old");
  }
  clock.step(1000);
  await cache.get("a", async () => "new", waitUntil);
  await background.at(-1);
  expect(await cache.get("a", hangs, waitUntil)).toBe("new");
});

it("takes a clock that went back for too long ago", async () => {
  const cache = new RegistryCache<string>({ servesStale: false });
  await cache.get("a", async () => "old", waitUntil);
  clock.step(-1);
  expect(await cache.get("a", async () => "new", waitUntil)).toBe("new");
});

it("is bounded: the oldest is forgotten first", async () => {
  const cache = new RegistryCache<number>({ servesStale: false });
  for (let key = 0; key <= CACHE_ENTRIES_MAX; key += 1) {
    await cache.get(`${key}`, async () => key, waitUntil);
  }
  expect(await cache.get(`${CACHE_ENTRIES_MAX}`, hangs, waitUntil)).toBe(CACHE_ENTRIES_MAX);
  expect(await cache.get("0", async () => -1, waitUntil)).toBe(-1);
});
