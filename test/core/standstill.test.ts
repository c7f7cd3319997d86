import { describe, expect, it } from "vitest";
import { type ClockPair, isAhead, observePair, standsStill } from "../../src/core/standstill.ts";

/** Feeds pairs of [own, caller's] clock, and says after which one our clock is found to stand still. */
function foundAt(pairs: readonly [ownMs: number, callerMs: number][]): number | undefined {
  let seen: ClockPair | undefined;
  for (const [index, [ownMs, callerMs]] of pairs.entries()) {
    const now = { ownMs, callerMs };
    seen = observePair(seen, now);
    if (standsStill(seen, now)) return index;
  }
  return undefined;
}

describe("a clock that stands still", () => {
  it.each<[string, [number, number][], number | undefined]>([
    [
      "found once callers moved 100 ms",
      [
        [5000, 5000],
        [5000, 3000],
        [5000, 3099],
        [5000, 3100],
      ],
      3,
    ],
    [
      "found at low rates too",
      [
        [5000, 5000],
        [5000, 1000],
        [5000, 3500],
      ],
      2,
    ],
    [
      "not found where it moves",
      [
        [5000, 3000],
        [5001, 3200],
        [5002, 3400],
      ],
      undefined,
    ],
    [
      "not found within a second",
      [
        [5000, 4000],
        [5000, 4100],
        [5000, 4999],
      ],
      undefined,
    ],
    [
      "not found by one lagging caller",
      [
        [5000, 1000],
        [5000, 1000],
        [5001, 1000],
      ],
      undefined,
    ],
    [
      "not found frozen together",
      [
        [5000, 5000],
        [5000, 5000],
        [5000, 5000],
      ],
      undefined,
    ],
    [
      "not found where callers are ahead",
      [
        [5000, 5100],
        [5000, 5300],
      ],
      undefined,
    ],
  ])("is %s", (_, pairs, index) => {
    expect(foundAt(pairs)).toBe(index);
  });

  it("is not waited by from a second on", () => {
    expect(isAhead({ ownMs: 5000, callerMs: 4000 })).toBe(false);
    expect(isAhead({ ownMs: 5001, callerMs: 4000 })).toBe(true);
  });
});
