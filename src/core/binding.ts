/** The options and results of the service binding's entrypoint `Edgeflake`. */

import type { Allowed } from "./allowed.ts";
import type { Encoding } from "./codec.ts";
import type { Region } from "./regions.ts";

/** Where IDs come from. `shard` and `key` are mutually exclusive; each gets IDs from the service, not from memory. */
export interface Placement {
  /** The shard (worker ID) to get IDs from, 0 to the namespace's number of shards less 1. */
  readonly shard?: number | undefined;
  /** A text, such as a customer's ID, 1 to 512 bytes: IDs for one key strictly increase. */
  readonly key?: string | undefined;
  /** `strict`: IDs of one shard strictly increase, at a request each. Default `fresh`: in time order, roughly. */
  readonly order?: "fresh" | "strict" | undefined;
}

/**
 * Where the caller of a binding is, so that the service chooses a near shard (over HTTP it knows). `near` and `region`
 * are mutually exclusive.
 */
export interface CallerPlace {
  /** `request.cf` of the current request, or `{ latitude, longitude }` in degrees. Ignored without coordinates. */
  readonly near?: object | undefined;
  /** A region of Cloudflare's location hints, such as `weur`. */
  readonly region?: Region | undefined;
}

/** Options of `blocks` of a service binding: where the IDs come from, and how a repetition gets the same ones. */
export interface BlocksOptions extends Placement, CallerPlace {
  /**
   * For a namespace of the kind `segment`: calls with the same key get the same IDs, for 24 hours. 1 to 255 visible
   * ASCII characters.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Options of `nextId` and `nextIds` of a service binding. */
export interface IdOptions extends BlocksOptions {
  /** The encoding of the returned texts. Default `decimal`. */
  readonly encoding?: Encoding | undefined;
}

/** Options of `decode`. */
export interface DecodeOptions {
  /** The encoding of the text to decode. Default `decimal`. */
  readonly encoding?: Encoding | undefined;
}

/** A rejected parameter, with the values allowed: for people in `detail`, for programs in the other properties. */
export interface ParameterError extends Allowed {
  /** The name of the parameter, such as `count`. */
  readonly parameter: string;
}

/** The properties of an error of a service binding: those of the problem document that HTTP would have returned. */
export interface RpcProblem {
  /** A code of the HTTP API, such as `shard_saturated`. */
  readonly code: string;
  /** The status that HTTP would have returned. */
  readonly status: number;
  /** `true`: no ID was granted. `false`: IDs may have been granted and lost; they are never issued again. */
  readonly definite: boolean;
  /** When to retry, in ms from now; absent if waiting does not help. */
  readonly retryAfterMs?: number;
  /** Every rejected parameter, with the values allowed; absent if the problem is about none. */
  readonly errors?: readonly ParameterError[];
}

/** The result of a method that ends in `OrProblem`: a value if `ok` is `true`, else the problem. */
export type Answer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: RpcProblem & { readonly detail: string } };
