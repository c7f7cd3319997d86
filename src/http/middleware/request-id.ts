import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./app-env.ts";

export const REQUEST_ID = "x-request-id";

/** Random bytes of a request ID: 128 bits, like a UUID. */
const ID_BYTES = 16;
/** Number of request IDs per call of getRandomValues, because a call costs more than an ID. */
const IDS_A_DRAW = 256;

const HEX_DIGITS = 2 * ID_BYTES;

const pool = new Uint8Array(ID_BYTES * IDS_A_DRAW);
let digits = "";
let at = 0;

/** A new request ID for logs and responses: 32 hex digits. */
function newRequestId(): string {
  if (at === digits.length) {
    digits = crypto.getRandomValues(pool).toHex();
    at = 0;
  }
  at += HEX_DIGITS;
  return digits.slice(at - HEX_DIGITS, at);
}

/** The syntax of a caller's own request ID. It is restricted because it appears in logs. */
const PLAIN_ID = /^[\w=-]{1,255}$/;

/** The request's X-Request-Id if it is valid, otherwise a new request ID. */
export function requestIdOf(headers: Headers): string {
  const given = headers.get(REQUEST_ID);
  return given !== null && PLAIN_ID.test(given) ? given : newRequestId();
}

/** Gives each request an ID. Responses to failures and log lines carry it. */
export const namedRequest = createMiddleware<AppEnv>(async (c, next) => {
  const requestId = requestIdOf(c.req.raw.headers);
  c.set("requestId", requestId);
  await next();
  // A dialect can report a failure with status 200.
  const hasFailed = c.res.status >= 400 || c.get("dialectCode") !== undefined;
  if (hasFailed) c.res.headers.set(REQUEST_ID, requestId);
});
