/** The options of a client and of its calls. */
import type { CallerPlace, Placement } from "../core/binding.ts";
import { checkLimits, checkUrl } from "./limits.ts";
import type { Limits } from "./retry.ts";
import {
  bindingTransport,
  type ClientBinding,
  httpTransport,
  type Transport,
} from "./transport.ts";

/** Options of one call: where its IDs come from, and how it may be repeated or aborted. */
export interface CallOptions extends Placement {
  /**
   * For a namespace of the kind `segment`: calls with the same key get the same IDs, for 24 hours. 1 to 255 visible
   * ASCII characters. A strict call without one gets a random key, so that a retry leaves no gap.
   */
  readonly idempotencyKey?: string | undefined;
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

interface CommonOptions {
  /** The name of the namespace that the IDs come from, such as `orders`. */
  readonly namespace: string;
  /** The deadline of a call with all its attempts and pauses, in ms: 1 to 3,600,000. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Attempts after the first, 0 to 100. Default: as many as fit into `timeoutMs`. */
  readonly retries?: number | undefined;
  /** Keeps prefetching alive after a response. In a Worker, pass `waitUntil` from `cloudflare:workers`. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

interface HttpOptions {
  /** The address of the service, such as `https://ids.example.com`. */
  readonly url: string | URL;
  /** An API key with the scope `issue`; `decode` needs the scope `read`. */
  readonly key?: string | undefined;
}

interface BindingOptions extends CallerPlace {
  /** A Cloudflare service binding with `entrypoint = "Edgeflake"`. It needs no API key. */
  readonly binding: ClientBinding;
}

/**
 * Options of a client: `namespace`, and either `url` with an API key (`key`) or a service binding (`binding`). With a
 * binding, `near` or `region` says where the caller is.
 */
export type EdgeflakeOptions = CommonOptions & (HttpOptions | BindingOptions);

/** The transport to the service. Throws TypeError if an option is invalid. */
export function transportOf(options: EdgeflakeOptions, limits: Limits): Transport {
  const { namespace } = options;
  checkLimits(namespace, limits);
  if ("binding" in options && options.binding) {
    return bindingTransport(options.binding, namespace, options);
  }
  const { url, key }: CommonOptions & Partial<HttpOptions> = options;
  return httpTransport(checkUrl(url), key, namespace);
}
