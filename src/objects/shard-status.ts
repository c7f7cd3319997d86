import { type Layout, tickAt } from "../core/layout/layout.ts";
import type { LineState } from "../core/line/line.ts";
import type { Refusal, RefusalCode } from "../core/refusal.ts";
import type { Counters } from "./counters.ts";

/** One lane as an operator sees it. */
export interface LaneStatus {
  readonly lane: number;
  readonly next: number;
  readonly mark: number;
  readonly leadTicks: number;
}

export interface ShardStatus {
  readonly shard: number;
  /** The shard's clock, unix ms. */
  readonly nowMs: number;
  readonly lanes: readonly LaneStatus[];
  readonly counters: Counters & { readonly refusals: Partial<Record<RefusalCode, number>> };
}

export type StatusReply =
  | { readonly ok: true; readonly status: ShardStatus }
  | { readonly ok: false; readonly refusal: Refusal };

/** Every lane of a line, and how far it leads the clock. */
export function laneStatuses(layout: Layout, { lanes }: LineState, nowMs: number): LaneStatus[] {
  const nowTick = tickAt(layout, nowMs);
  return lanes.map(({ next, mark }, lane) => {
    const leadTicks = Math.max(0, Math.floor(next / layout.sequenceCount) - nowTick);
    return { lane, next, mark, leadTicks };
  });
}
