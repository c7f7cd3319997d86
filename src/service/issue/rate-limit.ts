/**
 * Rate limits, by the bindings LIMITER (IDs), REQUEST_LIMITER (requests for IDs) and LOOKUP_LIMITER (keys). Without a
 * binding there is no limit.
 */
import type { Problem } from "../../core/problem.ts";
import { RATE_LIMIT_PERIOD_S } from "../limits.ts";

/** One address has sent too many unknown keys. */
export class KeysLimitedError extends Error {
  override readonly name = "KeysLimitedError";
}

export const IDS_LIMITED = limited(
  `Too many IDs, or requests for IDs, within ${RATE_LIMIT_PERIOD_S} s; retry later.`,
);
export const KEYS_LIMITED = limited(
  `Too many keys were tried from this address within ${RATE_LIMIT_PERIOD_S} s; retry later.`,
);

function limited(detail: string): Problem {
  return { code: "rate_limited", detail, retryAfterMs: RATE_LIMIT_PERIOD_S * 1000 };
}

/**
 * Charges `count` IDs and one request to an API key, or to the client's address if access is open. Returns false at a
 * limit.
 */
export function chargeIds(
  { LIMITER, REQUEST_LIMITER, ACCESS }: Env,
  headers: Headers,
  apiKeyId: string,
  count: number,
): true | Promise<boolean> {
  const payer = ACCESS === "open" ? addressOf(headers) : `key:${apiKeyId}`;
  const charges = [
    ...(isBound(LIMITER) ? [isWithin(LIMITER, payer, count)] : []),
    ...(isBound(REQUEST_LIMITER) ? [isWithin(REQUEST_LIMITER, payer, 1)] : []),
  ];
  return charges.length === 0 || Promise.all(charges).then((all) => !all.includes(false));
}

/**
 * Charges the client's address for a key look-up at the registry: anybody can send keys of the right form. Throws
 * KeysLimitedError.
 */
export async function chargeLookUp({ LOOKUP_LIMITER }: Env, headers: Headers): Promise<void> {
  if (!isBound(LOOKUP_LIMITER)) return;
  if (!(await isWithin(LOOKUP_LIMITER, addressOf(headers), 1))) {
    throw new KeysLimitedError(KEYS_LIMITED.detail);
  }
}

/**
 * Whether a limiter is bound. Contrary to its generated type, an unset binding is undefined, or null in plain workerd.
 */
function isBound(limiter: RateLimit | null | undefined): limiter is RateLimit {
  return limiter !== undefined && limiter !== null;
}

function addressOf(headers: Headers): string {
  return `address:${headers.get("cf-connecting-ip") ?? ""}`;
}

/** A failing limiter allows all requests, so that it can't stop the service. */
async function isWithin(limiter: RateLimit, key: string, delta: number): Promise<boolean> {
  try {
    return (await limiter.limit({ key, delta })).success;
  } catch (error) {
    console.error(JSON.stringify({ limiter: error instanceof Error ? error.message : "failed" }));
    return true;
  }
}
