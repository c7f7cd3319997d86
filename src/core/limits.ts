/**
 * Every bound of the pure core and the HTTP contract, in one place: name, unit, reason.
 */

/** timestampBits + sequenceBits: a position must be an exact JS number (2^53). */
export const POSITION_BITS_MAX = 53;
/** All fields: an ID is a positive signed 64-bit integer in every database. */
export const ID_BITS_MAX = 63;
/** The largest ID, 2^63 − 1. */
export const MAX_ID = (1n << BigInt(ID_BITS_MAX)) - 1n;
/** datacenterBits + workerBits: UidGenerator's 22 is the widest in the field. */
export const WORKER_BITS_MAX = 22;
/** A lane costs a storage row and a try per call; the Node variant's 2 bits are the most in the field. */
export const LANE_BITS_MAX = 4;
/** Largest unix time in ms that a JS Date can hold (ECMA-262, time values). */
export const DATE_MS_MAX = 8_640_000_000_000_000;
/** Latest unix time in ms that RFC 3339, and so JSON Schema's date-time, can write: 9999-12-31T23:59:59.999Z. */
export const RFC3339_MS_MAX = 253_402_300_799_999;
/** Largest ID that a JS number holds exactly has this many bits. */
export const SAFE_ID_BITS_MAX = 53;

/**
 * How far a shard's clock may be ahead of its caller's before it refuses to raise a mark, in ms.
 * Far above what clocks of one platform differ by, far below what would hurt if it got into a mark.
 */
export const CLOCK_DISAGREEMENT_MAX_MS = 60_000;
/** How far a clock must have fallen behind what it should show to count as frozen, in ms: more than two clocks drift apart within ECHO_AGE_MAX_MS. */
export const FROZEN_CLOCK_MS = 100;
/** Age of the oldest clock reading that a caller echoes, in ms: clocks drift apart by up to 0.1 %. */
export const ECHO_AGE_MAX_MS = 10_000;
/** Maximum age of a cached mark, in ms: reading it for each strict grant took 7 % more CPU (measured). */
export const MARK_READING_TRUSTED_MS = 2;
/** Grants on one reading of a mark: more than a shard makes while it is trusted. */
export const MARK_READING_USES_MAX = 64;
/** How long an instance holds back its first answer, in ms: longer than another trusts a cached mark, which is up to 1 ms more than clocks show. */
export const SETTLE_MS = MARK_READING_TRUSTED_MS + 3;
/** When to ask again where clocks disagree, in ms: waiting does not mend them, another reading may. */
export const CLOCK_DISAGREEMENT_RETRY_MS = 1000;
/** A mark reaches at least reserveMs / 20 past a grant, so demand at full rate writes 20 times per reserveMs. */
export const RESERVE_PAST_END_DIVISOR = 20;

/** IDs in one JSON answer: about 220 kB. */
export const IDS_COUNT_MAX = 10_000;
/** IDs in one text answer, which streams and so holds no more than one call's IDs in memory. */
export const TEXT_COUNT_MAX = 1_000_000;
/** IDs of one blocks answer: at 4,096 a tick about 245 blocks. */
export const BLOCKS_COUNT_MAX = 1_000_000;
/** UTF-8 bytes of `key=`: room for any natural key, cheap to hash for every shard. */
export const KEY_BYTES_MAX = 512;

/** Default number of shards: two in each of the default regions. */
export const SHARDS_DEFAULT = 8;
/** Shards of one namespace: hashing a key looks at each. 1,024 give 4 million IDs a ms. */
export const SHARDS_MAX = 1024;
/** Regions of one namespace: shard i is in region i mod n, so more than all of them says nothing. */
export const REGIONS_COUNT_MAX = 32;

/** Default of reserveMs: one row written a second and shard, up to 20 at full rate. */
export const RESERVE_DEFAULT_MS = 1000;
/** Where a line may not lead the clock, a restart waits for the mark: keep it within every maxWait. */
export const RESERVE_STRICT_CLOCK_MS = 50;
/** Default of freshForMs: a busy isolate calls its shard 4 times a second. */
export const FRESH_FOR_DEFAULT_MS = 250;

/** Namespaces of one deployment in use: far more than teams have, little enough to list. */
export const NAMESPACES_MAX = 10_000;
/** Names of one deployment, retired ones included, which stay taken for ever: bounds what the registry keeps. */
export const NAMES_MAX = 100_000;
/** Characters of ADMIN_KEY: 24 of base64 are 144 bits, and no word that somebody sets for trying is as long. */
export const ADMIN_KEY_CHARS_MIN = 24;
/** API keys of one deployment. */
export const API_KEYS_MAX = 10_000;
/** Namespaces that one key may be restricted to. */
export const KEY_NAMESPACES_MAX = 100;
/** Characters of a key's name. */
export const KEY_NAME_CHARS_MAX = 100;

/** Largest step of a segment, and where Leaf's doubling ends (its MAX_STEP): what an isolate may lose when it ends. */
export const SEGMENT_STEP_MAX = 1_000_000;
/** The step of a namespace that names none: Leaf's own example has 2000, of which an idle isolate loses most. */
export const SEGMENT_STEP_DEFAULT = 1000;
/** Characters of a segment's description: Leaf's column takes as many. */
export const DESCRIPTION_CHARS_MAX = 256;
/** Fetches of a segment that its status shows. */
export const SEGMENT_FETCHES_SHOWN = 8;
/** How long an answer is kept for its Idempotency-Key, in ms: a day, longer than any client repeats. */
export const IDEMPOTENCY_KEPT_MS = 86_400_000;
/** Answers kept in one namespace, about 150 bytes each on disk; the oldest go first. 11 requests a second fill it in a day. */
export const IDEMPOTENCY_KEYS_MAX = 1_000_000;
/** Answers of one owner among them: a tenth, so that one busy owner can't push out the others'. One request a second fills it in a day. */
export const IDEMPOTENCY_KEYS_PER_OWNER_MAX = 100_000;
/** Characters of an Idempotency-Key: room for two UUIDs and a name. */
export const IDEMPOTENCY_KEY_CHARS_MAX = 255;
/**
 * How long a caller may use a block of a segment, in ms: its numbers do not age, but they should not lie about
 * for ever either. Twice the time that Leaf wants a segment to last.
 */
export const SEGMENT_FRESH_FOR_MS = 1_800_000;

/** How long a worker ID may be leased at a time, in ms. Shorter, renewals would take up the holder; */
export const LEASE_TTL_MIN_MS = 5000;
/** … longer, one that is gone would keep its worker ID from others for days. */
export const LEASE_TTL_MAX_MS = 86_400_000;
export const LEASE_TTL_DEFAULT_MS = 60_000;
/** Default of leaseTtlMaxMs: a worker ID whose lease is revoked is free within 10 minutes. */
export const LEASE_TTL_MAX_DEFAULT_MS = 600_000;
/** Characters of a lease's holder: room for the names of pods and hosts. */
export const HOLDER_CHARS_MAX = 253;
