/** The result of a run: the JSON document, and the exit status. */

/**
 * The JSON document of `edgeflake verify --json`. Names and meanings are stable; fields may be added. Times are in ms,
 * rates per second, IDs decimal texts. It never contains the API key.
 */
export interface VerifyReport {
  /** At least one ID was acknowledged, and every check that could be made held. */
  readonly ok: boolean;
  /** Ended early by a signal. */
  readonly interrupted: boolean;
  readonly target: { readonly url: string; readonly namespace: string; readonly dialect: string };
  /** The options of the run. */
  readonly asked: {
    /** Requests per second. */
    readonly rate: number;
    readonly seconds: number;
    /** IDs per request. */
    readonly count: number;
    readonly mix: string;
    readonly order: string;
    readonly shard: number | null;
    readonly timeoutMs: number;
    readonly connections: number;
  };
  /** The layout of the IDs, if known, and its source. */
  readonly layout: { readonly fingerprint: string | null; readonly source: string };
  readonly requests: RequestCounts;
  readonly ids: {
    readonly acknowledged: number;
    readonly distinct: number;
    readonly smallest: string | null;
    readonly largest: string | null;
  };
  /** Until the last request was sent: longer than planned if requests had to wait. */
  readonly sendingMs: number;
  /** Until the last acknowledgement, or the end of sending if that was later. */
  readonly answeringMs: number;
  readonly perSecond: {
    /** Over sendingMs; the others over answeringMs. */
    readonly sent: number;
    readonly acknowledged: number;
    readonly ids: number;
  };
  /** Of acknowledged requests; null without any. */
  readonly latencyMs: {
    /** From when the request was due: a stalled server delays later requests too. */
    readonly fromSchedule: Percentiles | null;
    /** From when the request was sent. */
    readonly fromSending: Percentiles | null;
  };
  /** Distances of the IDs' times from their requests (check `times`); null if unknown. */
  readonly times: {
    readonly minMs: number;
    readonly medianMs: number;
    readonly maxMs: number;
    readonly behindMaxMs: number;
    readonly aheadMaxMs: number;
  } | null;
  /** IDs by the shard that the ID or the answer names, most first. */
  readonly shards: readonly { readonly shard: number; readonly ids: number }[];
  /** The most frequent first. */
  readonly failures: readonly Failure[];
  /** Every check, always in the order of CheckName. */
  readonly checks: readonly Check[];
}

/** `due` = `sent` + `skipped`; `sent` = `acknowledged` + `definite` + `indefinite`. */
export interface RequestCounts {
  readonly due: number;
  readonly sent: number;
  /** Not sent: no connection was free for the timeout of a request, or the run was interrupted. */
  readonly skipped: number;
  /** Answered with 200 and a complete, well-formed answer. */
  readonly acknowledged: number;
  /** Refused before anything was granted. */
  readonly definite: number;
  /** Every other failure: IDs may have been granted and lost. */
  readonly indefinite: number;
}

export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

export interface Failure {
  /** The server's code, `http_STATUS`, or a network failure: `timeout`, `connection_refused`, `body_cut`, … */
  readonly code: string;
  readonly definite: number;
  readonly indefinite: number;
  /** The text of the first such failure that had one; may be empty. */
  readonly example: string;
}

/**
 * `history`: at least one ID was acknowledged; otherwise nothing is proved. `duplicates`: no ID came twice. `form`:
 * answers are well-formed and IDs canonical decimals. `counts`: an answer has as many IDs as requested. `key_order`: IDs
 * for one key strictly increase. `shard_order`: IDs of a shard in strict order strictly increase. `times`: the time of
 * an ID is near its request. `shards`: the header, the ID's bits and the request name the same shard.
 */
export type CheckName =
  | "history"
  | "duplicates"
  | "form"
  | "counts"
  | "key_order"
  | "shard_order"
  | "times"
  | "shards";

export interface Check {
  readonly name: CheckName;
  readonly verdict: "held" | "broken" | "not_checked";
  /** The number of violations. */
  readonly broken: number;
  /** The promise that was checked, or why it was not. */
  readonly about: string;
  /** Descriptions of the first few violations. */
  readonly examples: readonly string[];
}

export const EXIT_HELD = 0;
export const EXIT_BROKEN = 1;
export const EXIT_BAD_USAGE = 2;
/** No ID was acknowledged: the server is down, the key or the namespace is wrong. No verdict on any promise. */
export const EXIT_NOTHING_PROVED = 3;
export const EXIT_INTERRUPTED = 130;

/** The broken promises. An empty history breaks none. */
export function brokenPromises({ checks }: Pick<VerifyReport, "checks">): CheckName[] {
  return checks.flatMap(({ name, verdict }) =>
    verdict === "broken" && name !== "history" ? [name] : [],
  );
}

/** The exit status after a run. A broken promise counts even if the run was interrupted. */
export function exitStatusOf(report: Pick<VerifyReport, "ok" | "interrupted" | "checks">): number {
  if (report.ok) return EXIT_HELD;
  if (brokenPromises(report).length > 0) return EXIT_BROKEN;
  return report.interrupted ? EXIT_INTERRUPTED : EXIT_NOTHING_PROVED;
}
