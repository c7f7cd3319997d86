/** Calling an object of the platform: a deadline, a second try on a new stub, and refusals in place of errors. */
import type { Refusal } from "../core/refusal.ts";
import {
  CALL_TRIES_MAX,
  OVERLOADED_RETRY_MS,
  PINNED_ANSWER_MAX_MS,
  STALL_GRACE_MS,
  UNAVAILABLE_RETRY_MS,
} from "./limits.ts";

/** The object did not answer in time. The call may have been carried out. */
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
    // After a stall of this isolate the timer runs first, and a reply that arrived meanwhile just after it.
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

/** A call of an object, made again at most once for each reason. */
export interface ObjectCall<Reply, Result> {
  /** Names the object in refusals and logs. */
  readonly what: string;
  /** Makes the call on a new stub: after a reset an old one stays broken. */
  readonly call: () => Promise<Reply>;
  /**
   * Reads the reply. `repeated`: an earlier try threw, and may have been carried out. Undefined: the clocks disagree,
   * so the call is made again with the clock read anew; not allowed if `isLast`.
   */
  readonly read: (reply: Reply, repeated: boolean, isLast: boolean) => Result | undefined;
  /** The result if the object failed; `error` is its last one. */
  readonly fail: (refusal: Refusal, repeated: boolean) => Result;
  /** Calls that may throw, 1 or 2. Default 2. */
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
 * Calls an object: again if the call throws, and again if the clocks disagree. An object whose queue at the platform is
 * full, or that does not answer in time, is not asked again: each further try would have a grace of its own.
 *
 * Promises are few here, and it is flat: each await was measured to cost a Worker some microseconds.
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

/** A binding may throw at once: that is a call which failed. */
function begun<Reply>(call: () => Promise<Reply>): Promise<Reply> {
  try {
    return call();
  } catch (error) {
    return Promise.reject(error);
  }
}

/** A refusal as a result; `repeated`: an earlier try of the call may have been carried out. */
export function refusedBy(
  refusal: Refusal,
  repeated: boolean,
): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal: repeated ? { ...refusal, maybeDone: true } : refusal };
}

/** Whether the same object may answer if it is called at once again: a reset, most often. */
function isWorthRepeating(error: unknown): boolean {
  return !isOverloaded(error) && !(error instanceof NoAnswerError);
}

/** Whether a call was refused by the platform, whose queue for that object is full. */
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
  return {
    code: "shard_unavailable",
    detail: `${what} failed or did not answer in time.`,
    retryAfterMs: UNAVAILABLE_RETRY_MS,
  };
}
