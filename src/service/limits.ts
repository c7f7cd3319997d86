/** Bounds of routing, streaming and caching, each with its unit and reason. */

/** Above this count, a request uses a random shard of its region: one worker ID has at most 4,096 IDs per ms. */
export const HOME_COUNT_MAX = 4096;
/** IDs per shard call of a stream: large enough to make calls rare, small enough to hold in memory as text. */
export const STREAM_CALL_COUNT = 10_000;
/** Maximum total wait of a stream for saturated shards, in ms. */
export const STREAM_WAIT_MAX_MS = 30_000;
/** Maximum cached home shards of an isolate, one per namespace; the oldest is evicted first. */
export const HOME_SHARDS_MAX = 1000;
/** Maximum namespaces with prefetched IDs in an isolate; the oldest is evicted first, and its IDs are a gap. */
export const FRESH_NAMESPACES_MAX = 1000;
/** Maximum blocks of one prefetch, one per tick: bounds its memory if a tick has few IDs. */
export const FRESH_BLOCKS_MAX = 64;
/** Maximum blocks of one prefetch for batches: half a million IDs with 12 sequence bits. */
export const BATCH_BLOCKS_MAX = 128;
/** Share of an idle line's capacity in one prefetch for batches: a quarter, so that four isolates can fetch at once. */
export const BATCH_AT_ONCE_DIVISOR = 4;
/**
 * Share of the IDs that a line opens within freshForMs in one prefetch for batches: half, so that direct requests get
 * the rest.
 */
export const BATCH_FRESH_DIVISOR = 2;
/**
 * Longest wait at an unpinned request's first shard, in ms: after its deadline, another shard can still reply within 2
 * s.
 */
export const FIRST_WAIT_MAX_MS = 1100;
/**
 * Deadline of an unpinned request's first shard in ms, in addition to its wait: another shard can still reply within 2
 * s.
 */
export const ANSWER_MAX_MS = 700;
/** Deadline of an unpinned request in ms, without the waits that its namespace allows: people notice longer delays. */
export const UNPINNED_ANSWER_MAX_MS = 2000;
/** Minimum deadline of an unpinned request's second shard, in ms: a healthy shard needs less. */
export const OTHER_ANSWER_MIN_MS = 200;
/** Deadline of a call without failover, in ms: a cold start takes a second or more, and clients give up at 10 s. */
export const PINNED_ANSWER_MAX_MS = 5000;
/**
 * Extra time after a deadline, in ms: after a stall of the isolate, timers run before the replies that arrived during
 * it.
 */
export const STALL_GRACE_MS = 100;
/** retryAfterMs after an object failed or did not answer. */
export const UNAVAILABLE_RETRY_MS = 1000;
/** How long an isolate avoids a shard that failed or missed its deadline, in ms; then one request tries it. */
export const UNAVAILABLE_REST_MS = 10_000;
/** Maximum calls for one reason: one retry after a reset of the object, or after a disagreement of clocks. */
export const CALL_TRIES_MAX = 2;
/** Maximum page of the shard list: the request wakes each object. */
export const SHARDS_PAGE_MAX = 32;
/** Maximum cached clock readings of an isolate; the oldest is evicted first. */
export const OBJECT_CLOCKS_MAX = 1000;
/** retryAfterMs if a shard's queue at the platform is full: it drains in about this time. */
export const OVERLOADED_RETRY_MS = 1000;

/** Maximum age of a cached registry answer, in ms: revocations and changes reach every isolate within this time. */
export const CACHE_TRUSTED_MS = 30_000;
/** Maximum age of the cached fact that a name or key is unknown, in ms: protects the registry from typos and floods. */
export const UNKNOWN_TRUSTED_MS = 1000;
/** Maximum age of a cached namespace while the registry is down, in ms: changes must reach every isolate in the end. */
export const NAMESPACE_STALE_MAX_MS = 900_000;
/** Pause of background reads of a key after a failure, in ms: avoids load on a failing registry. */
export const CACHE_RETRY_MS = 1000;
/** Deadline of a registry call, in ms: it answers within a few ms, or some hundred ms from far away. */
export const REGISTRY_TIMEOUT_MS = 3000;
/** How long the registry counts as down after a failed read, in ms: longer than the next pause and read together. */
export const REGISTRY_DOWN_MS = REGISTRY_TIMEOUT_MS + CACHE_RETRY_MS + 1000;
/** Lifetime of a claim to read the registry, in ms: longer than a read, so that two reads never overlap. */
export const READ_CLAIM_LAPSES_MS = REGISTRY_TIMEOUT_MS + 500;
/**
 * First pause between two checks for another request's answer, in ms; it doubles each time. A near registry answers in
 * a few ms.
 */
export const READ_LOOK_MIN_MS = 5;
/** Longest pause between two checks for another request's answer, in ms: the maximum delay of an answer. */
export const READ_LOOK_MAX_MS = 250;
/** Longest wait for another request's read, in ms: until its claim lapses, plus time for one quick read after it. */
export const READ_WAIT_MAX_MS = READ_CLAIM_LAPSES_MS + 500;
/** Maximum entries of each registry cache (namespaces, keys, and unknown ones of each); the oldest is evicted first. */
export const CACHE_ENTRIES_MAX = 1000;
/** Maximum page of lists. */
export const LIST_PAGE_MAX = 100;
/** retryAfterMs after the registry failed: an object restarts in about this time. */
export const REGISTRY_RETRY_MS = 1000;
/**
 * The period of the rate limit binding in wrangler.toml, in s. It is the retry time of a limited caller, because the
 * binding only says yes or no.
 */
export const RATE_LIMIT_PERIOD_S = 60;
/** Maximum cached parsed queries of an isolate; the oldest is evicted first. */
export const RECENT_QUERIES_MAX = 1000;
/** Queries of longer URLs are not cached: they rarely repeat. */
export const RECENT_URL_CHARS_MAX = 300;
