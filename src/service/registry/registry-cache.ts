/**
 * An isolate's cache of the registry: bounded plain data. A busy isolate rarely calls the registry, and a change
 * reaches every isolate within CACHE_TRUSTED_MS.
 *
 * The age of an answer decides:
 *  - below 15 to 30 s (random per answer, so that isolates do not read in step): served from the cache
 *  - up to 30 s: served from the cache, and read again in the background
 *  - older: read again first; if the registry is down, served from the cache up to the age `staleMaxMs`
 *
 * A key has at most one read in flight. The reading request sets a claim. Others check the claim with growing pauses,
 * because no request may await the promise of another. A claim ends in one of these states:
 *  - answered: the others use the answer
 *  - failed: the others fail too, so that each waits for at most one time-out of a dead registry
 *  - refused, because its request is rate limited: each of the others is charged itself, then one of them reads
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
  /** Age from which the answer is read again in the background, in ms. */
  readonly refreshAfterMs: number;
  /** Maximum age of the answer, in ms. */
  readonly trustedMs: number;
  /** Maximum age of the answer if the registry is down, in ms. */
  readonly staleMs: number;
}

interface Claim {
  readonly atMs: number;
  /** Undefined: the read is in flight, or its request was cancelled. */
  end: "answered" | "failed" | "refused" | undefined;
}

interface Entry<Value> {
  answer?: Answer<Value>;
  /** The claim of the last read. */
  claim?: Claim;
  /** Time of the last failed or refused read, in unix ms. */
  failedAtMs?: number;
}

type Read<Value> = () => Promise<Value | undefined>;

export interface ReadHooks {
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Called before this request calls the registry. Its errors are thrown only to this request. */
  readonly beforeAsking?: () => Promise<void>;
}

export class RegistryCache<Value> {
  readonly #known = new Map<string, Entry<Value>>();
  /** Entries of unknown keys, separate: a flood of invented keys must not evict existing ones. */
  readonly #others = new Map<string, Entry<Value>>();
  readonly #staleMaxMs: number;

  constructor(options: { readonly staleMaxMs: number }) {
    this.#staleMaxMs = options.staleMaxMs;
  }

  /**
   * The value of `key`, from the cache or by `read`; undefined if the registry does not know it. Throws the errors of
   * this request's `read` and `beforeAsking`, and RegistryUnavailableError if another request's read failed.
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
        // The read must outlive its request: others wait for its answer.
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

  /** The value of `key` if the cache can serve it without a read. */
  peek(key: string): Value | undefined {
    const answer = this.#known.get(key)?.answer;
    return answer && isWithin(Date.now(), answer.readAtMs, answer.refreshAfterMs)
      ? answer.value
      : undefined;
  }

  /** Removes `key` after this isolate changed it. The answer of a read in flight is then ignored. */
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
      // Otherwise the entry was removed, or another request took over its claim: this answer may be outdated.
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

  /** Makes an answer. Its age counts from the start of the read, because it may be that old. */
  #answerOf(value: Value, readAtMs: number): Answer<Value> {
    const refreshAfterMs = (CACHE_TRUSTED_MS / 2) * (1 + Math.random());
    const staleMs = this.#staleMaxMs;
    return { value, readAtMs, refreshAfterMs, trustedMs: CACHE_TRUSTED_MS, staleMs };
  }

  /** The cached value of `key` after a failed read; throws `error` if the cache has no usable value. */
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

/** An answer for an unknown key. Its age counts from the end of the read: requests that waited for it must find it. */
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

/** Whether to read the answer again in the background. */
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

/** Whether `sinceMs` is less than `withinMs` ago. False if the clock went back. */
function isWithin(nowMs: number, sinceMs: number | undefined, withinMs: number): boolean {
  return sinceMs !== undefined && nowMs >= sinceMs && nowMs - sinceMs < withinMs;
}
