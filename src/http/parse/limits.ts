/** Bounds of the HTTP layer, each with its unit and reason. */

/** Maximum bytes of a body: a full namespace has under 1 kB, a key with 100 namespaces under 8 kB. */
export const BODY_BYTES_MAX = 16_384;
/** Wait for the end of a body on routes without one, in ms: an empty body ends immediately. */
export const BODY_WAIT_MS = 1000;
/** Maximum time to read a body, in ms: enough for 16 kB over a slow connection. */
export const BODY_READ_MAX_MS = 5000;
/** Maximum IDs of one TinyID response (TinyID's batch.size.max). */
export const TINYID_BATCH_MAX = 100_000;
