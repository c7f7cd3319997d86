/** Bounds of the history checker: name, unit, reason. Those of the options are in options.ts. */

/** IDs of a run. Each is kept until the end, in up to 25 bytes: 20 million single IDs were measured at 0.8 to 1 GB. */
export const IDS_MAX = 20_000_000;

/** Number of ordering keys, used in turn: few, so that each has many requests that do not overlap. */
export const KEYS = 8;

/** More than two synchronized clocks differ, with the network's delay, in ms. */
export const CLOCKS_DIFFER_MAX_MS = 5000;
/** Smallest step of this machine's clock to detect, in ms: its two clocks are not read at the same instant. */
export const OWN_STEP_LEAST_MS = 1000;

/** Bytes of an answer per requested ID: 19 digits, quotes, a comma and a few spaces. */
export const ANSWER_BYTES_PER_ID = 32;
/** Bytes of the rest of an answer. A longer one is rejected, so that it can't fill the memory. */
export const ANSWER_BYTES_BASE = 65_536;

/** Examples of each broken promise: enough to investigate, few enough to read. */
export const EXAMPLES_MAX = 5;
/** Answers that an example of a repeated ID names. */
export const REPETITIONS_SHOWN = 4;
/** Failure codes that are counted separately: a server that invents codes must not fill the memory. */
export const FAILURE_CODES_MAX = 32;
/** Characters of a server's text that are shown. */
export const SERVER_TEXT_MAX = 120;
/** Rows of the table of shards. */
export const SHARDS_SHOWN = 16;

/** Characters of an API key or token. */
export const KEY_CHARS_MAX = 512;
/** Characters of a namespace, Leaf's key or TinyID's bizType: Leaf's column holds 128, TinyID's 63. */
export const NAMESPACE_CHARS_MAX = 128;
/** Characters of the URL. */
export const URL_CHARS_MAX = 2048;

/** How long open requests may continue after Ctrl+C, in ms. */
export const INTERRUPT_GRACE_MS = 1000;
/** How often the progress is written, in ms. */
export const PROGRESS_EVERY_MS = 1000;
