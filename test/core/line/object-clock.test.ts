import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ECHO_AGE_MAX_MS, FROZEN_CLOCK_MS } from "../../../src/core/limits.ts";
import {
  echoOf,
  isFrozen,
  isStronger,
  NO_ECHO,
  type SeenClock,
} from "../../../src/core/line/object-clock.ts";

const SHOWN = { instance: 7, nowMs: 5000 };
const SEEN = { ...SHOWN, seenAtMs: 90_000 };

describe("S7 K4 a clock is proved to be frozen", () => {
  it.each<[string, boolean, { instance: number; nowMs: number }, number]>([
    ["that has counted as much as the caller's", false, { instance: 7, nowMs: 6000 }, 1000],
    ["that has counted more: the call was queued", false, { instance: 7, nowMs: 36_000 }, 1000],
    ["that has just not lost enough", false, SHOWN, FROZEN_CLOCK_MS - 1],
    ["that has lost as much as proves it", true, SHOWN, FROZEN_CLOCK_MS],
    ["that went back", true, { instance: 7, nowMs: 0 }, 0],
    ["of another instance", false, { instance: 8, nowMs: 0 }, FROZEN_CLOCK_MS],
    ["seen longer ago than clocks stay in step", false, SHOWN, ECHO_AGE_MAX_MS + 1],
    ["seen in the future of a caller whose clock went back", false, SHOWN, -1],
  ])("one %s: %s", (_, isProved, own, passedMs) => {
    expect(isFrozen(own, echoOf(SEEN, SEEN.seenAtMs + passedMs))).toBe(isProved);
  });

  it.each([1, 10, 90, 101, 5000])("with a call every %d ms, after enough time", (everyMs) => {
    let seen: SeenClock = SEEN;
    let provedMs: number | undefined;
    for (let atMs = everyMs; atMs <= 30_000 && provedMs === undefined; atMs += everyMs) {
      const nowMs = SEEN.seenAtMs + atMs;
      if (isFrozen(SHOWN, echoOf(seen, nowMs))) provedMs = atMs;
      const shown = { ...SHOWN, seenAtMs: nowMs };
      if (isStronger(shown, seen)) seen = shown;
    }
    expect(provedMs).toBe(Math.ceil(FROZEN_CLOCK_MS / everyMs) * everyMs);
  });

  it("not by a caller without an echo", () => {
    expect(isFrozen({ instance: 1, nowMs: 0 }, NO_ECHO)).toBe(false);
  });

  it("never if it is right, however long replies and calls are under way or queued", () => {
    const delayMs = fc.nat({ max: 60_000 });
    fc.assert(
      fc.property(delayMs, fc.nat({ max: 20_000 }), delayMs, (replyMs, idleMs, callMs) => {
        const seenAtMs = SHOWN.nowMs + replyMs;
        const leavesMs = seenAtMs + idleMs;
        const own = { instance: 7, nowMs: leavesMs + callMs };
        const one = { ...SHOWN, seenAtMs };
        const later = {
          instance: 7,
          nowMs: SHOWN.nowMs + 5000,
          seenAtMs: seenAtMs + 5000 + callMs,
        };
        for (const seen of [one, isStronger(later, one) ? later : one]) {
          expect(isFrozen(own, echoOf(seen, leavesMs))).toBe(false);
        }
      }),
    );
  });
});
