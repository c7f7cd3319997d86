import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Checker } from "../../src/verify/checker.ts";
import { DIALECTS } from "../../src/verify/dialects.ts";
import type { Received } from "../../src/verify/http-sender.ts";
import { Load } from "../../src/verify/load.ts";
import { RULES } from "./history.ts";

/** In ms, of the clock that a run begins with. */
interface SentAt {
  readonly dueMs: number;
  readonly ms: number;
}

/** A run at a service that takes `tookMs` for its requests, in turn. `stopMs`: when it is stopped. */
function loadOf(rate: number, timeoutMs: number, tookMs: readonly number[], connections = 2) {
  const checker = new Checker({ ...RULES, requestsMax: rate, sources: [undefined] });
  const sent = vi.spyOn(checker, "sent");
  let open = 0;
  let openMax = 0;
  const send = async (): Promise<Received> => {
    open += 1;
    openMax = Math.max(openMax, open);
    const ms = tookMs[checker.requests.sent % tookMs.length] ?? 0;
    await new Promise((resolve) => setTimeout(resolve, Math.min(ms, timeoutMs)));
    open -= 1;
    return { kind: "indefinite", code: "timeout" };
  };
  const stopping = new AbortController();
  const requests = [{ path: "/", headers: {} }];
  const plan = { rate, seconds: 1, connections, timeoutMs, requests, turns: [0] };
  const parts = { checker, sender: { send }, dialect: DIALECTS.edgeflake, stop: stopping.signal };
  const ended = new Load(plan, parts).run();
  return {
    checker,
    ended,
    stop: () => stopping.abort(),
    openMax: () => openMax,
    sent: (): SentAt[] => sent.mock.calls.map(([, dueMs, { ms }]) => ({ dueMs, ms })),
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a load", () => {
  it("sends or skips each request, in order, none before it is due or long after", async () => {
    const took = fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 1, maxLength: 60 });
    const rate = fc.constantFrom(1, 7, 50, 300);
    const timeout = fc.integer({ min: 1, max: 100 });
    await fc.assert(
      fc.asyncProperty(rate, timeout, took, async (perSecond, timeoutMs, tookMs) => {
        const load = loadOf(perSecond, timeoutMs, tookMs);
        await vi.runAllTimersAsync();
        await load.ended;
        expect(load.checker.requests).toMatchObject({ due: perSecond });
        expect(load.openMax()).toBeLessThanOrEqual(2);
        let before = -1;
        for (const { dueMs, ms } of load.sent()) {
          expect(dueMs).toBeGreaterThan(before);
          expect(ms).toBeGreaterThanOrEqual(dueMs);
          expect(ms).toBeLessThanOrEqual(dueMs + timeoutMs);
          before = dueMs;
        }
      }),
    );
  });

  it("sends on schedule while connections are free, however slow the answers are", async () => {
    const load = loadOf(100, 60_000, [50_000], 100);
    await vi.runAllTimersAsync();
    expect(await load.ended).toBe(1000);
    expect(load.sent()).toEqual(
      Array.from({ length: 100 }, (_, at) => ({ dueMs: at * 10, ms: at * 10 })),
    );
  });

  it("ends where it is stopped: requests that were due are skipped, open ones end", async () => {
    const load = loadOf(100, 60_000, [2000], 3);
    await vi.advanceTimersByTimeAsync(455);
    load.stop();
    await vi.runAllTimersAsync();
    expect(await load.ended).toBe(455);
    expect(load.checker.requests).toMatchObject({ due: 46, sent: 3, skipped: 43, indefinite: 3 });
  });
});
