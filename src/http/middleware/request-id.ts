import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./app-env.ts";

export const REQUEST_ID = "x-request-id";

/** Random bytes of an ID: 128 bits, as a UUID has. */
const ID_BYTES = 16;
/** Randomness is drawn for so many IDs at once: a draw costs more than an ID. */
const IDS_A_DRAW = 256;

const HEX_DIGITS = 2 * ID_BYTES;

const pool = new Uint8Array(ID_BYTES * IDS_A_DRAW);
let digits = "";
let at = 0;

/** A request's name in logs and answers: 32 hex digits. */
function newRequestId(): string {
  if (at === digits.length) {
    digits = crypto.getRandomValues(pool).toHex();
    at = 0;
  }
  at += HEX_DIGITS;
  return digits.slice(at - HEX_DIGITS, at);
}

/** An ID that a caller may choose: it gets into logs. */
const PLAIN_ID = /^[\w=-]{1,255}$/;

/** The request's own X-Request-Id if that is a plain one, or a new one. */
export function requestIdOf(headers: Headers): string {
  const given = headers.get(REQUEST_ID);
  return given !== null && PLAIN_ID.test(given) ? given : newRequestId();
}

/** Names each request. Responses to failures carry the name, which the log has too. */
export const namedRequest = createMiddleware<AppEnv>(async (c, next) => {
  const requestId = requestIdOf(c.req.raw.headers);
  c.set("requestId", requestId);
  await next();
  // A dialect may say that it failed in an answer of status 200.
  const hasFailed = c.res.status >= 400 || c.get("dialectCode") !== undefined;
  if (hasFailed) c.res.headers.set(REQUEST_ID, requestId);
});
