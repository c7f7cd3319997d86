/** Bounds of the history checker: name, unit, reason. */

/** Requests a second from one process: more than twice what one was measured to send (8,000, at 125 µs of CPU each). */
export const RATE_MAX = 20_000;
/** Disturbs no deployment, and shows in ten seconds whether it works at all. */
export const RATE_DEFAULT = 100;
export const SECONDS_DEFAULT = 10;
/** Length of a run, in s: a day. What a run keeps is bounded by IDS_MAX. */
export const SECONDS_MAX = 86_400;
/** IDs asked for at once: what /v1/ids answers as JSON. */
export const COUNT_MAX = 10_000;
/** IDs of a run. Each is kept until the end, with its answer in 21 bytes: 20 million single ones were measured to take 1 GB. */
export const IDS_MAX = 20_000_000;

/** Requests in flight: one a connection. 256 carry 1,000 requests/s at 250 ms each, … */
export const CONNECTIONS_DEFAULT = 256;
/** … and more than that many are beyond the file descriptors of most systems. */
export const CONNECTIONS_MAX = 4096;
/** How long an answer may take, in ms: longer than the service's longest wait and the repetitions behind it. */
export const TIMEOUT_DEFAULT_MS = 10_000;
/** Proxies give up at about that. */
export const TIMEOUT_MAX_MS = 60_000;

/** Texts of `key=` in turn: few, so that each has many requests that do not overlap. */
export const KEYS = 8;

/** What clocks of two machines that are kept in time never differ by, in ms, and what the network adds. */
export const CLOCKS_DIFFER_MAX_MS = 5000;
/** Smallest step of this machine's own clock that is looked for, in ms: its two clocks are not read at once. */
export const OWN_STEP_LEAST_MS = 1000;
/** Largest --skew-ms: a day, the most that a namespace's clock may step back and be forgiven. */
export const SKEW_MAX_MS = 86_400_000;

/** Bytes of an answer for each ID asked for (19 digits, quotes, comma, and a few blanks) … */
export const ANSWER_BYTES_PER_ID = 32;
/** … and for all else in it: what is longer is no answer, and would fill the memory. */
export const ANSWER_BYTES_BASE = 65_536;

/** Examples of each broken promise: enough to look into, few enough to read. */
export const EXAMPLES_MAX = 5;
/** Acknowledgements of one repeated ID that an example names. */
export const REPETITIONS_SHOWN = 4;
/** Codes of failures that are told apart: a server that makes up codes must not fill the memory. */
export const FAILURE_CODES_MAX = 32;
/** Characters of a server's text that are shown. */
export const SERVER_TEXT_MAX = 120;
/** Rows of the table of shards. */
export const SHARDS_SHOWN = 16;

/** Characters of an API key or token. */
export const KEY_CHARS_MAX = 512;
/** Characters of a namespace, Leaf's key or TinyID's bizType: Leaf's column takes 128, TinyID's 63. */
export const NAMESPACE_CHARS_MAX = 128;
/** Characters of the URL. */
export const URL_CHARS_MAX = 2048;

/** How long open requests may go on after Ctrl+C, in ms. */
export const INTERRUPT_GRACE_MS = 1000;
/** How often requests that wait for a connection are looked at, in ms: so late may one be given up. */
export const WAITING_LOOK_MS = 50;
/** How often the progress is told, in ms. */
export const PROGRESS_EVERY_MS = 1000;
