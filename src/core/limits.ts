/**
 * All bounds of the pure core and the HTTP contract, each with its unit and reason.
 */

/** timestampBits + sequenceBits: a position must be an exact JS number (2^53). */
export const POSITION_BITS_MAX = 53;
/** Bits of all fields together: an ID fits in a signed 64-bit integer, as databases have it. */
export const ID_BITS_MAX = 63;
/** The largest ID, 2^63 − 1. */
export const MAX_ID = (1n << BigInt(ID_BITS_MAX)) - 1n;
/** datacenterBits + workerBits: 22 as in UidGenerator, the widest known layout. */
export const WORKER_BITS_MAX = 22;
/** A lane costs a storage row and a try per call; the Node variant's 2 bits are the widest known. */
export const LANE_BITS_MAX = 4;
/** Largest unix time in ms that a JS Date can hold (ECMA-262, time values). */
export const DATE_MS_MAX = 8_640_000_000_000_000;
/** Latest unix time in ms that RFC 3339, and so JSON Schema's date-time, can write: 9999-12-31T23:59:59.999Z. */
export const RFC3339_MS_MAX = 253_402_300_799_999;
/** Bits of the largest ID that a JS number holds exactly. */
export const SAFE_ID_BITS_MAX = 53;

/**
 * How far a shard's clock may be ahead of its caller's before it refuses to raise a mark, in ms.
 * Far above the differences between clocks of one platform, far below a harmful advance of a mark.
 */
export const CLOCK_DISAGREEMENT_MAX_MS = 60_000;
/** Lag from which a clock counts as frozen, in ms: more than two clocks drift apart within ECHO_AGE_MAX_MS. */
export const FROZEN_CLOCK_MS = 100;
/** Maximum age of a clock reading that a caller echoes, in ms: clocks drift apart by up to 0.1 %. */
export const ECHO_AGE_MAX_MS = 10_000;
/** Maximum age of a cached mark, in ms: a read for each strict grant took 7 % more CPU (measured). */
export const MARK_READING_TRUSTED_MS = 2;
/** Maximum grants on one cached mark: more than a shard makes within MARK_READING_TRUSTED_MS. */
export const MARK_READING_USES_MAX = 64;
/**
 * How long an instance holds back its first answer, in ms: longer than another trusts a cached mark, which is up to 1
 * ms more than clocks show.
 */
export const SETTLE_MS = MARK_READING_TRUSTED_MS + 3;
/** retryAfterMs if clocks disagree: a new reading may help, a longer wait does not. */
export const CLOCK_DISAGREEMENT_RETRY_MS = 1000;
/** A mark reaches at least reserveMs / 20 past a grant, so demand at full rate writes 20 times per reserveMs. */
export const RESERVE_PAST_END_DIVISOR = 20;

/** Maximum IDs of one JSON response: about 220 kB. */
export const IDS_COUNT_MAX = 10_000;
/** Maximum IDs of one text response. It is a stream with the IDs of one call in memory. */
export const TEXT_COUNT_MAX = 1_000_000;
/** Maximum IDs of one blocks response: about 245 blocks at 4,096 IDs per tick. */
export const BLOCKS_COUNT_MAX = 1_000_000;
/** UTF-8 bytes of `key=`: long enough for any natural key, and cheap to hash for every shard. */
export const KEY_BYTES_MAX = 512;

/** Default number of shards: two in each of the default regions. */
export const SHARDS_DEFAULT = 8;
/** Maximum shards of one namespace: key hashing visits each. 1,024 issue 4 million IDs per ms. */
export const SHARDS_MAX = 1024;
/** Maximum regions of one namespace: shard i is in region i mod n, so a longer list has no use. */
export const REGIONS_COUNT_MAX = 32;

/** Default of reserveMs: each shard writes one row per second, up to 20 at full rate. */
export const RESERVE_DEFAULT_MS = 1000;
/**
 * Default of reserveMs if a line may not lead the clock. A restart waits for the mark, so this is below every
 * maxWaitMs.
 */
export const RESERVE_STRICT_CLOCK_MS = 50;
/** Default of freshForMs: a busy isolate calls its shard 4 times a second. */
export const FRESH_FOR_DEFAULT_MS = 250;

/** Maximum namespaces of one deployment, without retired ones: far more than teams need, and few enough to list. */
export const NAMESPACES_MAX = 10_000;
/** Maximum names of one deployment, with retired ones, which can't be reused. Bounds the registry's storage. */
export const NAMES_MAX = 100_000;
/** Minimum length of ADMIN_KEY: 24 characters of base64 are 144 bits, and typical test passwords are shorter. */
export const ADMIN_KEY_CHARS_MIN = 24;
/** Maximum API keys of one deployment. */
export const API_KEYS_MAX = 10_000;
/** Maximum namespaces in the restriction of one key. */
export const KEY_NAMESPACES_MAX = 100;
/** Maximum length of a key's name. */
export const KEY_NAME_CHARS_MAX = 100;

/** Largest step of a segment, as Leaf's MAX_STEP. An isolate may lose this many numbers when it ends. */
export const SEGMENT_STEP_MAX = 1_000_000;
/** Default of step. Leaf's example has 2000, but an idle isolate loses most of it. */
export const SEGMENT_STEP_DEFAULT = 1000;
/** Maximum length of a segment's description, as in Leaf's column. */
export const DESCRIPTION_CHARS_MAX = 256;
/** Number of fetches in a segment's status. */
export const SEGMENT_FETCHES_SHOWN = 8;
/** How long an answer is kept for its Idempotency-Key, in ms: a day, longer than any client retries. */
export const IDEMPOTENCY_KEPT_MS = 86_400_000;
/**
 * Maximum kept answers of one namespace, about 150 bytes each on disk; the oldest go first. 11 requests per second fill
 * it in a day.
 */
export const IDEMPOTENCY_KEYS_MAX = 1_000_000;
/**
 * Maximum kept answers of one owner: a tenth of a namespace's, so that a busy owner can't evict the others'. One
 * request per second fills it in a day.
 */
export const IDEMPOTENCY_KEYS_PER_OWNER_MAX = 100_000;
/** Maximum length of an Idempotency-Key: enough for two UUIDs and a name. */
export const IDEMPOTENCY_KEY_CHARS_MAX = 255;
/**
 * How long a caller may use a block of a segment, in ms. Its numbers do not age, but clients should not keep them
 * forever. Twice the time that Leaf plans for a segment.
 */
export const SEGMENT_FRESH_FOR_MS = 1_800_000;

/** Shortest lease of a worker ID, in ms: with a shorter one, renewals would keep the holder busy. */
export const LEASE_TTL_MIN_MS = 5000;
/** Longest lease of a worker ID, in ms: with a longer one, a dead holder would block its worker ID for days. */
export const LEASE_TTL_MAX_MS = 86_400_000;
export const LEASE_TTL_DEFAULT_MS = 60_000;
/** Default of leaseTtlMaxMs: a worker ID whose lease is revoked is free within 10 minutes. */
export const LEASE_TTL_MAX_DEFAULT_MS = 600_000;
/** Maximum length of a lease's holder: enough for names of pods and hosts. */
export const HOLDER_CHARS_MAX = 253;
