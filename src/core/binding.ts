/** Types of the service binding to the entrypoint `Edgeflake`: options, and refusals as values. */
import type { Encoding } from "./codec.ts";
import type { Region } from "./regions.ts";
import type { Allowed } from "./takes.ts";

/** Selects the shard that issues. `shard` and `key` are mutually exclusive. */
export interface Placement {
  readonly shard?: number | undefined;
  /** IDs for one key strictly increase. */
  readonly key?: string | undefined;
  readonly order?: "fresh" | "strict" | undefined;
}

/**
 * The caller's place, to select a near shard: unlike HTTP, a binding does not carry it. Both are mutually exclusive.
 */
export interface CallerPlace {
  /** `request.cf` of the request being served, or `{ latitude, longitude }` in degrees. Ignored if it has neither. */
  readonly near?: object | undefined;
  readonly region?: Region | undefined;
}

export interface BlocksOptions extends Placement, CallerPlace {
  /** For segment namespaces: a repeated key returns the same IDs for 24 hours. 1 to 255 visible ASCII characters. */
  readonly idempotencyKey?: string | undefined;
}

export interface IdOptions extends BlocksOptions {
  /** The text form of the IDs, default `decimal`. */
  readonly encoding?: Encoding | undefined;
}

export interface DecodeOptions {
  /** The text form of the given ID, default `decimal`. */
  readonly encoding?: Encoding | undefined;
}

/** A rejected parameter, and its allowed values. */
export interface ParameterError extends Allowed {
  readonly parameter: string;
}

/** A rejected call: the fields of the problem that HTTP would return. */
export interface RpcProblem {
  readonly code: string;
  /** The HTTP status. */
  readonly status: number;
  /** True: rejected before anything was granted. False: IDs may have been skipped. */
  readonly definite: boolean;
  /** When to retry, in ms; absent if time does not help. */
  readonly retryAfterMs?: number;
  /** Every rejected parameter. */
  readonly errors?: readonly ParameterError[];
}

/** A value, or the problem in its place. */
export type Answer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: RpcProblem & { readonly detail: string } };
