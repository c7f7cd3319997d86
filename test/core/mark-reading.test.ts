import { describe, expect, it } from "vitest";
import {
  MARK_READING_TRUSTED_MS,
  MARK_READING_USES_MAX,
  SETTLE_MS,
} from "../../src/core/limits.ts";
import { MarkReading } from "../../src/core/mark-reading.ts";
import type { ClockPair } from "../../src/core/standstill.ts";

const LANE = 2;
const AT: ClockPair = { ownMs: 5000, callerMs: 4990 };

function later(ms: number): ClockPair {
  return { ownMs: AT.ownMs + ms, callerMs: AT.callerMs + ms };
}

const TOO_LATE = later(MARK_READING_TRUSTED_MS + 1);

/** At the same time by this object's clock, and earlier by the caller's. */
function behind(ms: number): ClockPair {
  return { ...AT, callerMs: AT.callerMs - ms };
}

function readingAt(lane: number, at: ClockPair): MarkReading {
  const reading = new MarkReading();
  reading.made(lane, at);
  return reading;
}

/** How many grants it covers, one after another. */
function usesOf(reading: MarkReading, lane = LANE, at = AT): number {
  let uses = 0;
  while (uses < 10 * MARK_READING_USES_MAX && reading.covers(lane, at)) uses += 1;
  return uses;
}

describe("a reading of a mark", () => {
  it.each<[string, boolean, number, ClockPair]>([
    ["the same lane and clocks", true, LANE, { ...AT }],
    ["another lane", false, LANE + 1, AT],
    ["the first lane", false, 0, AT],
    ["as late as it is trusted", true, LANE, later(MARK_READING_TRUSTED_MS)],
    ["a ms later than that", false, LANE, TOO_LATE],
    ["a ms earlier", false, LANE, { ...AT, ownMs: 4999 }],
    ["late for this object alone", false, LANE, { ...AT, ownMs: TOO_LATE.ownMs }],
    ["late for the caller alone", false, LANE, { ...AT, callerMs: TOO_LATE.callerMs }],
    ["a caller that is a little behind", true, LANE, behind(MARK_READING_TRUSTED_MS)],
    ["a caller that is far behind", false, LANE, behind(MARK_READING_TRUSTED_MS + 1)],
    ["the clocks swapped", false, LANE, { ownMs: 4990, callerMs: 5000 }],
  ])("covers a grant at %s: %s", (_, isCovered, lane, at) => {
    expect(readingAt(LANE, AT).covers(lane, at)).toBe(isCovered);
  });

  it("not made yet covers nothing", () => {
    expect(new MarkReading().covers(LANE, AT)).toBe(false);
    expect(new MarkReading().covers(0, { ownMs: 0, callerMs: 0 })).toBe(false);
  });

  it(`covers ${MARK_READING_USES_MAX} grants, and as many again once made again`, () => {
    const reading = readingAt(LANE, AT);
    expect(usesOf(reading)).toBe(MARK_READING_USES_MAX);
    expect(usesOf(reading)).toBe(0);
    reading.made(LANE, AT);
    expect(usesOf(reading)).toBe(MARK_READING_USES_MAX);
  });

  it("is not used up by what it does not cover", () => {
    const reading = readingAt(LANE, AT);
    expect(usesOf(reading, LANE + 1)).toBe(0);
    expect(usesOf(reading, LANE, TOO_LATE)).toBe(0);
    expect(usesOf(reading)).toBe(MARK_READING_USES_MAX);
  });

  it("is replaced by the next one, of whichever lane", () => {
    const reading = readingAt(LANE, AT);
    reading.made(LANE + 1, TOO_LATE);
    expect(reading.covers(LANE, AT)).toBe(false);
    expect(reading.covers(LANE, TOO_LATE)).toBe(false);
    expect(reading.covers(LANE + 1, TOO_LATE)).toBe(true);
  });

  it("is over, with the rest of the ms that clocks do not show, before a successor's first answer", () => {
    expect(MARK_READING_TRUSTED_MS + 1).toBeLessThan(SETTLE_MS);
  });
});
