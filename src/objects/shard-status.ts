import { type Layout, tickAt } from "../core/layout/layout.ts";
import type { LineState } from "../core/line/line.ts";
import type { Refusal, RefusalCode } from "../core/refusal.ts";
import type { Counters } from "./counters.ts";

/** The status of one lane. */
export interface LaneStatus {
  readonly lane: number;
  readonly next: number;
  readonly mark: number;
  readonly leadTicks: number;
}

export interface ShardStatus {
  readonly shard: number;
  /** The shard's clock, in unix ms. */
  readonly nowMs: number;
  readonly lanes: readonly LaneStatus[];
  readonly counters: Counters & { readonly refusals: Partial<Record<RefusalCode, number>> };
}

export type StatusReply =
  | { readonly ok: true; readonly status: ShardStatus }
  | { readonly ok: false; readonly refusal: Refusal };

/** The status of all lanes of a line, with their lead over the clock. */
export function laneStatuses(layout: Layout, { lanes }: LineState, nowMs: number): LaneStatus[] {
  const nowTick = tickAt(layout, nowMs);
  return lanes.map(({ next, mark }, lane) => {
    const leadTicks = Math.max(0, Math.floor(next / layout.sequenceCount) - nowTick);
    return { lane, next, mark, leadTicks };
  });
}
