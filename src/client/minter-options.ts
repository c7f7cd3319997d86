import { checkLimits, checkUrl, TIMEOUT_DEFAULT_MS } from "./limits.ts";
import type { MinterStore } from "./minter-store.ts";

/** Options of {@linkcode Minter.open}: the service, the namespace, and how the lease is held. */
export interface MinterOptions {
  /** The address of the service, such as `https://ids.example.com`. */
  readonly url: string | URL;
  /** An API key with the scope `lease`. */
  readonly key?: string | undefined;
  /** The name of the namespace, of the kind `snowflake`. */
  readonly namespace: string;
  /** A label for people, such as a pod's name. Several processes may share it. */
  readonly holder?: string | undefined;
  /**
   * The duration of the lease, in ms: from 5,000 to the namespace's `leaseTtlMaxMs`. Default 60,000, or less if the
   * namespace allows less. The minter renews it in the background.
   */
  readonly ttlMs?: number | undefined;
  /** Keeps the lease for the next start of the process. One process uses a store at a time. */
  readonly store?: MinterStore | undefined;
  /** The deadline of a request with all its attempts and pauses, in ms: 1 to 3,600,000. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Attempts after the first, 0 to 100. Default: as many as fit into `timeoutMs`. */
  readonly retries?: number | undefined;
  /** Keeps renewals and store writes alive after a response. In a Worker, pass `waitUntil` from `cloudflare:workers`. */
  readonly waitUntil?: WaitUntil | undefined;
}

/** Keeps a Worker running until the work has settled. */
export type WaitUntil = (work: Promise<unknown>) => void;

export interface MinterSettings extends Omit<MinterOptions, "key" | "store"> {
  readonly url: string;
  readonly timeoutMs: number;
}

/** The options with their defaults. Throws TypeError if one is invalid. */
export function settingsOf(options: MinterOptions): MinterSettings {
  const { namespace, holder, ttlMs, waitUntil } = options;
  const { timeoutMs = TIMEOUT_DEFAULT_MS, retries } = options;
  checkLimits(namespace, { timeoutMs, retries });
  const url = checkUrl(options.url);
  return { url, namespace, holder, ttlMs, timeoutMs, retries, waitUntil };
}
