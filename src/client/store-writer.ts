/**
 * Writes the records of one minter to its store, by compare-and-put.
 *
 * Invariants, each proved by the tests with the same number:
 *  W1 A put that failed or was not answered is in doubt: its text may be stored now or later. While one of its own texts
 *     is stored, the minter has the store; each put names the text that it replaces, so nobody came in between.
 *  W2 The store is lost for good once another's text is found. Nothing is written there any more.
 *  W3 A call that comes back after a later one began, or after its deadline, changes nothing.
 */
import {
  type MinterStore,
  type RecordPlace,
  recordText,
  type StoredLease,
} from "./minter-store.ts";
import { type Check, Turns } from "./turns.ts";

/** How long one call may take, in ms: half of the longest that a mark is written ahead. */
export const STORE_TIMEOUT_MS = 5000;
/** Texts in doubt at most. A store that carries out an older put later is given up as another's. */
const IN_DOUBT_MAX = 16;
/** Puts of one call: each fails only if one in doubt was carried out just before. */
const PUTS_MAX = 3;

export class StoreWriter {
  readonly #store: MinterStore;
  readonly #place: RecordPlace;
  /** The text stored, as far as known, then those in doubt. Empty: not read yet. */
  #texts: (string | undefined)[] = [];
  #isLost = false;
  readonly #turns = new Turns();

  constructor(store: MinterStore, place: RecordPlace) {
    this.#store = store;
    this.#place = place;
  }

  /** True: the store is another's (W2). */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** What is stored; the first time that may be anybody's. Rejects with what the store throws. */
  read(): Promise<string | undefined> {
    return this.#call((check) => this.#find(check));
  }

  /** Resolves once the record, or that there is none, is durable; false: the store is another's. Rejects as `read`. */
  put(record?: StoredLease): Promise<boolean> {
    return this.#call(async (check) => {
      for (let puts = 0; puts < PUTS_MAX && !this.#isLost; puts += 1) {
        const text = recordText(this.#place, record);
        const [stored, ...inDoubt] = this.#texts;
        this.#texts = [stored, ...inDoubt.slice(1 - IN_DOUBT_MAX), text];
        const isPut = await this.#store.put(text, stored);
        check();
        if (isPut) {
          this.#texts = [text];
          return true;
        }
        await this.#find(check);
      }
      if (this.#isLost) return false;
      throw new Error("the store changes all the time");
    });
  }

  async #find(check: Check): Promise<string | undefined> {
    const stored = await this.#store.get();
    check();
    const [known] = this.#texts;
    if (this.#texts.length > 0 && !this.#texts.includes(stored)) this.#isLost = true;
    // Puts in doubt that named another text to replace are dead by now.
    else if (this.#texts.length === 0 || stored !== known) this.#texts = [stored];
    return stored;
  }

  #call<Value>(work: (check: Check) => Promise<Value>): Promise<Value> {
    const check = this.#turns.next();
    return new Promise((resolve, reject) => {
      const timeout = `the store did not answer within ${STORE_TIMEOUT_MS} ms`;
      const timer = setTimeout(() => {
        // What comes back after that is void (W3): nobody would hear that the store is lost.
        this.#turns.next();
        reject(new Error(timeout));
      }, STORE_TIMEOUT_MS);
      work(check)
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  }
}
