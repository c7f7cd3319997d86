/** Bounds of the HTTP shell: name, unit, reason. */

/** A namespace with all its fields takes under 1 kB, a key restricted to 100 namespaces under 8 kB. */
export const BODY_BYTES_MAX = 16_384;
/**
 * The period of the rate limit binding in wrangler.toml, in s: what a refused caller is told to wait,
 * as the binding itself says no more than yes or no.
 */
export const RATE_LIMIT_PERIOD_S = 60;
/** When to come back after the registry failed, in ms: an object that was reset is back in about that. */
export const REGISTRY_RETRY_MS = 1000;
/** How long a body is waited for where none is taken, in ms: an empty one ends at once. */
export const BODY_WAIT_MS = 1000;
/** Bad parameters that an answer names: more than there are to know, or 400s would be larger than their requests. */
export const ERRORS_MAX = 32;
/** How long a body may take to arrive where one is taken, in ms: 16 kB over the slowest line, and some. */
export const BODY_READ_MAX_MS = 5000;
/** Queries that an isolate remembers as it read them; the oldest is forgotten first. */
export const SHORT_QUERIES_MAX = 1000;
/** IDs of one TinyID answer (its batch.size.max). */
export const TINYID_BATCH_MAX = 100_000;
