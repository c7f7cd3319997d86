import type { Context } from "hono";
import type { NamespaceEnv } from "./app-env.ts";

/**
 * Writes a data point for an issuing request, where Analytics Engine is bound.
 * index: namespace. blobs: route, caller's id, outcome. doubles: IDs asked for, shard (−1: several or none).
 */
export function recordIssuing(
  c: Context<NamespaceEnv>,
  route: "ids" | "blocks",
  { outcome, count, shard = -1 }: { outcome: string; count: number; shard?: number },
): void {
  c.env.ANALYTICS?.writeDataPoint({
    indexes: [c.get("namespace").name],
    blobs: [route, c.get("caller").id, outcome],
    doubles: [count, shard],
  });
}
