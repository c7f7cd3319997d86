/** A lease keeper whose work is cut off for good, or whose store fails in the worst moment. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LeaseKeeper } from "../../../src/client/lease-keeper.ts";
import { tickAt } from "../../../src/core/layout/layout.ts";
import {
  layout,
  refusal,
  SETTINGS,
  TestDesk,
  TestStore,
  TTL_MS,
} from "../../support/lease-keepers.ts";

/** Longer than any claim of a piece of work. */
const LAPSE_MS = 20_000;
/** How far ahead a mark of this layout's policy is written. */
const RESERVE_MS = 10_000;

/** A whole second. */
const START_MS = 1_800_000_000_000;

beforeEach(() => {
  vi.useFakeTimers({ now: START_MS });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const never = () => new Promise<never>(() => undefined);

async function begun(store?: TestStore) {
  const desk = new TestDesk();
  const keeper = new LeaseKeeper(SETTINGS, desk.desk, store);
  await keeper.begin();
  return { desk, keeper };
}

/** Runs the upkeep, without letting time pass. */
async function upkeep(keeper: LeaseKeeper): Promise<void> {
  keeper.upkeep(keeper.now());
  await pass(0);
}

/** Runs the upkeep for that time, as a minter's timer does. */
async function keepUp(keeper: LeaseKeeper, forMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += 250) {
    await upkeep(keeper);
    await pass(250);
  }
}

/** How far the line's next ID is ahead of the clock, in ms. */
function leadMs(keeper: LeaseKeeper): number {
  const tick = Math.floor((keeper.line?.unstamped ?? 0) / layout.sequenceCount);
  return tick - tickAt(layout, keeper.now());
}

describe("work that is cut off with its request", () => {
  it("T4 J1 a renewal that never ends lapses, and the next one renews", async () => {
    const { desk, keeper } = await begun();
    const end = keeper.line?.end ?? 0;
    desk.refuses = never;
    await upkeep(keeper);
    desk.refuses = undefined;
    // Not even its own timer may fire: that is how a request of a Worker ends.
    vi.clearAllTimers();
    await upkeep(keeper);
    expect(desk.count("PUT")).toBe(1);
    await pass(LAPSE_MS);
    await upkeep(keeper);
    expect(desk.count("PUT")).toBe(2);
    expect(keeper.line?.end).toBeGreaterThan(end);
  });

  it("T4 J3 it lapses too if even the monotonic clock goes back", async () => {
    const { desk, keeper } = await begun();
    desk.refuses = never;
    await upkeep(keeper);
    vi.clearAllTimers();
    vi.setSystemTime(Date.now() - 86_400_000);
    vi.spyOn(performance, "now").mockReturnValue(performance.now() - 86_400_000);
    // A lease that ended by the desk's clock is renewed at once, whatever the other clock shows.
    keeper.upkeep(keeper.now() + 3 * 86_400_000);
    await pass(0);
    expect(desk.count("PUT")).toBe(2);
    vi.restoreAllMocks();
  });

  it("T4 J2 a renewal that returns after the next one changes nothing", async () => {
    const { desk, keeper } = await begun();
    let comesBack = (): void => undefined;
    desk.refuses = () =>
      new Promise((_, reject) => {
        comesBack = () => void refusal("lease_lost")().catch(reject);
      });
    await upkeep(keeper);
    vi.clearAllTimers();
    desk.refuses = undefined;
    await pass(LAPSE_MS);
    await upkeep(keeper);
    const { lease, failure } = keeper;
    expect(desk.count("PUT")).toBe(2);
    comesBack();
    await pass(0);
    expect(keeper.lease).toBe(lease);
    expect(keeper.failure).toBe(failure);
  });

  it("T4 J2 a lease that arrives twice is used by one line", async () => {
    const { desk, keeper } = await begun();
    desk.refuses = refusal("lease_lost");
    let comesBack = (): void => undefined;
    desk.leases = new Promise((resolve) => {
      comesBack = resolve;
    });
    await upkeep(keeper);
    await upkeep(keeper);
    expect([keeper.line, desk.count("POST")]).toEqual([undefined, 2]);
    vi.clearAllTimers();
    desk.leases = Promise.resolve();
    await pass(LAPSE_MS);
    await upkeep(keeper);
    const { line, lease } = keeper;
    expect(line?.take(keeper.now(), 100)).toBeInstanceOf(Array);
    // Both asked for the same lease.
    expect(desk.keys[2]).toBe(desk.keys[1]);
    comesBack();
    await pass(0);
    expect(keeper.line).toBe(line);
    expect(keeper.lease).toBe(lease);
  });

  it.each(["before", "after"] as const)(
    "T4 J1 W1 a put that never returns, %s it is carried out, lapses: the mark moves on, the minter keeps the store",
    async (moment) => {
      const store = new TestStore();
      const { desk, keeper } = await begun(store);
      const end = keeper.line?.end ?? 0;
      store.hangs = moment;
      await pass(RESERVE_MS);
      await upkeep(keeper);
      vi.clearAllTimers();
      store.hangs = undefined;
      await upkeep(keeper);
      expect(keeper.line?.end).toBe(end);
      await pass(LAPSE_MS);
      await upkeep(keeper);
      expect(keeper.line?.end).toBeGreaterThan(end);
      expect([keeper.storeLost, desk.count("POST")]).toEqual([false, 1]);
      expect(JSON.parse(store.stored ?? "").mark).toBe(keeper.line?.end);
    },
  );

  it("a store that never answers counts as failed, and is tried again", async () => {
    const store = new TestStore();
    const { keeper } = await begun(store);
    const end = keeper.line?.end ?? 0;
    store.hangs = "after";
    await pass(RESERVE_MS);
    await upkeep(keeper);
    await pass(LAPSE_MS);
    expect(keeper.failure).toBeInstanceOf(Error);
    store.hangs = undefined;
    await upkeep(keeper);
    expect(keeper.line?.end).toBeGreaterThan(end);
    expect(keeper.failure).toBeUndefined();
  });

  it("close does not wait for work that never ends, and releases the lease", async () => {
    const store = new TestStore();
    const { desk, keeper } = await begun(store);
    desk.refuses = never;
    store.hangs = "after";
    await pass(RESERVE_MS);
    await upkeep(keeper);
    store.hangs = undefined;
    const ended = keeper.end();
    await pass(LAPSE_MS);
    await ended;
    expect([desk.count("PUT"), desk.count("DELETE")]).toEqual([1, 1]);
    expect(JSON.parse(store.stored ?? "")).not.toHaveProperty("lease");
  });

  it("close ends even if the store never answers", async () => {
    const store = new TestStore();
    const { desk, keeper } = await begun(store);
    store.hangs = "before";
    const ended = keeper.end();
    await pass(LAPSE_MS);
    await ended;
    // It may be on disk still, for the next process.
    expect(desk.count("DELETE")).toBe(0);
  });

  it("is kept alive by waitUntil, which may throw outside of a request", async () => {
    const kept: Promise<unknown>[] = [];
    const desk = new TestDesk();
    const waitUntil = (work: Promise<unknown>): void => {
      kept.push(work);
      if (kept.length > 1) throw new Error("outside of a request");
    };
    const keeper = new LeaseKeeper({ ...SETTINGS, waitUntil }, desk.desk, undefined);
    await keeper.begin();
    desk.refuses = refusal("unauthorized");
    await upkeep(keeper);
    expect(kept).toHaveLength(1);
    await expect(kept[0]).resolves.toBeUndefined();
    await pass(LAPSE_MS);
    await upkeep(keeper);
    expect([kept.length, desk.count("PUT")]).toEqual([2, 2]);
  });
});

describe("a store that fails after it wrote", () => {
  it.each([1, 5])("W1 %i times stays the minter's, as does the lease", async (times) => {
    const store = new TestStore();
    const { desk, keeper } = await begun(store);
    const end = keeper.line?.end ?? 0;
    store.fails = "after";
    await pass(RESERVE_MS);
    for (let tries = 0; tries < times; tries += 1) {
      await upkeep(keeper);
      await pass(1000);
      expect(keeper.line?.end).toBe(end);
    }
    store.fails = undefined;
    await upkeep(keeper);
    expect(keeper.line?.end).toBeGreaterThan(end);
    expect([keeper.storeLost, desk.count("POST")]).toEqual([false, 1]);
  });

  it("W1 and has a lost lease accepts the next lease", async () => {
    const store = new TestStore();
    const { desk, keeper } = await begun(store);
    store.hangs = "after";
    desk.refuses = refusal("lease_lost");
    await pass(RESERVE_MS);
    await upkeep(keeper);
    store.hangs = undefined;
    await upkeep(keeper);
    expect([keeper.storeLost, desk.count("POST")]).toEqual([false, 2]);
    expect(keeper.endsAtMark).toBe(true);
    expect(JSON.parse(store.stored ?? "").lease.worker).toBe(keeper.lease?.worker);
  });

  it("W2 is lost once the text is another process's", async () => {
    const store = new TestStore();
    const { keeper } = await begun(store);
    expect(keeper.storeLost).toBe(false);
    store.stored = "another's";
    await pass(RESERVE_MS);
    await upkeep(keeper);
    expect([keeper.storeLost, keeper.line]).toEqual([true, undefined]);
    await upkeep(keeper);
    expect([keeper.endsAtMark, store.stored]).toEqual([false, "another's"]);
  });
});

describe("a mark", () => {
  it("after five crashes in a row is little more than one reserve ahead", async () => {
    const store = new TestStore();
    for (let crash = 0; crash < 5; crash += 1) {
      const { keeper } = await begun(store);
      // All that may be stamped is.
      keeper.line?.take(keeper.now(), 1000 * layout.sequenceCount);
      await keepUp(keeper, 1000);
    }
    const { keeper } = await begun(store);
    expect(leadMs(keeper)).toBeLessThan(1.25 * RESERVE_MS);
    expect(leadMs(keeper)).toBeGreaterThan(0);
  });

  it.each([
    ["at full rate", 0],
    ["and a line that leads by its reserve", RESERVE_MS],
  ])("%s is written no more often than necessary", async (_, aheadMs) => {
    const store = new TestStore();
    const { keeper } = await begun(store);
    vi.setSystemTime(Date.now() - aheadMs);
    const { puts } = store;
    const FOR_MS = TTL_MS / 2;
    for (let ms = 0; ms < FOR_MS; ms += 10) {
      const taken = keeper.line?.take(keeper.now(), 10 * layout.sequenceCount);
      expect(taken).toBeInstanceOf(Array);
      await upkeep(keeper);
      await pass(10);
    }
    // Half a reserve lasts that long; a line that leads has half a twentieth of it.
    const least = FOR_MS / (RESERVE_MS / 2);
    expect(store.puts - puts).toBeLessThanOrEqual(aheadMs ? 20 * least : least + 1);
  });

  it.each([0, 1, 66, 250, 500, 999])(
    "with ticks of a second is past each tick before it begins (%d ms into a tick)",
    async (phaseMs) => {
      vi.setSystemTime(START_MS + phaseMs);
      const desk = new TestDesk();
      desk.spec = { ...desk.spec, tickMs: 1000 };
      desk.policy = { ...desk.policy, maxStepBackMs: 0 };
      const keeper = new LeaseKeeper(SETTINGS, desk.desk, new TestStore());
      await keeper.begin();
      await keepUp(keeper, 2000);
      await upkeep(keeper);
      for (let tick = 0; tick < 5; tick += 1) {
        await pass(1000);
        expect(keeper.line?.take(keeper.now(), 1)).toBeInstanceOf(Array);
        await upkeep(keeper);
      }
    },
  );
});

describe("a store that another process took while a put was late", () => {
  it.each([0, 1000])(
    "T3 the lease is not released: the other process has it (%d ms later)",
    async (laterMs) => {
      const store = new TestStore();
      const { desk, keeper } = await begun(store);
      store.takesMs = 5400;
      await pass(RESERVE_MS);
      await upkeep(keeper);
      store.stored = "another's";
      await pass(store.takesMs + laterMs);
      store.takesMs = 0;
      await keeper.end();
      expect(desk.count("DELETE")).toBe(0);
      expect(store.stored).toBe("another's");
    },
  );

  it("W3 the result of a put after its deadline changes nothing", async () => {
    const store = new TestStore();
    const { keeper } = await begun(store);
    store.takesMs = 5400;
    await pass(RESERVE_MS);
    await upkeep(keeper);
    store.stored = "another's";
    await pass(store.takesMs);
    expect([keeper.storeLost, keeper.lease !== undefined]).toEqual([false, true]);
    store.takesMs = 0;
    await keepUp(keeper, 2000);
    expect(keeper.storeLost).toBe(true);
  });
});

describe("a minter that is closed", () => {
  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
    "T4 keeps no lease that arrives during close (%d turns later)",
    async (turns) => {
      const { desk, keeper } = await begun();
      desk.refuses = refusal("lease_lost");
      await upkeep(keeper);
      let arrives = (): void => undefined;
      desk.leases = new Promise((resolve) => {
        arrives = resolve;
      });
      await upkeep(keeper);
      expect([keeper.line, desk.count("POST")]).toEqual([undefined, 2]);
      arrives();
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      await keeper.end();
      await pass(0);
      expect(keeper.line).toBeUndefined();
    },
  );
});
