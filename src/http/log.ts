import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import type { AppEnv } from "./app-env.ts";

/**
 * One JSON line for each request that failed: warnings for what the caller can mend, errors for the rest.
 * It has the route's pattern and the key's id, never values of the request: no key can get in.
 */
export const logFailures = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const { status } = c.res;
  if (status < 400) return;
  const line = {
    requestId: c.get("requestId"),
    method: c.req.method,
    route: routePath(c, -1),
    status,
    code: c.get("problemCode"),
    caller: c.get("caller")?.id,
    ...(c.error && { error: c.error.message, cause: causeOf(c.error), stack: c.error.stack }),
  };
  if (status < 500) console.warn(JSON.stringify(line));
  else console.error(JSON.stringify(line));
});

function causeOf({ cause }: Error): string | undefined {
  return cause instanceof Error ? cause.message : undefined;
}
