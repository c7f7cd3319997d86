import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import { routePath } from "hono/route";
import type { ApiKeyRecord } from "../core/api-key.ts";
import type { AppEnv } from "./app-env.ts";

/**
 * One JSON line for each request that failed: warnings for what the caller can mend, errors for the rest.
 * It has the route's pattern and the key's id, and of the request's own values only its X-Request-Id,
 * cut to plain characters: no key gets in that is not sent there.
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
    // An HTTPException is a refusal that middleware threw, not a failure.
    ...(c.error &&
      !(c.error instanceof HTTPException) && {
        error: c.error.message,
        cause: causeOf(c.error),
        stack: c.error.stack,
      }),
  };
  if (status < 500) console.warn(JSON.stringify(line));
  else console.error(JSON.stringify(line));
});

/** One line for a stream that began well and had to be cut off. */
export function logCutStream(c: Context, code: string): void {
  const requestId: unknown = c.get("requestId");
  const caller: ApiKeyRecord = c.get("caller");
  const line = {
    requestId,
    method: c.req.method,
    route: routePath(c, -1),
    code,
    caller: caller.id,
  };
  console.warn(JSON.stringify({ ...line, cut: true }));
}

function causeOf({ cause }: Error): string | undefined {
  return cause instanceof Error ? cause.message : undefined;
}
