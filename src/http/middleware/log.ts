import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import { matchedRoutes } from "hono/route";
import type { ApiKeyRecord } from "../../core/api-key.ts";
import { isRefusal } from "../../service/issue/problem-of-error.ts";
import type { AppEnv } from "./app-env.ts";

/** A request that failed, for the log. */
export interface Failure {
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern. */
  readonly route: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly caller: ApiKeyRecord | undefined;
  /** The thrown error. */
  readonly error?: unknown;
  /** True if the response started with status 200 and could not finish. */
  readonly cut?: boolean;
}

/**
 * Writes one JSON line: a warning if the caller can fix the failure, otherwise an error. The line has the route's
 * pattern and the API key's id. Its only value from the request is a plain X-Request-Id, so it can contain a key only
 * if the caller sends the key there.
 */
export function logFailure({ caller, error, ...facts }: Failure): void {
  const thrown =
    error instanceof Error
      ? { error: error.message, cause: causeOf(error), stack: error.stack }
      : error !== undefined && { error: "something else was thrown" };
  const line = JSON.stringify({ ...facts, caller: caller?.id, ...thrown });
  if (facts.status < 500 && error === undefined) console.warn(line);
  else console.error(line);
}

/** Logs requests that failed. */
export const logFailures = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const { status } = c.res;
  // A dialect can report a failure with status 200.
  const refused = c.get("dialectCode");
  if (status < 400 && refused === undefined) return;
  // An HTTPException is a refusal by middleware, not a failure.
  const isRefused = c.error instanceof HTTPException || isRefusal(c.error);
  const error = isRefused ? undefined : (c.error ?? c.get("failure"));
  logFailure({
    requestId: c.get("requestId"),
    method: c.req.method,
    route: routeOf(c),
    status,
    code: refused ?? c.get("problemCode"),
    caller: c.get("caller"),
    error,
  });
});

/** The pattern of the route, without the patterns of middleware (`*`). */
function routeOf(c: Context): string {
  return matchedRoutes(c).find(({ path }) => !path.endsWith("*"))?.path ?? "*";
}

function causeOf({ cause }: Error): string | undefined {
  return cause instanceof Error ? cause.message : undefined;
}
