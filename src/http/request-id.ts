import { requestId } from "hono/request-id";

/** Random bytes of an ID: 128 bits, as a UUID has. */
const ID_BYTES = 16;
/** Randomness is drawn for so many IDs at once: a draw costs more than an ID. */
const IDS_A_DRAW = 256;

const HEX_DIGITS = 2 * ID_BYTES;

const pool = new Uint8Array(ID_BYTES * IDS_A_DRAW);
let digits = "";
let at = 0;

/** A request's name in logs and answers: 32 hex digits. */
export function newRequestId(): string {
  if (at === digits.length) {
    digits = crypto.getRandomValues(pool).toHex();
    at = 0;
  }
  at += HEX_DIGITS;
  return digits.slice(at - HEX_DIGITS, at);
}

/** Names each request, by its own X-Request-Id where it has a plain one. */
export const namedRequest = requestId({ generator: newRequestId });
