/** Retries with backoff and jitter, no sooner than the service asks for, within a deadline. */
import { fieldsOf } from "../core/json.ts";
import { EdgeflakeError } from "./errors.ts";

/** The first pause is random up to BACKOFF_MS; the bound doubles with each attempt, up to BACKOFF_MAX_MS. */
const BACKOFF_MS = 50;
const BACKOFF_MAX_MS = 1000;

/** Statuses to retry, besides the codes `internal` and `network`: a retry may skip IDs, never repeat one. */
const RETRIED_STATUSES: readonly (number | undefined)[] = [429, 502, 503, 504];

export interface Limits {
  /** The deadline of all attempts and pauses together, in ms. */
  readonly timeoutMs: number;
  /** Attempts after the first; undefined: as many as fit into timeoutMs. */
  readonly retries?: number | undefined;
}

export interface RetryOptions extends Limits {
  /** Where requests go, for messages. */
  readonly url: string;
  /** The caller's signal; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** Throws the last EdgeflakeError (definite only if all were), one with the code `timeout`, or the signal's reason. */
export async function withRetries<Value>(
  options: RetryOptions,
  attempt: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const { timeoutMs, retries = Number.POSITIVE_INFINITY, signal } = options;
  const untilMs = performance.now() + timeoutMs;
  const deadline = new AbortController();
  // Not AbortSignal.timeout: its timer does not keep Node running until it fires.
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const either = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal;
  try {
    for (let tries = 0, definite = true; ; tries += 1) {
      signal?.throwIfAborted();
      let error: EdgeflakeError;
      try {
        return await abortable(attempt(either), either);
      } catch (thrown) {
        error = toError(thrown, options, deadline.signal);
      }
      definite &&= error.definite;
      Object.assign(error, { definite });
      const backoffMs = Math.random() * Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** tries);
      const pauseMs = (error.retryAfterMs ?? 0) + backoffMs;
      if (tries >= retries || !isRetried(error) || performance.now() + pauseMs >= untilMs)
        throw error;
      await pause(pauseMs, signal);
    }
  } finally {
    clearTimeout(timer);
  }
}

function isRetried({ code, status }: EdgeflakeError): boolean {
  // A 503 that lasts until the service is configured.
  if (code === "not_configured") return false;
  return code === "internal" || code === "network" || RETRIED_STATUSES.includes(status);
}

/** Rejects when the signal aborts, even if the work ignores the signal, as RPC does. */
function abortable<Value>(work: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    work.then(resolve, reject).finally(() => signal?.removeEventListener("abort", abort));
  });
}

function toError(
  thrown: unknown,
  { url, timeoutMs, signal }: RetryOptions,
  deadline: AbortSignal,
): EdgeflakeError {
  if (signal?.aborted) throw signal.reason;
  if (thrown instanceof EdgeflakeError) return thrown;
  const [code, why] = deadline.aborted
    ? ["timeout", `no response within ${timeoutMs} ms`]
    : ["network", reasonOf(thrown)];
  return new EdgeflakeError(`Request to ${url} failed: ${why}`, { code, cause: thrown });
}

/** The innermost cause: Node's own message is "fetch failed". */
function reasonOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { cause, message } = error;
  return fieldsOf(error).code ?? (cause ? reasonOf(cause) : message);
}

/** Resolves after `ms`. Rejects with the signal's reason. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  let end = (): void => undefined;
  const slept = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    end = () => clearTimeout(timer);
  });
  await abortable(slept, signal).finally(end);
}
