/** The client's errors and retries, with a binding whose failures are scripted. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Edgeflake } from "../../../src/client/edgeflake.ts";
import type { RpcProblem } from "../../../src/core/binding.ts";
import { countingBinding } from "../../support/client-binding.ts";

const DAY_MS = 86_400_000;
const SATURATED: RpcProblem = { code: "shard_saturated", status: 503, definite: true };
const INVALID: RpcProblem = { code: "invalid_parameter", status: 400, definite: true };

/** A client whose requests meet these faults, one after another; later requests succeed. */
function meeting(...faults: readonly (RpcProblem | "lost" | undefined)[]) {
  let asked = 0;
  const binding = countingBinding(() => {
    const fault = faults[asked];
    asked += 1;
    if (fault === "lost") throw new Error("the connection broke off");
    return fault;
  });
  return new Edgeflake({ binding, namespace: "orders", retries: 1 });
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("an error is definite", () => {
  it.each([
    [[SATURATED, SATURATED], true],
    [["lost", SATURATED], false],
    [[SATURATED, "lost"], false],
    [[INVALID], true],
  ] as const)("only if no attempt can have been granted IDs: %j: %s", async (faults, definite) => {
    expect(await failure(meeting(...faults).take(5))).toMatchObject({ definite });
  });

  it("only if no part of the call was granted IDs", async () => {
    const client = meeting(undefined, SATURATED, SATURATED);
    expect(await failure(client.take(200_000))).toMatchObject({
      code: "shard_saturated",
      definite: false,
    });
  });
});

it("a failed take stays failed if another learns to request fewer", async () => {
  let fails = (): void => undefined;
  const waits = new Promise<void>((resolve) => {
    fails = resolve;
  });
  const asked: number[] = [];
  const binding = countingBinding(async ({ count, order }) => {
    asked.push(count);
    if (order === "strict" && count > 20_000) {
      const errors = [{ parameter: "count", detail: "takes fewer", min: 1, max: 20_000 }];
      return { ...INVALID, errors };
    }
    if (order === "strict") return undefined;
    await waits;
    return { code: "shard_unavailable", status: 503, definite: false };
  });
  const client = new Edgeflake({ binding, namespace: "orders", retries: 0 });
  const failing = failure(client.take(50_000));
  expect(await client.take(50_000, { order: "strict" })).toHaveLength(50_000);
  fails();
  expect(await failing).toMatchObject({ code: "shard_unavailable", definite: false });
  expect(asked).toEqual([50_000, 50_000, 20_000, 20_000, 10_000]);
});

describe("a failed prefetch", () => {
  let nowMs = 0;
  beforeEach(() => {
    nowMs = 1_800_000_000_000;
    vi.spyOn(Date, "now").mockImplementation(() => nowMs);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Misses twice, so that the client prefetches, and returns whether it got a stock. */
  async function fetchesAhead(client: Edgeflake): Promise<boolean> {
    for (let miss = 0; miss < 3; miss += 1) await client.next();
    await new Promise((resolve) => setTimeout(resolve));
    return client.nextNow() !== undefined;
  }

  function refusedOnce(retryAfterMs: number): Edgeflake {
    let isRefused = false;
    const binding = countingBinding(({ count }) => {
      if (count === 1 || isRefused) return undefined;
      isRefused = true;
      return { ...SATURATED, retryAfterMs };
    });
    return new Edgeflake({ binding, namespace: "orders", retries: 0 });
  }

  it("pauses prefetching for a minute at most, whatever the service says", async () => {
    const client = refusedOnce(DAY_MS);
    expect(await fetchesAhead(client)).toBe(false);
    nowMs += 50_000;
    expect(await fetchesAhead(client)).toBe(false);
    nowMs += 10_001;
    expect(await fetchesAhead(client)).toBe(true);
  });

  it("does not pause longer if the clock is set back", async () => {
    const client = refusedOnce(60_000);
    nowMs += DAY_MS;
    expect(await fetchesAhead(client)).toBe(false);
    nowMs -= DAY_MS;
    expect(await fetchesAhead(client)).toBe(true);
  });
});
