import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./app-env.ts";

const REQUEST_ID = "x-request-id";

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

/** Names each request, by its own X-Request-Id if that is a plain one. Failures carry the name, which the log has too. */
export const namedRequest = createMiddleware<AppEnv>(async (c, next) => {
  const given = c.req.header(REQUEST_ID);
  const requestId = given !== undefined && PLAIN_ID.test(given) ? given : newRequestId();
  c.set("requestId", requestId);
  await next();
  // A dialect may say that it failed in an answer of status 200.
  const hasFailed = c.res.status >= 400 || c.get("dialectCode") !== undefined;
  if (hasFailed) c.res.headers.set(REQUEST_ID, requestId);
});
