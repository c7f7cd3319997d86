/**
 * Writes the records of one minter to its store, by compare-and-put.
 *
 * Invariants, each proved by the tests with the same number:
 *  W1 A put that failed or timed out is in doubt: its text may be stored now or later. While one of the minter's texts
 *     is stored, the minter has the store: each put names the text that it replaces, so no other process came between.
 *  W2 Once another process's text is found, the store is lost for good, and nothing more is written there.
 *  W3 A call that returns after a later one began, or after its deadline, changes nothing.
 */
import {
  type MinterStore,
  type RecordPlace,
  recordText,
  type StoredLease,
} from "./minter-store.ts";
import { type Check, Turns } from "./turns.ts";

/** The deadline of one call, in ms: half of the longest reserve of a mark. */
export const STORE_TIMEOUT_MS = 5000;
/** Texts in doubt at most. If the store carries out an older put after that, it counts as lost. */
const IN_DOUBT_MAX = 16;
/** Puts of one call: a put fails only if one in doubt was carried out just before it. */
const PUTS_MAX = 3;

export class StoreWriter {
  readonly #store: MinterStore;
  readonly #place: RecordPlace;
  /** The last text known to be stored, then those in doubt. Empty before the first read. */
  #texts: (string | undefined)[] = [];
  #isLost = false;
  readonly #turns = new Turns();

  constructor(store: MinterStore, place: RecordPlace) {
    this.#store = store;
    this.#place = place;
  }

  /** True once another process has the store (W2). */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** The stored text; at the first read, of any process. Rejects with the store's error. */
  read(): Promise<string | undefined> {
    return this.#call((check) => this.#find(check));
  }

  /** Resolves to true once the record (or its absence) is durable, to false if the store is lost. Rejects as `read`. */
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
      throw new Error("the store keeps changing");
    });
  }

  async #find(check: Check): Promise<string | undefined> {
    const stored = await this.#store.get();
    check();
    const [known] = this.#texts;
    if (this.#texts.length > 0 && !this.#texts.includes(stored)) this.#isLost = true;
    // Puts in doubt that expected another text can't succeed any more.
    else if (this.#texts.length === 0 || stored !== known) this.#texts = [stored];
    return stored;
  }

  #call<Value>(work: (check: Check) => Promise<Value>): Promise<Value> {
    const check = this.#turns.next();
    return new Promise((resolve, reject) => {
      const timeout = `no answer of the store within ${STORE_TIMEOUT_MS} ms`;
      const timer = setTimeout(() => {
        // A later result is void (W3): no caller would learn that the store is lost.
        this.#turns.next();
        reject(new Error(timeout));
      }, STORE_TIMEOUT_MS);
      work(check)
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  }
}
