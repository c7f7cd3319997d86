/** What a client is made with. */
import type { CallerPlace } from "../core/binding.ts";
import { isWhole } from "../core/takes.ts";
import { RETRIES_MAX, TIMEOUT_MAX_MS } from "./limits.ts";
import type { Limits } from "./retry.ts";
import {
  bindingTransport,
  type ClientBinding,
  httpTransport,
  type Transport,
} from "./transport.ts";

interface CommonOptions {
  readonly namespace: string;
  /** All attempts of a call and the pauses between them, in ms; default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Attempts after the first; default: as many as fit into timeoutMs. */
  readonly retries?: number | undefined;
  /** Keeps fetches ahead alive after an answer; in Workers: `waitUntil` of `cloudflare:workers`. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

interface HttpOptions {
  /** Where the service is, e.g. `https://ids.example.com`. */
  readonly url: string | URL;
  /** An API key with the scope `issue`, and `read` for decode. */
  readonly key?: string | undefined;
}

interface BindingOptions extends CallerPlace {
  /** A service binding with `entrypoint = "Edgeflake"`. */
  readonly binding: ClientBinding;
}

export type EdgeflakeOptions = CommonOptions & (HttpOptions | BindingOptions);

/** The way to the service. Throws TypeError where an option is not one. */
export function transportOf(
  options: EdgeflakeOptions,
  { timeoutMs, retries = 0 }: Limits,
): Transport {
  const { namespace } = options;
  demand(typeof namespace === "string" && namespace !== "", "namespace takes a name");
  demand(isWhole(timeoutMs, 1, TIMEOUT_MAX_MS), `timeoutMs takes 1 to ${TIMEOUT_MAX_MS}`);
  demand(isWhole(retries, 0, RETRIES_MAX), `retries takes 0 to ${RETRIES_MAX}`);
  if ("binding" in options && options.binding) {
    return bindingTransport(options.binding, namespace, options);
  }
  const { url, key }: CommonOptions & Partial<HttpOptions> = options;
  demand(/^https?:\/\/./.test(`${url}`), "url takes http://… or https://…");
  return httpTransport(`${url}`, key, namespace);
}

function demand(holds: boolean, takes: string): void {
  if (!holds) throw new TypeError(`cannot make a client: ${takes}`);
}
