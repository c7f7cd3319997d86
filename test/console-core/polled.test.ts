/** When a section polls again, and when it stops. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PollFailure } from "../../src/console/parts/poll-failure.tsx";
import { NOTHING, ONCE, type Polled, poll } from "../../src/console/polled.ts";
import { htmlOf, wordsOf } from "./view.ts";

const EVERY_MS = 5000;
/** Longer than any usual pause. */
const LONG_MS = 60_000;

/** The part of a browser that is needed: whether the page is visible. */
class Page extends EventTarget {
  visibilityState = "visible";

  show(state: "hidden" | "visible"): void {
    this.visibilityState = state;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

const fetched = vi.fn<typeof fetch>();
let page = new Page();

beforeEach(() => {
  vi.useFakeTimers();
  page = new Page();
  vi.stubGlobal("fetch", fetched);
  vi.stubGlobal("document", page);
  fetched.mockImplementation(async () => Response.json({ n: looks() }));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  fetched.mockReset();
});

const looks = () => fetched.mock.calls.length;
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function refuses(status: number, body: object = {}): void {
  fetched.mockImplementation(async () => Response.json(body, { status }));
}

/** A section that polls, with what it shows. */
function open(everyMs = EVERY_MS): { polled: () => Polled; leave: () => void } {
  let polled = NOTHING;
  const task = { path: "/v1/shards/default", everyMs, isAnswer: () => true };
  const leave = poll(task, (change) => {
    polled = change(polled);
  });
  return { polled: () => polled, leave };
}

function said(polled: Polled): string {
  return wordsOf(htmlOf(PollFailure({ polled, scope: "read" })));
}

describe("a section", () => {
  it("polls at once, and again after each response", async () => {
    const { polled } = open();
    await pass(0);
    expect(looks()).toBe(1);
    await pass(EVERY_MS);
    expect(polled()).toMatchObject({ answer: { n: 2 } });
    expect(polled().error).toBeUndefined();
  });

  it("has one open request at a time, even if the service is slow", async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    fetched.mockReturnValueOnce(promise);
    open();
    for (let time = 0; time < 5; time += 1) {
      page.show("visible");
      await pass(1000);
    }
    expect(looks()).toBe(1);
    resolve(Response.json({}));
    await pass(EVERY_MS);
    expect(looks()).toBe(2);
  });

  it("stops polling after it is left: at once, during a request, or later", async () => {
    const first = open();
    first.leave();
    await pass(LONG_MS);
    expect(looks()).toBe(1);
    expect(first.polled()).toBe(NOTHING);
    expect(fetched.mock.lastCall?.[1]?.signal?.aborted).toBe(true);
    const second = open();
    await pass(1.5 * EVERY_MS);
    const before = looks();
    second.leave();
    page.show("visible");
    await pass(LONG_MS);
    expect(looks()).toBe(before);
  });

  it("does not poll while the page is hidden, and polls at once when it is visible again", async () => {
    page.visibilityState = "hidden";
    open();
    await pass(LONG_MS);
    expect(looks()).toBe(0);
    page.show("visible");
    await pass(0);
    expect(looks()).toBe(1);
    page.show("hidden");
    await pass(LONG_MS);
    expect(looks()).toBe(1);
    page.show("visible");
    expect(looks()).toBe(2);
  });

  it("requests constant data until a response arrives", async () => {
    refuses(503);
    open(ONCE);
    await pass(LONG_MS);
    expect(looks()).toBeGreaterThan(2);
    fetched.mockImplementation(async () => Response.json({}));
    await pass(LONG_MS);
    const before = looks();
    page.show("visible");
    await pass(LONG_MS);
    expect(looks()).toBe(before);
  });
});

describe("an overloaded service", () => {
  it.each(["shard_saturated", "clock_behind", "registry_unavailable", "not_configured"])(
    "503 %s: the last response stays, and the section recovers",
    async (code) => {
      const { polled } = open();
      await pass(0);
      refuses(503, { code, detail: `Why ${code}.`, retryAfterMs: 2500 });
      await pass(EVERY_MS);
      expect(polled().answer).toEqual({ n: 1 });
      expect(said(polled())).toBe(
        `Why ${code}. Try again in 3 s. This page shows the last response. The console retries while the page is visible.`,
      );
      fetched.mockImplementation(async () => Response.json({}));
      await pass(3000);
      expect(polled().error).toBeUndefined();
      expect(said(polled())).toBe("");
    },
  );

  it.each([365 * 86_400_000, 30 * 86_400_000, 1e300, -1, 0])(
    "a pause of %d ms: polls seldom, but does not stop",
    async (retryAfterMs) => {
      refuses(503, { retryAfterMs });
      open();
      await pass(3000);
      expect(looks()).toBeLessThanOrEqual(3);
      await pass(10 * LONG_MS);
      expect(looks()).toBeGreaterThan(1);
    },
  );

  it("429: the last response stays, and the next request comes later", async () => {
    const { polled } = open();
    await pass(0);
    refuses(429);
    await pass(EVERY_MS);
    expect(polled().answer).toEqual({ n: 1 });
    const before = looks();
    await pass(2 * EVERY_MS);
    expect(looks()).toBe(before);
  });

  it("polls an unreachable service again soon", async () => {
    fetched.mockRejectedValue(new TypeError("refused"));
    const { polled } = open(30_000);
    await pass(3000);
    expect(said(polled())).toMatch(/^The service does not answer\. The console retries/);
    expect(looks()).toBeGreaterThan(1);
  });

  it.each([400, 401, 403, 404])("%d: removes the last response", async (status) => {
    const { polled } = open();
    await pass(0);
    refuses(status);
    await pass(EVERY_MS);
    expect(polled().answer).toBeUndefined();
    expect(said(polled())).not.toContain("answered last");
  });
});
