import { afterEach, describe, expect, it, vi } from "vitest";
import { LeaseKeeper } from "../../../src/client/lease-keeper.ts";
import type { MinterStore } from "../../../src/client/minter-store.ts";
import {
  FIRST_WORKER,
  layout,
  refusal,
  SETTINGS,
  TestDesk,
  TestStore,
  upkeep,
} from "../../support/lease-keepers.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a lease keeper", () => {
  it("T1 ends its line with the lease, and moves the end up after a renewal", async () => {
    const desk = new TestDesk();
    const keeper = new LeaseKeeper(SETTINGS, desk.desk, undefined);
    await keeper.begin();
    const before = keeper.line?.end ?? 0;
    expect(before).toBe((keeper.lease?.notAfterTick ?? 0) * layout.sequenceCount);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await upkeep(keeper, keeper.now());
    expect(desk.count("PUT")).toBe(1);
    expect(keeper.line?.end).toBeGreaterThan(before);
    expect(keeper.line?.end).toBe((keeper.lease?.notAfterTick ?? 0) * layout.sequenceCount);
  });

  it("uses the namespace's policy as of the last renewal", async () => {
    const desk = new TestDesk();
    const keeper = new LeaseKeeper(SETTINGS, desk.desk, undefined);
    await keeper.begin();
    expect(keeper.line?.takeMax).toBe(1001 * layout.sequenceCount);
    desk.policy = { ...desk.policy, maxBorrowMs: 0 };
    await upkeep(keeper, keeper.now());
    expect(keeper.line?.takeMax).toBe(layout.sequenceCount);
  });

  it("T1 ends its line at the mark in its store, renewed or not", async () => {
    const desk = new TestDesk();
    const store = new TestStore();
    const keeper = new LeaseKeeper(SETTINGS, desk.desk, store);
    await keeper.begin();
    const mark = JSON.parse((await store.get()) ?? "").mark;
    expect(keeper.line?.end).toBe(mark);
    expect(keeper.endsAtMark).toBe(true);
    await upkeep(keeper, keeper.now());
    expect(desk.count("PUT")).toBe(1);
    expect(keeper.line?.end).toBe(mark);
    // A mark that can't be written does not count.
    store.fails = "before";
    await upkeep(keeper, keeper.now() + 30_000);
    expect(keeper.failure).toBeInstanceOf(Error);
    expect(keeper.line?.end).toBe(mark);
  });

  it("T2 resumes at the mark; the process that had the store drops its lease without releasing it", async () => {
    const desk = new TestDesk();
    const store = new TestStore();
    const one = new LeaseKeeper(SETTINGS, desk.desk, store);
    const other = new LeaseKeeper(SETTINGS, desk.desk, store);
    await one.begin();
    const end = one.line?.end ?? 0;
    await other.begin();
    expect(desk.count("POST")).toBe(1);
    expect(other.lease?.worker).toBe(one.lease?.worker);
    expect(other.line?.unstamped).toBe(end);
    expect(other.line?.end).toBeGreaterThan(end);
    expect(one.line?.end).toBe(end);
    await one.end();
    expect(desk.count("DELETE")).toBe(0);
    await other.end();
    expect(desk.count("DELETE")).toBe(1);
    expect(JSON.parse((await store.get()) ?? "")).not.toHaveProperty("lease");
  });

  it("T2 gets a lease of its own if another process took the store", async () => {
    const desk = new TestDesk();
    const store = new TestStore();
    const one = new LeaseKeeper(SETTINGS, desk.desk, store);
    await one.begin();
    await new LeaseKeeper(SETTINGS, desk.desk, store).begin();
    await upkeep(one, one.now() + 30_000);
    expect(one.line).toBeUndefined();
    await upkeep(one, one.now());
    expect(one.lease?.worker).toBe(FIRST_WORKER + 1);
    expect(one.endsAtMark).toBe(false);
  });

  it("T3 drops a lost lease before it asks for another", async () => {
    const desk = new TestDesk();
    const keeper = new LeaseKeeper(SETTINGS, desk.desk, undefined);
    await keeper.begin();
    const { line } = keeper;
    desk.refuses = refusal("lease_lost");
    await upkeep(keeper, keeper.now());
    expect([keeper.line, keeper.lease]).toEqual([undefined, undefined]);
    expect(desk.count("POST")).toBe(1);
    await upkeep(keeper, keeper.now());
    expect(keeper.lease?.worker).toBe(FIRST_WORKER + 1);
    expect(keeper.line).not.toBe(line);
  });

  it("T4 writes its mark even if the desk does not answer", async () => {
    const desk = new TestDesk();
    const keeper = new LeaseKeeper(SETTINGS, desk.desk, new TestStore());
    await keeper.begin();
    const end = keeper.line?.end ?? 0;
    desk.refuses = () => new Promise(() => undefined);
    keeper.upkeep(keeper.now());
    keeper.upkeep(keeper.now() + 8000);
    while (keeper.line?.end === end) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(desk.count("PUT")).toBe(1);
    expect(keeper.line?.end).toBeGreaterThan(end);
  });

  it.each(["before", "after"] as const)(
    "a store that fails %s a put costs one worker ID, which is used when the store works again",
    async (fails) => {
      const desk = new TestDesk();
      const store = new TestStore();
      const keeper = new LeaseKeeper(SETTINGS, desk.desk, store);
      store.fails = fails;
      for (let tries = 0; tries < 3; tries += 1)
        await expect(keeper.begin()).rejects.toThrow("disk");
      store.fails = undefined;
      await keeper.begin();
      expect(keeper.lease?.worker).toBe(FIRST_WORKER);
      // A stored lease is resumed at its mark. The text does not say whose lease it was.
      expect([desk.count("POST"), desk.count("DELETE")]).toEqual([1, 0]);
    },
  );

  it("T2 does not use a lease that may be in the store after another process wrote there", async () => {
    const desk = new TestDesk();
    const store = new TestStore();
    const one = new LeaseKeeper(SETTINGS, desk.desk, store);
    await one.begin();
    desk.refuses = refusal("lease_lost");
    await upkeep(one, one.now());
    store.fails = "after";
    await upkeep(one, one.now());
    expect([one.line, desk.count("POST")]).toEqual([undefined, 2]);
    store.fails = undefined;
    const other = new LeaseKeeper(SETTINGS, desk.desk, store);
    await other.begin();
    expect(other.lease?.worker).toBe(FIRST_WORKER + 1);
    // The pause after a failure is over.
    vi.spyOn(performance, "now").mockReturnValue(performance.now() + 60_000);
    await upkeep(one, one.now());
    await upkeep(one, one.now());
    expect(one.lease?.worker).not.toBe(FIRST_WORKER + 1);
    // It releases no ticks: the other process uses them.
    expect(desk.asked).toContain(`DELETE leases/orders/${FIRST_WORKER + 1} {}`);
  });

  it("T2 does not keep a lease that another process resumed from the store meanwhile", async () => {
    const desk = new TestDesk();
    const store = new TestStore();
    const other = new LeaseKeeper(SETTINGS, desk.desk, store);
    let puts = 0;
    const overtaken: MinterStore = {
      get: () => store.get(),
      put: async (text, expected) => {
        puts += 1;
        await store.put(text, expected);
        await other.begin();
        return false;
      },
    };
    const one = new LeaseKeeper(SETTINGS, desk.desk, overtaken);
    await one.begin();
    expect([puts, other.lease?.worker]).toEqual([1, FIRST_WORKER]);
    expect(one.lease?.worker).toBe(FIRST_WORKER + 1);
    expect(desk.asked).toContain(`DELETE leases/orders/${FIRST_WORKER} {}`);
  });

  it("T5 renews even if the desk's clock is a year behind, or its own is set back", async () => {
    const desk = new TestDesk();
    desk.aheadMs = -365 * 86_400_000;
    const keeper = new LeaseKeeper(SETTINGS, desk.desk, undefined);
    await keeper.begin();
    expect(keeper.now()).toBeLessThan(Date.now() - 364 * 86_400_000);
    desk.aheadMs = 0;
    vi.spyOn(Date, "now").mockReturnValue(Date.now() - 3_600_000);
    await upkeep(keeper, keeper.now());
    expect(desk.count("PUT")).toBe(1);
  });

  it("T4 runs one task at a time, never rejects, and waits before the next try", async () => {
    const desk = new TestDesk();
    const keeper = new LeaseKeeper(SETTINGS, desk.desk, undefined);
    await keeper.begin();
    desk.refuses = refusal("unauthorized");
    await Promise.all([1, 2, 3].map(() => upkeep(keeper, keeper.now())));
    expect(desk.count("PUT")).toBe(1);
    expect(keeper.failure).toMatchObject({ code: "unauthorized" });
    await upkeep(keeper, keeper.now());
    expect(desk.count("PUT")).toBe(1);
    expect(keeper.lease).toBeDefined();
  });

  it("sends the same Idempotency-Key until a response comes, and then another", async () => {
    const desk = new TestDesk();
    desk.loses = 2;
    const keeper = new LeaseKeeper(SETTINGS, desk.desk, undefined);
    for (const _lost of [1, 2]) await expect(keeper.begin()).rejects.toThrow("lost");
    await keeper.begin();
    desk.refuses = refusal("lease_lost");
    await upkeep(keeper, keeper.now());
    await upkeep(keeper, keeper.now());
    const [first, ...others] = desk.keys;
    expect(first).toMatch(/./);
    expect(others.slice(0, 2)).toEqual([first, first]);
    expect(others[2]).toMatch(/./);
    expect(others[2]).not.toBe(first);
  });

  it("releases its lease from the first unused tick on", async () => {
    const desk = new TestDesk();
    const keeper = new LeaseKeeper(SETTINGS, desk.desk, undefined);
    await keeper.begin();
    const taken = keeper.line?.take(keeper.now(), 3 * layout.sequenceCount + 1);
    expect(taken).toBeInstanceOf(Array);
    const unstamped = Math.ceil((keeper.line?.unstamped ?? 0) / layout.sequenceCount);
    await keeper.end();
    const until = layout.epochMs + unstamped * layout.tickMs;
    expect(desk.asked.at(-1)).toBe(`DELETE leases/orders/${FIRST_WORKER} {"until":${until}}`);
    expect(keeper.line).toBeUndefined();
  });
});
