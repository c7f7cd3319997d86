import { requestId } from "hono/request-id";

/** Random bytes of an ID: 128 bits, as a UUID has. */
const ID_BYTES = 16;
/** Randomness is drawn for so many IDs at once: a draw costs more than an ID. */
const IDS_A_DRAW = 256;

const pool = new Uint8Array(ID_BYTES * IDS_A_DRAW);
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
let drawn = pool.length;

/** A request's name in logs and answers: 32 hex digits. */
export function newRequestId(): string {
  if (drawn === pool.length) {
    crypto.getRandomValues(pool);
    drawn = 0;
  }
  let id = "";
  for (const end = drawn + ID_BYTES; drawn < end; drawn += 1) id += HEX[pool[drawn] as number];
  return id;
}

/** Names each request, by its own X-Request-Id where it has a plain one. */
export const namedRequest = requestId({ generator: newRequestId });
