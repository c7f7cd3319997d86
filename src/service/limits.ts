/** Bounds of routing and streaming: name, unit, reason. */

/** Above this count a request takes a random shard of its region: one worker ID is capped at 4,096 IDs a ms. */
export const HOME_COUNT_MAX = 4096;
/** IDs per shard call of a stream: large enough to make calls rare, small enough to hold in memory as text. */
export const STREAM_CALL_COUNT = 10_000;
/** How long a stream waits in all for saturated shards before it gives up, in ms. */
export const STREAM_WAIT_MAX_MS = 30_000;
/** Home shards that an isolate remembers, one per namespace; the oldest is forgotten first. */
export const HOME_SHARDS_MAX = 1000;
/** Namespaces that an isolate prefetches IDs for; the oldest is forgotten first, its IDs are a gap. */
export const FRESH_NAMESPACES_MAX = 1000;
/** Blocks of one prefetch, one per tick: bounds its memory where a tick has few IDs. */
export const FRESH_BLOCKS_MAX = 64;
/** The same of a prefetch of batches, which is larger: half a million IDs of 12 sequence bits. */
export const BATCH_BLOCKS_MAX = 128;
/** A prefetch of batches takes one part in so many of what an idle line opens at once: four isolates may come together, … */
export const BATCH_AT_ONCE_DIVISOR = 4;
/** … and of what a line opens while it is fresh: the rest is for those who ask it themselves. */
export const BATCH_FRESH_DIVISOR = 2;
/** Longest wait asked of an unpinned request's first shard, in ms: with its deadline, another can still reply within 2 s. */
export const FIRST_WAIT_MAX_MS = 1100;
/** Deadline of an unpinned request's first shard, in ms, besides the wait it is allowed: another can still reply within 2 s. */
export const ANSWER_MAX_MS = 700;
/** In which an unpinned request is answered in all, in ms, unless it waits as its namespace allows: people notice more. */
export const UNPINNED_ANSWER_MAX_MS = 2000;
/** … but that other shard has at least this, in ms: one that works needs less. */
export const OTHER_ANSWER_MIN_MS = 200;
/** Deadline of a call to an object that no other can replace, in ms: a cold start takes a second or more, clients give up at 10 s. */
export const PINNED_ANSWER_MAX_MS = 5000;
/** Extra time after a deadline, in ms: after a stall, timers run before the replies that arrived meanwhile. */
export const STALL_GRACE_MS = 100;
/** When to come back to an object that failed or did not answer, in ms. */
export const UNAVAILABLE_RETRY_MS = 1000;
/** How long an isolate avoids a shard that failed or missed its deadline, in ms; then one request tries it. */
export const UNAVAILABLE_REST_MS = 10_000;
/** A call is repeated once at most: after a reset of the object, or a disagreement of clocks. */
export const CALL_TRIES_MAX = 2;
/** Pages of the shard list: asking wakes each object. */
export const SHARDS_PAGE_MAX = 32;
/** Objects whose clocks an isolate remembers; the oldest is forgotten first. */
export const OBJECT_CLOCKS_MAX = 1000;
/** When to come back to a shard whose queue at the platform is full, in ms: its queue drains in about that. */
export const OVERLOADED_RETRY_MS = 1000;

/** How long what was read of the registry is trusted: the bound on revocation and on changes, in ms. */
export const CACHE_TRUSTED_MS = 30_000;
/** How long it is remembered that a name or key is unknown, in ms: keeps typos and floods off the registry. */
export const UNKNOWN_TRUSTED_MS = 1000;
/** Age up to which a namespace is served while the registry fails, in ms: a retirement or a new policy must reach every isolate. */
export const NAMESPACE_STALE_MAX_MS = 900_000;
/** How long after a failure a key is not read again in the background, in ms: a registry in trouble is left alone. */
export const CACHE_RETRY_MS = 1000;
/** How long the registry is waited for, in ms: it answers in a few, from far away in some hundred. */
export const REGISTRY_TIMEOUT_MS = 3000;
/** How long the registry counts as down after a failed read, in ms: longer than the next read and the rest before it take. */
export const REGISTRY_DOWN_MS = REGISTRY_TIMEOUT_MS + CACHE_RETRY_MS + 1000;
/** A claim to read the registry lapses after this, in ms: longer than a read takes, so that no second one starts beside it. */
export const READ_CLAIM_LAPSES_MS = REGISTRY_TIMEOUT_MS + 500;
/** First pause between two looks for another request's answer, in ms; then it doubles: a registry nearby answers in a few ms. */
export const READ_LOOK_MIN_MS = 5;
/** Longest such pause, in ms: how late an answer may be noticed. */
export const READ_LOOK_MAX_MS = 250;
/** Longest wait for another request's read, in ms: until its claim lapses, and for a read that takes over and is quick. */
export const READ_WAIT_MAX_MS = READ_CLAIM_LAPSES_MS + 500;
/** Namespaces, keys, and unknown ones of each, that an isolate remembers; the oldest is forgotten first. */
export const CACHE_ENTRIES_MAX = 1000;
/** Lists of namespaces and keys. */
export const LIST_PAGE_MAX = 100;
/** When to come back after the registry failed, in ms: an object that was reset is back in about that. */
export const REGISTRY_RETRY_MS = 1000;
/**
 * The period of the rate limit binding in wrangler.toml, in s: what a refused caller is told to wait,
 * as the binding itself says no more than yes or no.
 */
export const RATE_LIMIT_PERIOD_S = 60;
/** Queries that an isolate remembers as it parsed them; the oldest is forgotten first. */
export const RECENT_QUERIES_MAX = 1000;
/** Queries of longer URLs are not remembered: most of them come once. */
export const RECENT_URL_CHARS_MAX = 300;
