/** Calls again what may succeed then: with backoff and jitter, no sooner than the service says, within a deadline. */
import { EdgeflakeError } from "./errors.ts";

/** The first pause is random up to this, in ms, and each next one up to double. */
const BACKOFF_MS = 50;
const BACKOFF_MAX_MS = 2000;

/** What is served again after a while. `internal` and `network`: IDs may be skipped by the repeat, never doubled. */
const RETRIED_STATUSES: readonly (number | undefined)[] = [429, 502, 503, 504];
const RETRIED_CODES: readonly string[] = ["internal", "network"];
/** 503 for good: somebody has to do something. */
const LASTING_CODES: readonly string[] = ["not_configured"];

export interface RetryOptions {
  /** All attempts and pauses together, in ms. */
  readonly timeoutMs: number;
  /** Attempts after the first. */
  readonly retries: number;
  /** The caller's; what it aborts with is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** Throws the last attempt's EdgeflakeError, `timeout`, or the signal's reason. */
export async function withRetries<Value>(
  { timeoutMs, retries, signal }: RetryOptions,
  attempt: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const untilMs = Date.now() + timeoutMs;
  const deadline = new AbortController();
  // A timer of its own: that of AbortSignal.timeout lets Node end before it fires.
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const either = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal;
  try {
    for (let tries = 0; ; tries += 1) {
      signal?.throwIfAborted();
      let error: EdgeflakeError;
      try {
        return await abortable(attempt(either), either);
      } catch (thrown) {
        error = toError(thrown, { signal, deadline: deadline.signal });
      }
      const backoffMs = Math.random() * Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** tries);
      const pauseMs = (error.retryAfterMs ?? 0) + backoffMs;
      if (tries >= retries || !isRetried(error) || Date.now() + pauseMs >= untilMs) throw error;
      await pause(pauseMs, signal);
    }
  } finally {
    clearTimeout(timer);
  }
}

function isRetried({ code, status }: EdgeflakeError): boolean {
  if (LASTING_CODES.includes(code)) return false;
  return RETRIED_STATUSES.includes(status) || RETRIED_CODES.includes(code);
}

/** An attempt that does not listen to the signal, as over RPC, is left to itself. */
function abortable<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function toError(
  thrown: unknown,
  { signal, deadline }: { signal: AbortSignal | undefined; deadline: AbortSignal },
): EdgeflakeError {
  if (signal?.aborted) throw signal.reason;
  if (thrown instanceof EdgeflakeError) return thrown;
  const code = deadline.aborted ? "timeout" : "network";
  const message = code === "timeout" ? "No answer came in time." : "No whole answer came.";
  return new EdgeflakeError(message, { code, cause: thrown });
}

/** Rejects with the signal's reason. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
}
