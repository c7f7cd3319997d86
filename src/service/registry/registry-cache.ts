/**
 * What an isolate remembers of the registry: plain data, bounded, so that a busy isolate asks seldom
 * and a change reaches every isolate within CACHE_TRUSTED_MS.
 *
 * An answer is, by its age,
 *  - younger than 15 to 30 s (drawn per answer, so that isolates do not ask in step): served as it is
 *  - up to 30 s: served, and read again in the background
 *  - older: read again first; if the registry fails, served up to the age of `staleMaxMs`
 *
 * A key has at most one read in flight. The request that reads leaves a claim; the others look at the claim
 * in growing pauses, because no request may await the promise of another. A claim ends
 *  - answered: the others find the answer
 *  - failed: the others fail too, so that a dead registry costs each of them one time-out, not one after another
 *  - refused, because its request may not ask: each of the others is charged itself, then one of them reads
 *  - lapsed (its request was cancelled) or forgotten: one of the others reads
 */
import { setBounded } from "../../core/bounded-map.ts";
import {
  CACHE_ENTRIES_MAX,
  CACHE_RETRY_MS,
  CACHE_TRUSTED_MS,
  READ_CLAIM_LAPSES_MS,
  READ_LOOK_MAX_MS,
  READ_LOOK_MIN_MS,
  READ_WAIT_MAX_MS,
  REGISTRY_DOWN_MS,
  UNKNOWN_TRUSTED_MS,
} from "../limits.ts";
import { RegistryUnavailableError } from "./registry-call.ts";

interface Answer<Value> {
  /** Undefined: the registry does not know the key. */
  readonly value: Value | undefined;
  readonly readAtMs: number;
  /** Ages in ms: read again in the background from this on, … */
  readonly refreshAfterMs: number;
  /** … served up to this, … */
  readonly trustedMs: number;
  /** … and up to this if the registry fails. */
  readonly staleMs: number;
}

interface Claim {
  readonly atMs: number;
  /** Undefined: the read is in flight, or its request was cancelled. */
  end: "answered" | "failed" | "refused" | undefined;
}

interface Entry<Value> {
  answer?: Answer<Value>;
  /** The last read that a request set out on. */
  claim?: Claim;
  /** When a read last failed or was refused. */
  failedAtMs?: number;
}

type Read<Value> = () => Promise<Value | undefined>;

export interface ReadHooks {
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Called before this request asks the registry; what it throws is thrown to this request alone. */
  readonly beforeAsking?: () => Promise<void>;
}

export class RegistryCache<Value> {
  readonly #known = new Map<string, Entry<Value>>();
  /** Keys unknown so far, apart: a flood of made-up ones must not push out those that exist. */
  readonly #others = new Map<string, Entry<Value>>();
  readonly #staleMaxMs: number;

  constructor(options: { readonly staleMaxMs: number }) {
    this.#staleMaxMs = options.staleMaxMs;
  }

  /**
   * The value of `key`, from memory or by `read`; undefined if the registry does not know it.
   * Throws what this request's `read` or `beforeAsking` throws, and RegistryUnavailableError if another's read failed.
   */
  async get(key: string, read: Read<Value>, hooks: ReadHooks): Promise<Value | undefined> {
    let { beforeAsking } = hooks;
    for (let waitedMs = 0; ; ) {
      const nowMs = Date.now();
      const entry = this.#entryOf(key);
      const answer = servedOf(entry, nowMs);
      const claim = openClaimOf(entry, nowMs);
      if (answer && (claim || !isDue(answer, entry, nowMs))) return answer.value;
      if (!claim) {
        const reading = this.#read(key, entry, read, beforeAsking);
        // Its request may be cancelled; others wait for what it reads.
        hooks.waitUntil(reading.catch(() => undefined));
        return answer
          ? answer.value
          : await reading.catch((error: unknown) => this.#servedDespite(key, error));
      }
      if (waitedMs >= READ_WAIT_MAX_MS) throw notRead("was not answered in time");
      const pauseMs = Math.min(READ_LOOK_MAX_MS, Math.max(READ_LOOK_MIN_MS, waitedMs));
      await scheduler.wait(pauseMs);
      waitedMs += pauseMs;
      if (claim.end === "failed") return this.#servedDespite(key, notRead("failed"));
      if (claim.end === "refused") {
        await beforeAsking?.();
        beforeAsking = undefined;
      }
    }
  }

  /** The value of `key` if it may be served as it is, with nothing to read. */
  peek(key: string): Value | undefined {
    const answer = this.#known.get(key)?.answer;
    return answer && isWithin(Date.now(), answer.readAtMs, answer.refreshAfterMs)
      ? answer.value
      : undefined;
  }

  /** Forgets `key`, which this isolate has just changed, and what a read of it in flight will answer. */
  forget(key: string): void {
    this.#known.delete(key);
    this.#others.delete(key);
  }

  async #read(
    key: string,
    entry: Entry<Value>,
    read: Read<Value>,
    beforeAsking: ReadHooks["beforeAsking"],
  ): Promise<Value | undefined> {
    const claim: Claim = { atMs: Date.now(), end: undefined };
    entry.claim = claim;
    let failure: "failed" | "refused" = "refused";
    try {
      await beforeAsking?.();
      failure = "failed";
      const value = await read();
      claim.end = "answered";
      // Otherwise it was forgotten or pushed out, or its claim lapsed and was taken over: its answer may be old.
      if (this.#find(key) === entry && entry.claim === claim) this.#keep(key, entry, claim, value);
      return value;
    } catch (error) {
      claim.end = failure;
      entry.failedAtMs = Date.now();
      throw error;
    }
  }

  #keep(key: string, entry: Entry<Value>, claim: Claim, value: Value | undefined): void {
    entry.answer = value === undefined ? unknownNow() : this.#answerOf(value, claim.atMs);
    this.forget(key);
    setBounded(value === undefined ? this.#others : this.#known, key, entry, CACHE_ENTRIES_MAX);
  }

  /** An answer may be as old as its question, so its age counts from there. */
  #answerOf(value: Value, readAtMs: number): Answer<Value> {
    const refreshAfterMs = (CACHE_TRUSTED_MS / 2) * (1 + Math.random());
    const staleMs = this.#staleMaxMs;
    return { value, readAtMs, refreshAfterMs, trustedMs: CACHE_TRUSTED_MS, staleMs };
  }

  /** What may be served of `key` although reading it has just failed; throws `error` if nothing may. */
  #servedDespite(key: string, error: unknown): Value | undefined {
    const answer = servedOf(this.#find(key) ?? {}, Date.now());
    if (!answer) throw error;
    return answer.value;
  }

  #find(key: string): Entry<Value> | undefined {
    return this.#known.get(key) ?? this.#others.get(key);
  }

  #entryOf(key: string): Entry<Value> {
    const found = this.#find(key);
    if (found) return found;
    const made: Entry<Value> = {};
    setBounded(this.#others, key, made, CACHE_ENTRIES_MAX);
    return made;
  }
}

/** From the answer on, not the question: those who waited for a slow read must find it. */
function unknownNow(): Answer<never> {
  const ms = UNKNOWN_TRUSTED_MS;
  const readAtMs = Date.now();
  return { value: undefined, readAtMs, refreshAfterMs: ms, trustedMs: ms, staleMs: ms };
}

function servedOf<Value>(entry: Entry<Value>, nowMs: number): Answer<Value> | undefined {
  const { answer, failedAtMs } = entry;
  if (!answer) return undefined;
  const fails = isWithin(nowMs, failedAtMs, REGISTRY_DOWN_MS);
  const mostMs = fails ? answer.staleMs : answer.trustedMs;
  return isWithin(nowMs, answer.readAtMs, mostMs) ? answer : undefined;
}

/** Whether to read it again in the background. */
function isDue<Value>(answer: Answer<Value>, entry: Entry<Value>, nowMs: number): boolean {
  const rests = isWithin(nowMs, entry.failedAtMs, CACHE_RETRY_MS);
  return !rests && !isWithin(nowMs, answer.readAtMs, answer.refreshAfterMs);
}

function openClaimOf({ claim }: Entry<unknown>, nowMs: number): Claim | undefined {
  const isOpen = claim?.end === undefined && isWithin(nowMs, claim?.atMs, READ_CLAIM_LAPSES_MS);
  return isOpen ? claim : undefined;
}

function notRead(why: string): RegistryUnavailableError {
  return new RegistryUnavailableError(new Error(`another request's read ${why}`), false);
}

/** Whether `sinceMs` lies at most `withinMs` back; a clock that went back counts as too long ago. */
function isWithin(nowMs: number, sinceMs: number | undefined, withinMs: number): boolean {
  return sinceMs !== undefined && nowMs >= sinceMs && nowMs - sinceMs < withinMs;
}
