/**
 * Every bound of the pure core and the HTTP contract, in one place: name, unit, reason.
 */

/** timestampBits + sequenceBits: a position must be an exact JS number (2^53). */
export const POSITION_BITS_MAX = 53;
/** All fields: an ID is a positive signed 64-bit integer in every database. */
export const ID_BITS_MAX = 63;
/** datacenterBits + workerBits: UidGenerator's 22 is the widest in the field. */
export const WORKER_BITS_MAX = 22;
/** A lane costs a storage row and a try per call; the Node variant's 2 bits are the most in the field. */
export const LANE_BITS_MAX = 4;
/** Largest unix time in ms that a JS Date can hold (ECMA-262, time values). */
export const DATE_MS_MAX = 8_640_000_000_000_000;
/** Largest ID that a JS number holds exactly has this many bits. */
export const SAFE_ID_BITS_MAX = 53;

/**
 * How far a shard's clock may be ahead of its caller's before it refuses to raise a mark, in ms.
 * Far above what clocks of one platform differ by, far below what would hurt if it got into a mark.
 */
export const CLOCK_DISAGREEMENT_MAX_MS = 60_000;
/** A mark reaches at least this part of reserveMs past a grant, so full-speed demand writes at 1/20 of it. */
export const RESERVE_PAST_END_PART = 20;

/** IDs in one JSON answer: about 220 kB. */
export const IDS_COUNT_MAX = 10_000;
/** IDs in one text answer, which streams and so holds no more than one call's IDs in memory. */
export const TEXT_COUNT_MAX = 1_000_000;
/** IDs of one blocks answer: at 4,096 a tick about 245 blocks. */
export const BLOCKS_COUNT_MAX = 1_000_000;
/** UTF-8 bytes of `key=`: room for any natural key, cheap to hash for every shard. */
export const KEY_BYTES_MAX = 512;
