/** What goes over a service binding to the entrypoint `Edgeflake`: options, and refusals as values. */
import type { Encoding } from "./codec.ts";
import type { Region } from "./regions.ts";
import type { Allowed } from "./takes.ts";

/** Where IDs come from. At most one of `shard` and `key`. */
export interface Placement {
  readonly shard?: number | undefined;
  /** IDs for one key strictly increase. */
  readonly key?: string | undefined;
  readonly order?: "fresh" | "strict" | undefined;
}

/** Where the caller is, so that a shard near to it is chosen: a binding, unlike HTTP, does not say so. At most one. */
export interface CallerPlace {
  /** `request.cf` of the request being served, or `{ latitude, longitude }` in degrees. Ignored if it has neither. */
  readonly near?: object | undefined;
  readonly region?: Region | undefined;
}

export interface BlocksOptions extends Placement, CallerPlace {
  /** Of segments: the same key gets the same IDs again, for a day. 1 to 255 visible ASCII characters. */
  readonly idempotencyKey?: string | undefined;
}

export interface IdOptions extends BlocksOptions {
  /** Default `decimal`. */
  readonly encoding?: Encoding | undefined;
}

export interface DecodeOptions {
  /** Of the text, default `decimal`. */
  readonly encoding?: Encoding | undefined;
}

/** A rejected parameter, and its allowed values. */
export interface ParameterError extends Allowed {
  readonly parameter: string;
}

/** Why a call was refused: the facts of the problem that HTTP would have answered. */
export interface RpcProblem {
  readonly code: string;
  /** The HTTP status. */
  readonly status: number;
  /** True: refused before anything was granted. False: IDs may have been skipped. */
  readonly definite: boolean;
  /** When to try again, in ms; absent if time does not help. */
  readonly retryAfterMs?: number;
  /** Every rejected parameter. */
  readonly errors?: readonly ParameterError[];
}

/** A value, or why there is none. */
export type Answer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: RpcProblem & { readonly detail: string } };
