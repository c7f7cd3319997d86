import type { Context } from "hono";
import { routePath } from "hono/route";

/** One JSON line for a request that failed inside. The route's pattern, not its values, so nothing secret gets in. */
export function logError(c: Context, error: Error): void {
  const requestId: unknown = c.get("requestId");
  const { method } = c.req;
  const { message, stack } = error;
  console.error(JSON.stringify({ requestId, method, route: routePath(c, -1), message, stack }));
}
