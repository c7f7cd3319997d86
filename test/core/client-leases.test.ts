/** Leases of the client's memory, against a binding that answers as it is told, on a clock that is set. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Edgeflake } from "../../src/client/edgeflake.ts";
import { CLAIM_LAPSES_MS } from "../../src/core/block-buffer.ts";

const FRESH_FOR_MS = 250;
const ROUND_TRIP_MS = 100;

let nowMs = 0;
beforeEach(() => {
  nowMs = 1_800_000_000_000;
  vi.spyOn(Date, "now").mockImplementation(() => nowMs);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A client, and the counts it asked for. A lease takes `takesMs` to come, or fails. */
function asking(lease: { takesMs: number; fails: boolean }) {
  const counts: number[] = [];
  let first = 1n;
  const binding = {
    blocks: async (_: string, count: number) => {
      counts.push(count);
      if (count > 1) nowMs += lease.takesMs;
      if (count > 1 && lease.fails) throw Object.assign(new Error("full"), { code: "internal" });
      const blocks = [{ first: `${first}`, count }];
      first += BigInt(count);
      return { blocks, shard: 0, freshForMs: FRESH_FOR_MS };
    },
    decode: () => Promise.reject(new Error("nothing is decoded here")),
  };
  const client = new Edgeflake({ binding, namespace: "orders", retries: 0 });
  /** Repeated demand: two calls that find nothing, a turn apart. */
  const missTwice = async () => {
    await client.next();
    await client.next();
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { client, counts, missTwice };
}

describe("a client's lease", () => {
  it.each([
    [FRESH_FOR_MS, true],
    [FRESH_FOR_MS + 1, false],
  ])("is counted from the question: %d ms after it, in memory: %s", async (ageMs, isInMemory) => {
    const { client, counts, missTwice } = asking({ takesMs: ROUND_TRIP_MS, fails: false });
    await missTwice();
    expect(counts.filter((count) => count > 1)).toHaveLength(1);
    nowMs += ageMs - ROUND_TRIP_MS;
    const id = client.next();
    expect(typeof id === "string").toBe(isInMemory);
    await id;
  });

  it("that failed is asked for again, once its claim has lapsed", async () => {
    const lease = { takesMs: 0, fails: true };
    const { client, counts, missTwice } = asking(lease);
    await missTwice();
    expect(counts.filter((count) => count > 1)).toHaveLength(1);
    lease.fails = false;
    await missTwice();
    expect(counts.filter((count) => count > 1)).toHaveLength(1);
    nowMs += CLAIM_LAPSES_MS;
    await missTwice();
    expect(counts.filter((count) => count > 1)).toHaveLength(2);
    expect(typeof client.next()).toBe("string");
  });
});
