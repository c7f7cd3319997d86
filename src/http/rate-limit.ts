import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { AppEnv, NamespaceEnv } from "./app-env.ts";
import { RATE_LIMIT_PERIOD_S } from "./limits.ts";
import { problem } from "./problem.ts";

export const TOO_MANY_IDS = `Too many IDs were asked for within ${RATE_LIMIT_PERIOD_S} s.`;

/**
 * Charges `count` IDs to the caller: its key, or its address where access is open. The answer where it has
 * had too many; undefined where it may go on. Without the binding (plain workerd) there is no limit.
 */
export async function chargeIds(
  c: Context<NamespaceEnv>,
  count: number,
): Promise<Response | undefined> {
  if (await mayIssue(c.env, c.req.raw.headers, c.get("caller").id, count)) return undefined;
  return rateLimited(c, TOO_MANY_IDS);
}

/** Charges `count` IDs to a caller; false where it has had too many. Known at once where no limiter is bound. */
export function mayIssue(
  env: Env,
  headers: Headers,
  callerId: string,
  count: number,
): true | Promise<boolean> {
  // The generated type says it is always there; an unset binding is undefined, or null in plain workerd.
  const limiter: RateLimit | null | undefined = env.LIMITER;
  if (!limiter) return true;
  const key = env.ACCESS === "open" ? addressOf(headers) : `key:${callerId}`;
  return isWithinLimit(limiter, key, count);
}

/**
 * Charges the client's address for a key that the registry is to be asked about: anybody can make up keys of
 * the right form. Throws the answer where there were too many.
 */
export async function chargeLookUp(c: Context<AppEnv>): Promise<void> {
  const limiter: RateLimit | null | undefined = c.env.LOOKUP_LIMITER;
  if (!limiter || (await isWithinLimit(limiter, addressOf(c.req.raw.headers), 1))) return;
  const detail = `Too many keys were tried from this address within ${RATE_LIMIT_PERIOD_S} s.`;
  throw new HTTPException(429, { res: rateLimited(c, detail) });
}

function addressOf(headers: Headers): string {
  return `address:${headers.get("cf-connecting-ip") ?? ""}`;
}

function rateLimited(c: Context, detail: string): Response {
  return problem(c, { code: "rate_limited", detail, retryAfterMs: RATE_LIMIT_PERIOD_S * 1000 });
}

/** A limiter that fails lets callers on: it must not take the service down with it. */
async function isWithinLimit(limiter: RateLimit, key: string, delta: number): Promise<boolean> {
  try {
    return (await limiter.limit({ key, delta })).success;
  } catch (error) {
    console.error(JSON.stringify({ limiter: error instanceof Error ? error.message : "failed" }));
    return true;
  }
}
