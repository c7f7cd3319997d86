import type { Context } from "hono";
import type { NamespaceEnv } from "./app-env.ts";
import { RATE_LIMIT_PERIOD_S } from "./limits.ts";
import { problem } from "./problem.ts";

/**
 * Charges `count` IDs to the caller: its key, or its address where access is open. The answer where it has
 * had too many; undefined where it may go on. Without the binding (plain workerd) there is no limit.
 */
export async function chargeIds(
  c: Context<NamespaceEnv>,
  count: number,
): Promise<Response | undefined> {
  // The generated type says it is always there; an unset binding is undefined, or null in plain workerd.
  const limiter: RateLimit | null | undefined = c.env.LIMITER;
  if (!limiter) return undefined;
  const { id } = c.get("caller");
  const address = c.req.header("cf-connecting-ip") ?? "";
  const key = c.env.ACCESS === "open" ? `address:${address}` : `key:${id}`;
  if (await isWithinLimit(limiter, key, count)) return undefined;
  const detail = `Too many IDs were asked for within ${RATE_LIMIT_PERIOD_S} s.`;
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
