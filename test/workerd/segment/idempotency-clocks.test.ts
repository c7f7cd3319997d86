/** D7 of objects/segments: one wild clock, the object's or its caller's, forgets no Idempotency-Key. */
import { describe, expect, it } from "vitest";
import { IDEMPOTENCY_KEPT_MS } from "../../../src/core/limits.ts";
import { ask, CLOSED } from "../../support/admin.ts";
import { clock, START_MS, useClock } from "../../support/clock.ts";
import { keysKept, someSegment } from "../../support/numbers.ts";
import { recordedSegments } from "../../support/recorded/recorded-segments.ts";
import { segmentOf, segmentsOf, specOf } from "../../support/segments.ts";

useClock();

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RIGHT = { objectMs: 0, callerMs: 0 };

/** A segment object whose calls use both clocks, each with an offset from the right time in ms. */
function segment(name: string) {
  let rightMs = START_MS;
  return {
    /** The number of that key, a new one or the same as before. */
    async numberFor(key: string, { objectMs, callerMs } = RIGHT): Promise<bigint> {
      clock.set(rightMs + objectMs);
      const call = segmentsOf(name).nextNumbers(specOf(), 1, key, rightMs + callerMs);
      return segmentOf(await call).from;
    },
    /** Both clocks, were they right. */
    pass(ms: number) {
      rightMs += ms;
    },
  };
}

const WILD = [-400 * DAY_MS, -DAY_MS, -HOUR_MS, HOUR_MS, DAY_MS, 400 * DAY_MS].flatMap((ms) => [
  [`the object's, by ${ms / HOUR_MS} h`, { objectMs: ms, callerMs: 0 }] as const,
  [`its caller's, by ${ms / HOUR_MS} h`, { objectMs: 0, callerMs: ms }] as const,
]);

describe("D7 a key is kept for 24 h, even if one clock is wrong: ", () => {
  it.each(WILD)("%s, while another key is used", async (title, wild) => {
    const { numberFor, pass } = segment(`d7-other ${title}`);
    const first = await numberFor("k");
    pass(1000);
    await numberFor("other", wild);
    expect(await numberFor("k")).toBe(first);
    pass(IDEMPOTENCY_KEPT_MS - 1001);
    expect(await numberFor("k")).toBe(first);
  });

  it.each(WILD)("%s, when it is first used", async (title, wild) => {
    const { numberFor, pass } = segment(`d7-first ${title}`);
    const first = await numberFor("k", wild);
    // New keys make the object delete old ones.
    await numberFor("other");
    expect(await numberFor("k")).toBe(first);
    pass(IDEMPOTENCY_KEPT_MS - 1);
    await numberFor("another");
    expect(await numberFor("k")).toBe(first);
  });

  it.each(WILD)("%s, when it is used again", async (title, wild) => {
    const { numberFor, pass } = segment(`d7-again ${title}`);
    const first = await numberFor("k");
    pass(IDEMPOTENCY_KEPT_MS - 1);
    expect(await numberFor("k", wild)).toBe(first);
  });
});

describe("D7 old keys are deleted, even if one clock was wrong: ", () => {
  it.each(WILD)("%s, when they were used", async (title, wild) => {
    const name = `d7-old ${title}`;
    const { numberFor, pass } = segment(name);
    await numberFor("first");
    const old = ["a", "b", "c", "d", "e"];
    for (const key of old) await numberFor(key, wild);
    // By then they are the oldest, and seen to be stamped ahead.
    pass(IDEMPOTENCY_KEPT_MS);
    for (const key of ["f", "g"]) await numberFor(key);
    pass(IDEMPOTENCY_KEPT_MS);
    for (const key of ["h", "i", "j", "k"]) await numberFor(key);
    const young = ["h", "i", "j", "k"];
    expect(await keysKept(name, young)).toEqual(young);
  });
});

it("D7 each try carries the caller's clock, read just before it", async () => {
  const name = await someSegment();
  const { segments, calls } = recordedSegments(async () => {
    clock.step(250);
    throw new Error("reset");
  });
  const headers = { "idempotency-key": "k" };
  await ask(`/v1/ids/${name}`, { headers, bindings: { ...CLOSED, SEGMENTS: segments } });
  expect(calls.map(({ callerNowMs }) => callerNowMs)).toEqual([START_MS, START_MS + 250]);
});
