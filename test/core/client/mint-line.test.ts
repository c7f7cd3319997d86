import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MintLine } from "../../../src/client/mint-line.ts";
import { decompose } from "../../../src/core/layout/id.ts";
import { PRESETS } from "../../../src/core/layout/presets.ts";

const RUNS = 100;
const HOUR_MS = 3_600_000;
const WORKER = 9;
/** A tick of each preset's line, some years in. */
const YEARS_MS = 5 * 365 * 24 * HOUR_MS;

const steps = fc.array(
  fc.oneof(
    fc.record({ clockMs: fc.constantFrom(0, 1, 1, 5, 1000, HOUR_MS, -1, -1000, -HOUR_MS) }),
    fc.record({ take: fc.constantFrom(1, 3, 64, 4096, 5000) }),
    fc.record({ next: fc.constantFrom(1, 2, 64, 500) }),
    fc.record({ raiseTicks: fc.constantFrom(0, 1, 60, 5000) }),
  ),
  { maxLength: 25 },
);

describe("a mint line under random demand and clocks", () => {
  it.each([...PRESETS.keys()])("%s: no ID twice, and none outside of the fence", (name) => {
    const preset = PRESETS.get(name);
    if (!preset) throw new Error("no such preset");
    const { layout, policy } = preset;
    let stamped = 0;
    fc.assert(
      fc.property(steps, fc.constantFrom(-3, 0, 2), (script, aheadTicks) => {
        let nowMs = layout.epochMs + YEARS_MS;
        const firstTick = YEARS_MS / layout.tickMs + aheadTicks;
        const begin = firstTick * layout.sequenceCount;
        const line = new MintLine(layout, policy, WORKER, begin, begin);
        expect(line.advance(nowMs)).toMatchObject({ kind: "fenced" });
        line.raiseEnd(begin + 10 * layout.sequenceCount);
        const seen = new Set<bigint>();
        const see = (first: bigint, count: number): void => {
          const low = decompose(layout, first);
          const high = decompose(layout, first + BigInt(count - 1));
          if (!low || !high) throw new Error(`${first} is none of this layout`);
          const last = high.tick * layout.sequenceCount + high.sequence;
          check(low.shard === WORKER && high.shard === WORKER, "its worker ID");
          check(low.lane === high.lane && low.tick === high.tick, "one run");
          check(low.tick >= firstTick && last < line.end, "inside the fence");
          check(last < line.unstamped, "below what is unstamped");
          const before = seen.size;
          for (let at = 0; at < count; at += 1) seen.add(first + BigInt(at));
          check(seen.size === before + count, "no ID twice");
        };
        for (const one of script) {
          if ("clockMs" in one) nowMs += one.clockMs;
          else if ("raiseTicks" in one) {
            const end = line.end;
            line.raiseEnd(end - layout.sequenceCount);
            expect(line.end).toBe(end);
            line.raiseEnd(end + one.raiseTicks * layout.sequenceCount);
          } else if ("take" in one) {
            const taken = line.take(nowMs, one.take);
            if ("kind" in taken) continue;
            for (const { first, count } of taken) see(first, count);
            expect(taken.reduce((sum, { count }) => sum + count, 0)).toBe(one.take);
          } else {
            for (let left = one.next; left > 0; left -= 1) {
              if (line.advance(nowMs)) break;
              const text = left % 2 ? line.nextText() : line.nextId()?.toString();
              check(text !== undefined, "an ID of a run that is open");
              see(BigInt(text ?? 0), 1);
            }
          }
        }
        stamped += seen.size;
      }),
      { numRuns: RUNS },
    );
    expect(stamped).toBeGreaterThan(RUNS);
  });
});

describe("a mint line", () => {
  const { layout, policy } = PRESETS.get("twitter") ?? {};
  if (!layout || !policy) throw new Error("no such preset");
  const nowMs = layout.epochMs + YEARS_MS;
  const begin = YEARS_MS * layout.sequenceCount;
  const tick = layout.sequenceCount;

  it("takes all or nothing", () => {
    const line = new MintLine(layout, policy, WORKER, begin, begin + 3 * tick);
    expect(line.take(nowMs, tick + 1)).toMatchObject({ kind: "wait", waitMs: 1 });
    expect(line.unstamped).toBe(begin);
    expect(line.take(nowMs, tick)).toMatchObject([{ count: tick }]);
    expect(line.take(nowMs + 2, tick + 1)).toMatchObject({ kind: "fenced" });
    expect(line.take(nowMs + 2, tick)).toMatchObject([{ count: tick }]);
  });

  it("first takes the rest of the run in use", () => {
    const line = new MintLine(layout, policy, WORKER, begin, begin + tick);
    expect(line.advance(nowMs)).toBeUndefined();
    const first = line.nextId() ?? 0n;
    expect(line.take(nowMs, 10)).toEqual([{ first: first + 1n, count: 10 }]);
    expect(line.nextId()).toBe(first + 11n);
    expect(line.take(nowMs, tick - 12)).toEqual([{ first: first + 12n, count: tick - 12 }]);
    expect([line.nextId(), line.nextText()]).toEqual([undefined, undefined]);
    expect(line.advance(nowMs)).toMatchObject({ kind: "fenced" });
  });

  it("skips the rest of an older tick's run", () => {
    const line = new MintLine(layout, policy, WORKER, begin, begin + 9 * tick);
    line.advance(nowMs);
    line.nextId();
    expect(line.advance(nowMs + 5)).toBeUndefined();
    expect(decompose(layout, line.nextId() ?? 0n)).toMatchObject({
      tick: YEARS_MS + 5,
      sequence: 0,
    });
  });

  it("names the first unused tick, after the whole run in use", () => {
    const line = new MintLine(layout, policy, WORKER, begin, begin + 9 * tick);
    expect(line.unstamped).toBe(begin);
    line.advance(nowMs + 1);
    line.nextId();
    expect(line.unstamped).toBe(begin + 2 * tick);
  });
});

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(`broken: ${what}`);
}

describe("taking many", () => {
  const { layout, policy } = PRESETS.get("twitter") ?? {};
  if (!layout || !policy) throw new Error("no such preset");
  const nowMs = layout.epochMs + YEARS_MS;
  const begin = YEARS_MS * layout.sequenceCount;
  const line = () => new MintLine(layout, policy, WORKER, begin, begin * 2);

  it("takes as many as an idle line opens, and says how many that is", () => {
    expect(line().takeMax).toBe(4096);
    expect(line().take(nowMs, 4096)).toMatchObject([{ count: 4096 }]);
    expect(line().take(nowMs, 4097)).toMatchObject({ kind: "wait", waitMs: 1 });
  });

  it("drops the rest of a run that the clock has passed: IDs increase", () => {
    const one = line();
    one.advance(nowMs);
    const first = one.nextId() ?? 0n;
    const taken = one.take(nowMs + 5, 1);
    if ("kind" in taken) throw new Error(taken.kind);
    expect(taken[0]?.first).toBeGreaterThan(first);
    expect(one.nextId()).toBeUndefined();
    one.advance(nowMs + 5);
    expect(one.nextId()).toBeGreaterThan(taken[0]?.first ?? 0n);
  });

  it("continues a run of the current tick", () => {
    const one = line();
    one.advance(nowMs);
    const first = one.nextId() ?? 0n;
    expect(one.take(nowMs, 2)).toEqual([{ first: first + 1n, count: 2 }]);
    expect(one.nextId()).toBe(first + 3n);
  });
});
