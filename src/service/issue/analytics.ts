/** What one issuing request came to. */
export interface Issuing {
  readonly route: "ids" | "blocks" | "leaf" | "rpc" | "tinyid";
  readonly namespace: string;
  readonly callerId: string;
  /** `issued`, `begun` (a stream), or a problem's code. */
  readonly outcome: string;
  /** IDs asked for. */
  readonly count: number;
  /** Absent: several shards, or none. */
  readonly shard?: number;
}

/**
 * Writes a data point for an issuing request, where Analytics Engine is bound.
 * index: namespace. blobs: route, caller's id, outcome. doubles: IDs asked for, shard (−1: several or none).
 */
export function recordIssuing(
  { ANALYTICS }: Env,
  { route, namespace, callerId, outcome, count, shard = -1 }: Issuing,
): void {
  try {
    ANALYTICS?.writeDataPoint({
      indexes: [namespace],
      blobs: [route, callerId, outcome],
      doubles: [count, shard],
    });
  } catch (error) {
    // A data point that is lost must not take its request with it.
    console.error(JSON.stringify({ analytics: error instanceof Error ? error.message : "failed" }));
  }
}
