/** The client's stock, with a scripted binding and a clock that the tests set. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Edgeflake } from "../../../src/client/edgeflake.ts";
import { CLAIM_LAPSES_MS } from "../../../src/core/blocks/block-buffer.ts";
import { countingBinding, FRESH_FOR_MS } from "../../support/client-binding.ts";

const ROUND_TRIP_MS = 100;

let nowMs = 0;
beforeEach(() => {
  nowMs = 1_800_000_000_000;
  vi.spyOn(Date, "now").mockImplementation(() => nowMs);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A client, and the counts it requested. A prefetch takes `takesMs`, or fails. */
function asking(lease: { takesMs: number; fails: boolean }) {
  const counts: number[] = [];
  const policy = { freshForMs: FRESH_FOR_MS };
  const binding = countingBinding(({ count }) => {
    counts.push(count);
    if (count > 1) nowMs += lease.takesMs;
    const fails = count > 1 && lease.fails;
    return fails ? { code: "internal", status: 500, definite: false } : undefined;
  }, policy);
  const client = new Edgeflake({ binding, namespace: "orders", retries: 0 });
  /** Repeated demand: two calls that find nothing, a turn apart. */
  const missTwice = async () => {
    await client.next();
    await client.next();
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { client, counts, missTwice, policy };
}

describe("a client's stock", () => {
  it.each([
    [FRESH_FOR_MS, true],
    [FRESH_FOR_MS + 1, false],
  ])("ages from its request on: %d ms later, in memory: %s", async (ageMs, isInMemory) => {
    const { client, counts, missTwice } = asking({ takesMs: ROUND_TRIP_MS, fails: false });
    await missTwice();
    expect(counts.filter((count) => count > 1)).toHaveLength(1);
    nowMs += ageMs - ROUND_TRIP_MS;
    expect(client.nextNow() !== undefined).toBe(isInMemory);
  });

  it("ages within one synchronous turn too", async () => {
    const { client, missTwice } = asking({ takesMs: 0, fails: false });
    await missTwice();
    expect(client.nextNow()).toBeDefined();
    nowMs += FRESH_FOR_MS + 1;
    expect(client.nextNow()).toBeUndefined();
  });

  it("follows a lowered freshForMs", async () => {
    const { client, missTwice, policy } = asking({ takesMs: 0, fails: false });
    policy.freshForMs = 60_000;
    await missTwice();
    nowMs += 1000;
    expect(client.nextNow()).toBeDefined();
    policy.freshForMs = FRESH_FOR_MS;
    await client.take(1);
    expect(client.nextNow()).toBeUndefined();
  });

  it("is requested again after a failure, when the claim has lapsed", async () => {
    const lease = { takesMs: 0, fails: true };
    const { client, counts, missTwice } = asking(lease);
    await missTwice();
    expect(counts.filter((count) => count > 1)).toHaveLength(1);
    lease.fails = false;
    await missTwice();
    expect(counts.filter((count) => count > 1)).toHaveLength(1);
    // By then, the misses before are forgotten too.
    nowMs += CLAIM_LAPSES_MS + 1;
    await missTwice();
    expect(counts.filter((count) => count > 1)).toHaveLength(2);
    expect(client.nextNow()).toBeDefined();
  });
});

describe("nextNow", () => {
  it("never waits, and its misses count as demand", async () => {
    const { client, counts } = asking({ takesMs: 0, fails: false });
    expect([client.nextNow(), client.nextNow()]).toEqual([undefined, undefined]);
    expect(counts).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve));
    expect(client.nextNow()).toMatch(/^\d+$/);
  });
});

describe("next", () => {
  it("returns a promise, also for an ID from memory", async () => {
    const { client, counts, missTwice } = asking({ takesMs: 0, fails: false });
    await missTwice();
    const asked = counts.length;
    const next = client.next();
    expect(next).toBeInstanceOf(Promise);
    expect(await next).toMatch(/^\d+$/);
    expect(counts).toHaveLength(asked);
  });
});
