import { describe, expect, it } from "vitest";
import {
  MARK_READING_TRUSTED_MS,
  MARK_READING_USES_MAX,
  SETTLE_MS,
} from "../../../src/core/limits.ts";
import { type ClockPair, MarkReading } from "../../../src/core/line/mark-reading.ts";

const AT: ClockPair = { ownMs: 5000, callerMs: 4990 };

function later(ms: number): ClockPair {
  return { ownMs: AT.ownMs + ms, callerMs: AT.callerMs + ms };
}

const TOO_LATE = later(MARK_READING_TRUSTED_MS + 1);

/** At the same time by this object's clock, and earlier by the caller's. */
function behind(ms: number): ClockPair {
  return { ...AT, callerMs: AT.callerMs - ms };
}

function readingAt(at: ClockPair): MarkReading {
  const reading = new MarkReading();
  reading.made(at);
  return reading;
}

/** How many grants it covers, one after another. */
function usesOf(reading: MarkReading, at = AT): number {
  let uses = 0;
  while (uses < 10 * MARK_READING_USES_MAX && reading.covers(at)) uses += 1;
  return uses;
}

describe("a reading of a mark", () => {
  it.each<[string, boolean, ClockPair]>([
    ["the same clocks", true, { ...AT }],
    ["as late as it is trusted", true, later(MARK_READING_TRUSTED_MS)],
    ["a ms later than that", false, TOO_LATE],
    ["a ms earlier", false, { ...AT, ownMs: 4999 }],
    ["late for this object alone", false, { ...AT, ownMs: TOO_LATE.ownMs }],
    ["late for the caller alone", false, { ...AT, callerMs: TOO_LATE.callerMs }],
    ["a caller that is a little behind", true, behind(MARK_READING_TRUSTED_MS)],
    ["a caller that is far behind", false, behind(MARK_READING_TRUSTED_MS + 1)],
    ["the clocks swapped", false, { ownMs: 4990, callerMs: 5000 }],
  ])("covers a grant at %s: %s", (_, isCovered, at) => {
    expect(readingAt(AT).covers(at)).toBe(isCovered);
  });

  it("covers nothing before it is made", () => {
    expect(new MarkReading().covers(AT)).toBe(false);
    expect(new MarkReading().covers({ ownMs: 0, callerMs: 0 })).toBe(false);
  });

  it(`covers ${MARK_READING_USES_MAX} grants, and as many again once made again`, () => {
    const reading = readingAt(AT);
    expect(usesOf(reading)).toBe(MARK_READING_USES_MAX);
    expect(usesOf(reading)).toBe(0);
    reading.made(AT);
    expect(usesOf(reading)).toBe(MARK_READING_USES_MAX);
  });

  it("is not used up by grants that it does not cover", () => {
    const reading = readingAt(AT);
    expect(usesOf(reading, TOO_LATE)).toBe(0);
    expect(usesOf(reading)).toBe(MARK_READING_USES_MAX);
  });

  it("is replaced by the next one", () => {
    const reading = readingAt(AT);
    reading.made(TOO_LATE);
    expect(reading.covers(AT)).toBe(false);
    expect(reading.covers(TOO_LATE)).toBe(true);
  });

  it("ends before a successor's first answer, even with clocks rounded to a ms", () => {
    expect(MARK_READING_TRUSTED_MS + 1).toBeLessThan(SETTLE_MS);
  });
});
