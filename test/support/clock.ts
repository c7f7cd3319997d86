import { vi } from "vitest";

const realNow = Date.now.bind(Date);

/** The clock of this isolate, the object's included: it runs on from where it is set. */
export const clock = {
  /** Sets it to `unixMs`, running or frozen there. */
  set(unixMs: number, runs: "runs" | "frozen" = "runs"): void {
    const offsetMs = unixMs - realNow();
    vi.spyOn(Date, "now").mockImplementation(
      runs === "runs" ? () => realNow() + offsetMs : () => unixMs,
    );
  },

  /** Steps it forward or back. */
  step(stepMs: number, runs: "runs" | "frozen" = "runs"): void {
    clock.set(Date.now() + stepMs, runs);
  },

  /** Back to the real clock. */
  restore(): void {
    vi.restoreAllMocks();
  },
};
