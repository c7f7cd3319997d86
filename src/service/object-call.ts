/** Calling an object of the platform: a deadline, a second try on a new stub, and refusals in place of errors. */
import type { Refusal } from "../core/errors.ts";
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

/** `repeated`: an earlier try threw, and may have been carried out. */
export type CallResult<Reply> =
  | { readonly ok: true; readonly reply: Reply; readonly repeated: boolean }
  | { readonly ok: false; readonly refusal: Refusal };

/**
 * Calls an object. A call that throws is made again, `tries` times in all. `call` takes a new stub each time: after a
 * reset an old one stays broken. An object whose queue at the platform is full, or that does not answer within
 * PINNED_ANSWER_MAX_MS, is not asked again. `what` names it in refusals.
 */
export async function callObject<Reply>(
  what: string,
  call: () => Promise<Reply>,
  tries = CALL_TRIES_MAX,
): Promise<CallResult<Reply>> {
  for (let tried = 1; ; tried += 1) {
    const repeated = tried > 1;
    try {
      return { ok: true, reply: await withDeadline(call(), PINNED_ANSWER_MAX_MS), repeated };
    } catch (error) {
      if (tried < tries && isWorthRepeating(error)) continue;
      return refusedBy(refusalOf(what, error), repeated);
    }
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
export function isWorthRepeating(error: unknown): boolean {
  return !isOverloaded(error) && !(error instanceof NoAnswerError);
}

/** Whether a call was refused by the platform, whose queue for that object is full. */
function isOverloaded(error: unknown): boolean {
  return error instanceof Error && "overloaded" in error && error.overloaded === true;
}

/** The refusal for a call that failed. Logs the cause, unless the object is overloaded. */
export function refusalOf(what: string, error: unknown): Refusal {
  if (isOverloaded(error)) {
    return {
      code: "shard_overloaded",
      detail: `${what} has more requests queued than it can take.`,
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
