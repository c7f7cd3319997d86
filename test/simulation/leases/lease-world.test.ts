/** Minters in a world where everything goes wrong, on the real minter, lease keeper, line and desk. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { MintLine } from "../../../src/client/mint-line.ts";
import type { LayoutSpec } from "../../../src/core/layout/layout.ts";
import type { Policy } from "../../../src/core/layout/policy.ts";
import { runLeaseWorld, TTL_MAX_MS, type WorldPlan } from "./lease-world.ts";

const IDS_MIN = 100_000;
/** Of 32 possible: the clock of some was set back by up to an hour, and they wait. */
const STAMPING_MIN = 16;
const HOUR_MS = 3_600_000;
const FRESH_SEED = Math.floor(Math.random() * 2 ** 31);

const SPEC: LayoutSpec = {
  timestampBits: 41,
  datacenterBits: 0,
  workerBits: 6,
  laneBits: 0,
  sequenceBits: 3,
  epochMs: 1_735_689_600_000,
  tickMs: 1,
};
const POLICY: Policy = {
  maxStepBackMs: HOUR_MS,
  maxBorrowMs: 1000,
  maxWaitMs: 250,
  randomStart: 0,
  reserveMs: 3000,
};
const STRICT: Policy = { ...POLICY, maxStepBackMs: 0, maxBorrowMs: 0 };

/** Each with 32 worker IDs to lease. */
const FORGIVING: WorldPlan = { spec: SPEC, policy: POLICY };
const SECONDS: WorldPlan = {
  spec: {
    ...SPEC,
    timestampBits: 32,
    laneBits: 1,
    sequenceBits: 7,
    tickMs: 1000,
    lanePlace: "aboveWorker",
  },
  policy: { ...STRICT, maxBorrowMs: 1000, randomStart: 20 },
};
const FOUR_LANES: WorldPlan = {
  spec: {
    ...SPEC,
    datacenterBits: 2,
    workerBits: 4,
    laneBits: 2,
    sequenceBits: 6,
    laneUse: "back",
  },
  policy: STRICT,
};

afterEach(() => {
  vi.restoreAllMocks();
});

describe("50 holders, 32 worker IDs", () => {
  it("a fresh seed: no ID twice, and none outside of its lease", () =>
    expectHeld("a fresh seed", FRESH_SEED, FORGIVING));

  it.each([
    ["1 ms ticks, an hour forgiven", 1, FORGIVING],
    ["1 s ticks, two lanes, random starts", 2, SECONDS],
    ["four lanes, a strict clock", 3, FOUR_LANES],
  ])("%s, %i: no ID twice, and none outside of its lease", { tags: ["long"] }, expectHeld);
});

async function expectHeld(_: string, seed: number, plan: WorldPlan): Promise<void> {
  const report = await runLeaseWorld(seed, plan);
  const { count, workers, stamping, furthestEndMs, doings, putsInDoubt, network } = report;
  expect(workers.size).toBe(32);
  expect(Math.min(...workers)).toBe(32);
  // After the mishaps, minters work, and all worker IDs can be leased.
  expect(stamping).toBeGreaterThanOrEqual(STAMPING_MIN);
  expect(furthestEndMs).toBeLessThanOrEqual(TTL_MAX_MS + 1000);
  if (seed === FRESH_SEED) return;
  // Every mishap has happened; only a known seed guarantees that.
  expect(count).toBeGreaterThanOrEqual(IDS_MIN);
  const { refusals, ...done } = doings;
  expect(refusals.size).toBeGreaterThan(1);
  const happened = { ...done, putsInDoubt, ...network.seen };
  for (const [what, times] of Object.entries(happened)) {
    expect(times, what).toBeGreaterThan(10);
  }
  for (const code of ["no_worker_free", "lease_lost", "clock_disagreement", "DELETE"]) {
    expect([...network.codes.keys()]).toContain(code);
  }
}

describe("the checker finds each fault", () => {
  it("a line that ignores its end", async () => {
    const raise = MintLine.prototype.raiseEnd;
    vi.spyOn(MintLine.prototype, "raiseEnd").mockImplementation(function (this: MintLine) {
      raise.call(this, Number.POSITIVE_INFINITY);
    });
    await expect(runLeaseWorld(1, FORGIVING)).rejects.toThrow(/^broken: .* \(seed 1\)$/);
  });

  it.each(["forgets released leases", "leases what is held still"] as const)(
    "a desk that %s",
    async (deskFault) => {
      const world = runLeaseWorld(1, { ...FORGIVING, deskFault });
      await expect(world).rejects.toThrow(/^broken: .* \(seed 1\)$/);
    },
  );

  it.each([
    "puts without comparing",
    "answers before it is durable",
    "returns a lower mark",
  ] as const)("a store that %s", async (storeFault) => {
    const world = runLeaseWorld(1, { ...SECONDS, storeFault });
    await expect(world).rejects.toThrow(/^broken: .* \(seed 1\)$/);
  });
});
