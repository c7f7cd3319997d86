/** Numbers without a hole, and bursts that never fail, through the whole Worker and real evictions. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { worker } from "../../../src/http/worker.ts";
import { put } from "../../support/admin.ts";
import { useClock } from "../../support/clock.ts";
import { checkAnswer } from "../../support/contract.ts";
import { evict, inSegments, maxIdOf, numbersFrom } from "../../support/segments.ts";
import { type Handler, NO_LIMITERS } from "../../support/send.ts";

useClock("waits");

const WORKER: Handler = worker;
const SEGMENT = { kind: "segment", step: 2000, start: 1 };

/** No limiter: each of its calls costs as much as all the rest. */
const BINDINGS: Env = Object.assign({ ...env }, NO_LIMITERS);

/** IDs of a request that must succeed, and what it leaves behind has ended. */
async function idsOf(name: string, query: string, checked = true): Promise<bigint[]> {
  const path = `/v1/ids/${name}${query}`;
  const context = createExecutionContext();
  const request = new Request(`https://edgeflake.test${path}`);
  const response = await WORKER.fetch(request, BINDINGS, context);
  if (checked) await checkAnswer("GET", path, response);
  const text = await response.text();
  await waitOnExecutionContext(context);
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text).ids.map(BigInt);
}

function sorted(ids: readonly bigint[]): bigint[] {
  return [...ids].sort((one, other) => (one < other ? -1 : 1));
}

function isIncreasing(ids: readonly bigint[]): boolean {
  return ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id));
}

/** Calls `ask` so many times at once; all answers. */
async function atOnce(times: number, ask: (index: number) => Promise<bigint[]>) {
  const answers = await Promise.all(Array.from({ length: times }, (_, index) => ask(index)));
  return answers.flat();
}

describe("order=strict", () => {
  /** `rounds` of 16 requests at once, with evictions between. */
  async function isGapless(name: string, rounds: number): Promise<void> {
    await put(name, SEGMENT);
    const answered: bigint[][] = [];
    for (let round = 0; round < rounds; round += 1) {
      // One of each round is checked against the document: checking all would double the time.
      answered.push(await atOnce(16, (index) => idsOf(name, "?order=strict", index === 0)));
      if (round % 10 === 0) await evict(name);
    }
    const ids = sorted(answered.flat());
    expect(ids).toHaveLength(rounds * 16);
    // One by one: the difference of so many would take minutes to show.
    expect(ids.findIndex((id, index) => id !== BigInt(1 + index))).toBe(-1);
    // A request sent after a response gets a larger number.
    expect(isIncreasing(answered.flatMap(sorted))).toBe(true);
    expect(await maxIdOf(name)).toBe(`${rounds * 16 + 1}`);
  }

  it("800 requests, 16 at once, with evictions between: exactly 1 to 800", async () => {
    await isGapless("gapless", 50);
  });

  it("10,000 requests, 16 at once, with evictions between: exactly 1 to 10,000", {
    tags: ["long"],
    timeout: 180_000,
  }, async () => {
    await isGapless("gapless-long", 625);
  });

  it.each(["?order=strict&count=7", "?key=a&count=7", "?shard=0&count=7"])(
    "%s: each response continues after the last one, through evictions and fresh requests",
    async (query) => {
      const name = `chain-${query.length}`;
      await put(name, { kind: "segment", step: 10, start: 1 });
      const ids: bigint[] = [];
      for (let round = 0; round < 5; round += 1) {
        ids.push(...(await idsOf(name, query)));
        await evict(name);
      }
      expect(ids).toEqual(numbersFrom(1, 35));
      const fresh = await idsOf(name, "?count=3");
      const after = await idsOf(name, query);
      expect(fresh).toEqual(numbersFrom(36, 3));
      expect(after).toEqual(numbersFrom(46, 7));
    },
  );
});

describe("a burst of 200 requests on a cold buffer", () => {
  it.each([
    [1, 2000],
    [7, 50],
  ])("of %d, at a step of %d: never fails, and repeats no number", async (count, step) => {
    const name = `burst-${count}-${step}`;
    await put(name, { kind: "segment", step });
    const query = count === 1 ? "" : `?count=${count}`;
    const ids = await atOnce(200, (index) => idsOf(name, query, index % 50 === 0));
    expect(new Set(ids).size).toBe(200 * count);
  });

  it("with evictions between: never fails, and repeats no number", async () => {
    await put("evicted", { kind: "segment", step: 20 });
    const ids: bigint[] = [];
    for (let part = 0; part < 10; part += 1) {
      const burst = atOnce(20, (index) =>
        idsOf("evicted", index % 4 ? "" : "?count=5", index === 0),
      );
      ids.push(...(await burst));
      await evict("evicted");
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(10 * (15 + 5 * 5));
  });

  it("with a reset of the object in the middle: never fails, and repeats no number", async () => {
    await put("under", { kind: "segment", step: 20 });
    let resets = 0;
    const ids = await atOnce(200, async (index) => {
      if (index === 100) {
        const reset = inSegments("under", (_, state) => state.abort("test"));
        await reset.catch(() => {
          resets += 1;
        });
      }
      return idsOf("under", "", false);
    });
    expect(resets).toBe(1);
    expect(new Set(ids).size).toBe(200);
  });
});
