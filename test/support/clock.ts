import { afterEach, beforeEach, vi } from "vitest";

/** Where `useClock` sets the clock before each test. */
export const START_MS = Date.UTC(2026, 5, 1);

/** "frozen": waits take real time and do not move it. "waits": a wait takes no time and moves it instead. */
type MovedBy = "frozen" | "waits";

const realWait = scheduler.wait.bind(scheduler);
let nowMs = 0;

/** The clock of this isolate, the objects' included. Once set it never follows real time, on which no test may depend. */
export const clock = {
  /** `movedBy`: as before unless given. */
  set(unixMs: number, movedBy?: MovedBy): void {
    nowMs = unixMs;
    vi.spyOn(Date, "now").mockImplementation(() => nowMs);
    if (movedBy === "waits") vi.spyOn(scheduler, "wait").mockImplementation(waitVirtually);
  },

  /** Steps it forward or back. A clock that was not set is frozen from then on. */
  step(stepMs: number): void {
    const to = Date.now() + stepMs;
    if (vi.isMockFunction(Date.now)) nowMs = to;
    else clock.set(to);
  },

  /** Back to the real clock. */
  restore(): void {
    vi.restoreAllMocks();
  },
};

/** Sets the clock to START_MS before each test of the file, and restores it afterwards. */
export function useClock(movedBy: MovedBy = "frozen"): void {
  beforeEach(() => {
    clock.set(START_MS, movedBy);
  });
  afterEach(() => {
    clock.restore();
  });
}

async function waitVirtually(waitMs: number, options?: { signal?: AbortSignal }): Promise<void> {
  // A wait that can be aborted is a deadline of real work.
  if (options?.signal) return await realWait(waitMs, options);
  const untilMs = nowMs + waitMs;
  await realWait(0);
  nowMs = Math.max(nowMs, untilMs);
}
