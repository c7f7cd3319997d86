import { isWhole } from "../core/takes.ts";
import { RETRIES_MAX, TIMEOUT_MAX_MS } from "./limits.ts";
import type { MinterStore } from "./minter-store.ts";

export interface MinterOptions {
  /** Where the service is, e.g. `https://ids.example.com`. */
  readonly url: string | URL;
  /** An API key with the scope `lease`. */
  readonly key?: string | undefined;
  /** Of the kind `snowflake`. */
  readonly namespace: string;
  /** A label for people, such as a pod's name; two processes may have the same. */
  readonly holder?: string | undefined;
  /**
   * How long the worker ID is leased at a time, from 5,000 ms to the namespace's leaseTtlMaxMs; default 60,000, or less
   * if the namespace allows less.
   */
  readonly ttlMs?: number | undefined;
  /** Keeps the lease beyond the process; one process at a time. */
  readonly store?: MinterStore | undefined;
  /** All attempts of a request and the pauses between them, in ms, default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Attempts after the first; default: as many as fit into timeoutMs. */
  readonly retries?: number | undefined;
  /** Keeps renewals and writes to the store alive after an answer; in Workers: `waitUntil` of `cloudflare:workers`. */
  readonly waitUntil?: WaitUntil | undefined;
}

export type WaitUntil = (work: Promise<unknown>) => void;

export interface MinterSettings {
  readonly url: string;
  readonly namespace: string;
  readonly holder: string | undefined;
  readonly ttlMs: number | undefined;
  readonly timeoutMs: number;
  readonly retries: number | undefined;
  readonly waitUntil?: WaitUntil | undefined;
}

const TIMEOUT_DEFAULT_MS = 10_000;

/** The options with their defaults. Throws TypeError where one is not what it should be. */
export function settingsOf(options: MinterOptions): MinterSettings {
  const { url, namespace, holder, ttlMs, waitUntil } = options;
  const { timeoutMs = TIMEOUT_DEFAULT_MS, retries } = options;
  if (typeof namespace !== "string" || namespace === "") throw notOne("namespace takes a name");
  if (!/^https?:\/\/./.test(`${url}`)) throw notOne("url takes http://… or https://…");
  if (!isWhole(timeoutMs, 1, TIMEOUT_MAX_MS)) {
    throw notOne(`timeoutMs takes 1 to ${TIMEOUT_MAX_MS}`);
  }
  if (retries !== undefined && !isWhole(retries, 0, RETRIES_MAX))
    throw notOne(`retries takes 0 to ${RETRIES_MAX}`);
  return { url: `${url}`, namespace, holder, ttlMs, timeoutMs, retries, waitUntil };
}

function notOne(takes: string): TypeError {
  return new TypeError(`cannot make a minter: ${takes}`);
}
