/** The outcome of one issuing request. */
export interface Issuing {
  readonly route: "ids" | "blocks" | "leaf" | "rpc" | "tinyid";
  readonly namespace: string;
  readonly callerId: string;
  /** `issued`, `begun` (a stream), or a problem's code. */
  readonly outcome: string;
  /** Number of requested IDs. */
  readonly count: number;
  /** Absent for several shards, or none. */
  readonly shard?: number;
}

/**
 * Writes a data point for an issuing request if Analytics Engine is bound. index: namespace. blobs: route, caller's id,
 * outcome. doubles: number of requested IDs, shard (−1: several or none).
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
    // A lost data point must not fail its request.
    console.error(JSON.stringify({ analytics: error instanceof Error ? error.message : "failed" }));
  }
}
