/** Calls again what may succeed then: with backoff and jitter, no sooner than the service says, within a deadline. */
import { fieldsOf } from "../core/json.ts";
import { EdgeflakeError } from "./errors.ts";

/** The first pause is random up to this, in ms, and each next one up to double. */
const BACKOFF_MS = 50;
const BACKOFF_MAX_MS = 1000;

/** What is served again after a while, besides `internal` and `network`: a retry may skip IDs, never double one. */
const RETRIED_STATUSES: readonly (number | undefined)[] = [429, 502, 503, 504];

export interface Limits {
  /** All attempts and pauses together, in ms. */
  readonly timeoutMs: number;
  /** Attempts after the first; undefined: as many as fit into timeoutMs. */
  readonly retries?: number | undefined;
}

export interface RetryOptions extends Limits {
  /** Where requests go, for messages. */
  readonly url: string;
  /** The caller's; what it aborts with is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** Throws the last attempt's EdgeflakeError, definite only if all attempts were, `timeout`, or the signal's reason. */
export async function withRetries<Value>(
  options: RetryOptions,
  attempt: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const { timeoutMs, retries = Number.POSITIVE_INFINITY, signal } = options;
  const untilMs = performance.now() + timeoutMs;
  const deadline = new AbortController();
  // A timer of its own: that of AbortSignal.timeout lets Node end before it fires.
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
  // A 503 for good: somebody has to configure the service.
  if (code === "not_configured") return false;
  return code === "internal" || code === "network" || RETRIED_STATUSES.includes(status);
}

/** An attempt that does not listen to the signal, as over RPC, is left to itself. */
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
    ? ["timeout", `no answer within ${timeoutMs} ms`]
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
