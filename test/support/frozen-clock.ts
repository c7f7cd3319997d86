import { afterEach, beforeEach } from "vitest";
import { clock } from "./clock.ts";

/** Where the clock of each test stands at its begin. */
export const START_MS = Date.UTC(2026, 5, 1);

/** Freezes the clock at START_MS for each test of the file. */
export function freezeClock(): void {
  beforeEach(() => {
    clock.set(START_MS, "frozen");
  });
  afterEach(() => {
    clock.restore();
  });
}

/** Steps the frozen clock forward or back. */
export function step(ms: number): void {
  clock.step(ms, "frozen");
}
