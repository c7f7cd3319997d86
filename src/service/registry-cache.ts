/**
 * What an isolate remembers of the registry: plain data, bounded, so that a busy isolate asks seldom
 * and a change reaches every isolate within CACHE_TRUSTED_MS.
 *
 *  - younger than 15 to 30 s (drawn per entry, so that isolates do not ask in step): served as it is
 *  - up to 30 s: served, and read again in the background
 *  - older: read again and awaited; while the registry fails, served on or not as `servesStale` says
 */
import { remember } from "../core/remember.ts";
import {
  CACHE_ENTRIES_MAX,
  CACHE_RETRY_MS,
  CACHE_TRUSTED_MS,
  UNKNOWN_TRUSTED_MS,
} from "./limits.ts";

interface Entry<Value> {
  readonly value: Value;
  readonly readAtMs: number;
  readonly refreshAfterMs: number;
  /** When it was last set out to be read in the background. A claim lapses: a cancelled read must not block the next. */
  claimedAtMs: number;
  /** When reading it again last failed. */
  failedAtMs: number;
}

type WaitUntil = (work: Promise<unknown>) => void;

export class RegistryCache<Value> {
  readonly #known = new Map<string, Entry<Value>>();
  readonly #unknown = new Map<string, number>();
  readonly #servesStale: boolean;
  /** How often something was forgotten: what was asked for before then may be old. */
  #forgotten = 0;

  constructor(options: { readonly servesStale: boolean }) {
    this.#servesStale = options.servesStale;
  }

  /**
   * The value of `key`, from memory or by `read`; undefined for an unknown key, which `read` says too.
   * Throws what `read` throws where nothing that may be served is remembered.
   */
  async get(
    key: string,
    read: () => Promise<Value | undefined>,
    waitUntil: WaitUntil,
  ): Promise<Value | undefined> {
    const nowMs = Date.now();
    const entry = this.#known.get(key);
    if (!entry) {
      const unknown = isWithin(nowMs, this.#unknown.get(key), UNKNOWN_TRUSTED_MS);
      return unknown ? undefined : this.#read(key, read);
    }
    if (isWithin(nowMs, entry.readAtMs, entry.refreshAfterMs)) return entry.value;
    // While the registry fails, the old value serves on and the registry is asked behind its back.
    const fails = this.#servesStale && isWithin(nowMs, entry.failedAtMs, CACHE_TRUSTED_MS);
    if (fails || isWithin(nowMs, entry.readAtMs, CACHE_TRUSTED_MS)) {
      if (!isWithin(nowMs, entry.claimedAtMs, CACHE_RETRY_MS)) {
        entry.claimedAtMs = nowMs;
        waitUntil(this.#refresh(key, entry, read).catch(() => undefined));
      }
      return entry.value;
    }
    try {
      return await this.#refresh(key, entry, read);
    } catch (error) {
      if (this.#servesStale) return entry.value;
      throw error;
    }
  }

  /** The value of `key` where it may be served as it is, with nothing to read. */
  peek(key: string): Value | undefined {
    const entry = this.#known.get(key);
    return entry && isWithin(Date.now(), entry.readAtMs, entry.refreshAfterMs)
      ? entry.value
      : undefined;
  }

  /** Forgets what is known of `key`: this isolate has just changed it. */
  forget(key: string): void {
    this.#forgotten += 1;
    this.#known.delete(key);
    this.#unknown.delete(key);
  }

  async #refresh(
    key: string,
    entry: Entry<Value>,
    read: () => Promise<Value | undefined>,
  ): Promise<Value | undefined> {
    try {
      return await this.#read(key, read);
    } catch (error) {
      entry.failedAtMs = Date.now();
      throw error;
    }
  }

  async #read(key: string, read: () => Promise<Value | undefined>): Promise<Value | undefined> {
    // What is read may be as old as the question, not as young as the answer.
    const readAtMs = Date.now();
    const forgotten = this.#forgotten;
    const value = await read();
    // Something was changed here meanwhile, or a later question was answered first: not to be remembered.
    const newer = this.#known.get(key);
    if (this.#forgotten !== forgotten || (newer && newer.readAtMs > readAtMs)) return value;
    this.#known.delete(key);
    this.#unknown.delete(key);
    if (value === undefined) {
      remember(this.#unknown, key, readAtMs, CACHE_ENTRIES_MAX);
      return undefined;
    }
    const refreshAfterMs = (CACHE_TRUSTED_MS / 2) * (1 + Math.random());
    const entry = { value, readAtMs, refreshAfterMs, claimedAtMs: 0, failedAtMs: 0 };
    remember(this.#known, key, entry, CACHE_ENTRIES_MAX);
    return value;
  }
}

/** Whether `sinceMs` lies at most `withinMs` back; a clock that went back counts as too long ago. */
function isWithin(nowMs: number, sinceMs: number | undefined, withinMs: number): boolean {
  return sinceMs !== undefined && nowMs >= sinceMs && nowMs - sinceMs < withinMs;
}
