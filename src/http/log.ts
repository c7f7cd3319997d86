import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import { matchedRoutes } from "hono/route";
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
  // A dialect may say that it failed in an answer of status 200.
  const refused = c.get("dialectCode");
  if (status < 400 && refused === undefined) return;
  // An HTTPException is a refusal that middleware threw, not a failure.
  const error = c.error instanceof HTTPException ? undefined : (c.error ?? c.get("failure"));
  const line = {
    requestId: c.get("requestId"),
    method: c.req.method,
    route: routeOf(c),
    status,
    code: refused ?? c.get("problemCode"),
    caller: c.get("caller")?.id,
    ...(error && { error: error.message, cause: causeOf(error), stack: error.stack }),
  };
  if (status < 500 && error === undefined) console.warn(JSON.stringify(line));
  else console.error(JSON.stringify(line));
});

/** One line for a stream that began well and had to be cut off. */
export function logCutStream(c: Context, code: string): void {
  const requestId: unknown = c.get("requestId");
  const caller: ApiKeyRecord = c.get("caller");
  const line = {
    requestId,
    method: c.req.method,
    route: routeOf(c),
    code,
    caller: caller.id,
  };
  console.warn(JSON.stringify({ ...line, cut: true }));
}

/** The pattern of the route: middleware stands at `*`, before and behind it. */
function routeOf(c: Context): string {
  return matchedRoutes(c).find(({ path }) => !path.endsWith("*"))?.path ?? "*";
}

function causeOf({ cause }: Error): string | undefined {
  return cause instanceof Error ? cause.message : undefined;
}
