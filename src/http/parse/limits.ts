/** Bounds of the HTTP shell: name, unit, reason. */

/** A namespace with all its fields takes under 1 kB, a key restricted to 100 namespaces under 8 kB. */
export const BODY_BYTES_MAX = 16_384;
/** How long a body is waited for where none is taken, in ms: an empty one ends at once. */
export const BODY_WAIT_MS = 1000;
/** How long a body may take to arrive where one is taken, in ms: 16 kB over the slowest line, and some. */
export const BODY_READ_MAX_MS = 5000;
/** IDs of one TinyID answer (its batch.size.max). */
export const TINYID_BATCH_MAX = 100_000;
