/** What a run says: the JSON document, and the exit status. */

/**
 * What `edgeflake verify --json` prints. Names and meanings stay; more fields may come. Times are in ms, rates per
 * second, IDs decimal texts. Nothing here is the key.
 */
export interface VerifyReport {
  /** Every check that could be made held, and there were IDs to make them with. */
  readonly ok: boolean;
  /** Ended by a signal before its time. */
  readonly interrupted: boolean;
  readonly target: { readonly url: string; readonly namespace: string; readonly dialect: string };
  /** What the command line asked for. */
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
  /** What is known of the IDs' bits, and from where. */
  readonly layout: { readonly fingerprint: string | null; readonly source: string };
  readonly requests: RequestCounts;
  readonly ids: {
    readonly acknowledged: number;
    readonly distinct: number;
    readonly smallest: string | null;
    readonly largest: string | null;
  };
  /** Until the last request was sent: longer than asked for where they had to wait. */
  readonly sendingMs: number;
  /** Until the last acknowledgement, or as long as requests were being sent. */
  readonly answeringMs: number;
  readonly perSecond: {
    /** Over sendingMs; the others over answeringMs. */
    readonly sent: number;
    readonly acknowledged: number;
    readonly ids: number;
  };
  /** Of acknowledged requests; null where there is none. */
  readonly latencyMs: {
    /** From the moment when the request was due: a server that stalls makes later ones late too. */
    readonly fromSchedule: Percentiles | null;
    /** From the moment when it was sent. */
    readonly fromSending: Percentiles | null;
  };
  /** Distances of IDs from their requests, see `times` of the checks; null where they are not known. */
  readonly times: {
    readonly minMs: number;
    readonly medianMs: number;
    readonly maxMs: number;
    readonly behindMaxMs: number;
    readonly aheadMaxMs: number;
  } | null;
  /** IDs by the shard that the answer or the ID names, most first. */
  readonly shards: readonly { readonly shard: number; readonly ids: number }[];
  /** Most first. */
  readonly failures: readonly Failure[];
  /** All of them, always in this order. */
  readonly checks: readonly Check[];
}

/** `due` = `sent` + `skipped`; `sent` = `acknowledged` + `definite` + `indefinite`. */
export interface RequestCounts {
  readonly due: number;
  readonly sent: number;
  /** Not sent: no connection was free for as long as a request may take, or the run was interrupted. */
  readonly skipped: number;
  /** Answered by 200 and a whole, well-formed answer. */
  readonly acknowledged: number;
  /** Refused before anything was granted. */
  readonly definite: number;
  /** All else: IDs may have been granted, and are lost. */
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
  /** The server's code, `http_STATUS`, or what the network did: `timeout`, `connection_refused`, `body_cut`, … */
  readonly code: string;
  readonly definite: number;
  readonly indefinite: number;
  /** What was said of the first of them of which anything was; may be empty. */
  readonly example: string;
}

/**
 * `history`: at least one ID was acknowledged; where none was, nothing was proved. `duplicates`: no ID came twice. `form`: answers are well-formed and
 * IDs canonical decimals. `counts`: an answer has as many IDs as were asked for. `key_order`: IDs for one key
 * strictly increase. `shard_order`: those of a shard in strict order. `times`: IDs are about as old as their
 * requests. `shards`: the header, the ID's own bits and the shard asked for are the same.
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
  /** How often it did not hold. */
  readonly broken: number;
  /** What was checked, or why nothing was. */
  readonly about: string;
  /** Sentences about the first few. */
  readonly examples: readonly string[];
}

export const EXIT_HELD = 0;
export const EXIT_BROKEN = 1;
export const EXIT_BAD_USAGE = 2;
/** No ID came: a server that is not there, a wrong key, a wrong namespace. Nothing is said of any promise. */
export const EXIT_NOTHING_PROVED = 3;
export const EXIT_INTERRUPTED = 130;

/** The promises that were broken. That no ID came breaks none. */
export function brokenPromises({ checks }: Pick<VerifyReport, "checks">): CheckName[] {
  return checks.flatMap(({ name, verdict }) =>
    verdict === "broken" && name !== "history" ? [name] : [],
  );
}

/** What the command ends with after a run. A signal hides no broken promise. */
export function exitStatusOf(report: Pick<VerifyReport, "ok" | "interrupted" | "checks">): number {
  if (report.ok) return EXIT_HELD;
  if (brokenPromises(report).length > 0) return EXIT_BROKEN;
  return report.interrupted ? EXIT_INTERRUPTED : EXIT_NOTHING_PROVED;
}
