import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { STORE_TIMEOUT_MS, StoreWriter } from "../../../src/client/store-writer.ts";
import { SETTINGS, TestStore } from "../../support/lease-keepers.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

async function begun() {
  const store = new TestStore();
  const writer = new StoreWriter(store, SETTINGS);
  await writer.read();
  return { store, writer };
}

/** Begins a put that is not answered, and is never again heard of unless `late` is called. */
function slowPut(store: TestStore, writer: StoreWriter) {
  const { put } = store;
  let late = (): void => undefined;
  vi.spyOn(store, "put").mockImplementationOnce(async (text, expected) => {
    await new Promise<void>((resolve) => {
      late = resolve;
    });
    return await put.call(store, text, expected);
  });
  const answer = writer.put().then(
    (isPut) => isPut,
    (error: unknown) => error,
  );
  return { answer, late: () => late() };
}

describe("a store writer", () => {
  it.each(["before", "after"] as const)(
    "W1 continues after any number of puts that failed %s they were carried out",
    async (moment) => {
      const { store, writer } = await begun();
      for (let puts = 0; puts < 50; puts += 1) {
        store.fails = moment;
        await expect(writer.put()).rejects.toThrow("disk");
        store.fails = undefined;
        if (moment === "after") await writer.read();
      }
      expect([await writer.put(), writer.isLost]).toEqual([true, false]);
    },
  );

  it("W1 continues if a put that it gave up is carried out later", async () => {
    const { store, writer } = await begun();
    const slow = slowPut(store, writer);
    await vi.advanceTimersByTimeAsync(STORE_TIMEOUT_MS);
    expect(await slow.answer).toBeInstanceOf(Error);
    expect(await writer.read()).toBeUndefined();
    slow.late();
    await vi.advanceTimersByTimeAsync(0);
    expect(store.stored).toBeDefined();
    const before = store.stored;
    expect([await writer.put(), writer.isLost]).toEqual([true, false]);
    expect(store.stored).not.toBe(before);
  });

  it.each(["another's", undefined])("W2 writes nothing once %s is stored", async (text) => {
    const { store, writer } = await begun();
    expect(await writer.put()).toBe(true);
    store.stored = text;
    expect([await writer.put(), writer.isLost]).toEqual([false, true]);
    expect([await writer.put(), store.stored]).toEqual([false, text]);
  });

  it("W3 ignores a put that returns while a later call reads", async () => {
    const { store, writer } = await begun();
    const slow = slowPut(store, writer);
    // The read sees the store as it was before.
    let show = (): void => undefined;
    vi.spyOn(store, "get").mockImplementationOnce(async () => {
      const { stored } = store;
      await new Promise<void>((resolve) => {
        show = resolve;
      });
      return stored;
    });
    const read = writer.read();
    slow.late();
    await vi.advanceTimersByTimeAsync(0);
    show();
    expect(await read).toBeUndefined();
    expect(writer.isLost).toBe(false);
    expect(await writer.put()).toBe(true);
  });

  it("gives up a store that rejects a put although it has the expected text", async () => {
    const { store, writer } = await begun();
    vi.spyOn(store, "put").mockResolvedValue(false);
    await expect(writer.put()).rejects.toThrow("keeps changing");
    expect(writer.isLost).toBe(false);
  });
});
