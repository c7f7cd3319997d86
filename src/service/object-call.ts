/** Calls of Durable Objects: with a deadline, a retry on a new stub, and refusals in place of errors. */
import type { Refusal } from "../core/refusal.ts";
import {
  CALL_TRIES_MAX,
  OVERLOADED_RETRY_MS,
  PINNED_ANSWER_MAX_MS,
  STALL_GRACE_MS,
  UNAVAILABLE_RETRY_MS,
} from "./limits.ts";

/** The object did not answer in time. The call may have succeeded. */
class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";

  constructor(maxMs: number) {
    super(`no answer within ${maxMs} ms`);
  }
}

/** The result of a call. Rejects with NoAnswerError if there is no reply within `maxMs` (plus STALL_GRACE_MS). */
export function withDeadline<Reply>(call: Promise<Reply>, maxMs: number): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new NoAnswerError(maxMs));
    // After a stall of this isolate, the timer runs before a reply that arrived during the stall.
    let timer = setTimeout(() => {
      timer = setTimeout(giveUp, STALL_GRACE_MS);
    }, maxMs);
    call.then(
      (reply) => {
        clearTimeout(timer);
        resolve(reply);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** A call of an object, retried at most once for each reason. */
export interface ObjectCall<Reply, Result> {
  /** Names the object in refusals and logs. */
  readonly what: string;
  /** Makes the call on a new stub: after a reset, an old stub stays broken. */
  readonly call: () => Promise<Reply>;
  /**
   * Reads the reply. `repeated`: an earlier try threw, and may have succeeded. Returns undefined if the clocks
   * disagree: the call is then retried with a new clock reading. Must not return undefined if `isLast`.
   */
  readonly read: (reply: Reply, repeated: boolean, isLast: boolean) => Result | undefined;
  /** The result if the object failed. */
  readonly fail: (refusal: Refusal, repeated: boolean) => Result;
  /** Maximum number of calls that throw, 1 or 2. Default 2. */
  readonly tries?: number;
  /** The deadline of all calls together, in ms. Default PINNED_ANSWER_MAX_MS. */
  readonly maxMs?: number;
}

interface Tried {
  readonly sinceMs: number;
  readonly repeated: boolean;
  readonly throws: number;
  readonly disagreements: number;
}

/**
 * Calls an object. Retries once if the call throws, and once if the clocks disagree. Does not retry if the object's
 * queue is full or the deadline has passed: each retry would add another grace period.
 *
 * It uses few promises and no await: each await costs some microseconds (measured).
 */
export function callObject<Reply, Result>(
  asked: ObjectCall<Reply, Result>,
  tried: Tried = { sinceMs: Date.now(), repeated: false, throws: 0, disagreements: 0 },
): Promise<Result> {
  const { what, call, read, fail, tries = CALL_TRIES_MAX, maxMs = PINNED_ANSWER_MAX_MS } = asked;
  const { sinceMs, repeated } = tried;
  const spentMs = tried.throws + tried.disagreements === 0 ? 0 : Date.now() - sinceMs;
  const leftMs = Math.max(1, maxMs - Math.max(0, spentMs));
  return withDeadline(begun(call), leftMs).then(
    (reply) => {
      const disagreements = tried.disagreements + 1;
      const result = read(reply, repeated, disagreements >= CALL_TRIES_MAX);
      return result ?? callObject(asked, { ...tried, throws: 0, disagreements });
    },
    (error: unknown) => {
      const throws = tried.throws + 1;
      const inTime = Date.now() - sinceMs < maxMs;
      if (throws < tries && inTime && isWorthRepeating(error)) {
        return callObject(asked, { ...tried, throws, repeated: true });
      }
      return fail(refusalOf(what, error), repeated);
    },
  );
}

/** Starts a call. A binding may throw synchronously: that counts as a failed call. */
function begun<Reply>(call: () => Promise<Reply>): Promise<Reply> {
  try {
    return call();
  } catch (error) {
    return Promise.reject(error);
  }
}

/** A refusal as a result. `repeated`: an earlier try of the call may have succeeded. */
export function refusedBy(
  refusal: Refusal,
  repeated: boolean,
): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal: repeated ? { ...refusal, maybeDone: true } : refusal };
}

/** Whether an immediate retry may succeed, as after a reset of the object. */
function isWorthRepeating(error: unknown): boolean {
  const isFinal = error instanceof NoAnswerError || platformLimitOf(error) !== undefined;
  return !isOverloaded(error) && !isFinal;
}

/**
 * Errors of an account that has used up a daily limit of the Free plan, or its spending limit
 * (https://developers.cloudflare.com/durable-objects/platform/spend-management/).
 */
const PLATFORM_LIMIT = /exceeded (?:allowed .*free tier|the account's spending cap)/i;
const DAY_MS = 86_400_000;

/** The refusal for an operation that the platform rejected because of a limit of the account. */
export function platformLimitOf(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !PLATFORM_LIMIT.test(error.message)) return undefined;
  const code = "platform_limit";
  if (!/free tier/i.test(error.message)) {
    return { code, detail: "The Cloudflare account has reached its spending limit." };
  }
  const detail = "The Cloudflare account has used up a daily limit of its Free plan.";
  // Daily limits end at 00:00 UTC.
  return { code, detail, retryAfterMs: DAY_MS - (Date.now() % DAY_MS) };
}

/** Whether the platform rejected a call because the object's queue is full. */
function isOverloaded(error: unknown): boolean {
  return error instanceof Error && "overloaded" in error && error.overloaded === true;
}

/** The refusal for a call that failed. Logs the cause, unless the object is overloaded. */
function refusalOf(what: string, error: unknown): Refusal {
  if (isOverloaded(error)) {
    return {
      code: "shard_overloaded",
      detail: `${what} has too many queued requests; retry in ${OVERLOADED_RETRY_MS} ms.`,
      retryAfterMs: OVERLOADED_RETRY_MS,
    };
  }
  console.error(JSON.stringify({ object: what, error: `${error}` }));
  const limit = platformLimitOf(error);
  if (limit) return limit;
  return {
    code: "shard_unavailable",
    detail: `${what} failed or did not answer in time.`,
    retryAfterMs: UNAVAILABLE_RETRY_MS,
  };
}
