import { EXAMPLES_MAX, REPETITIONS_SHOWN } from "./limits.ts";

const NO_SHARD = -1;

/** Every acknowledged ID of a run in the order of the answers, in flat arrays: there may be millions. */
export class AcknowledgedIds {
  readonly #ids: BigUint64Array;
  /** Rounded to 32 bits: by less than 1 ms in the first two hours. */
  readonly #atMs: Float32Array;
  readonly #sources: Uint8Array;
  readonly #shards: Int32Array;
  readonly #sourceNames: readonly string[];
  #count = 0;

  /** Memory is committed as it is used, so that a large capacity costs nothing in itself. */
  constructor(idsMax: number, sourceNames: readonly string[]) {
    this.#ids = new BigUint64Array(idsMax);
    this.#atMs = new Float32Array(idsMax);
    this.#sources = new Uint8Array(idsMax);
    this.#shards = new Int32Array(idsMax);
    this.#sourceNames = sourceNames;
  }

  /** Adds an ID that came at `atMs` of the run. Throws RangeError if the capacity is exceeded. */
  add(id: bigint, atMs: number, source: number, shard = NO_SHARD): void {
    const index = this.#count;
    if (index === this.#ids.length) throw new RangeError("more was acknowledged than requested");
    this.#ids[index] = id;
    this.#atMs[index] = atMs;
    this.#sources[index] = source;
    this.#shards[index] = shard;
    this.#count += 1;
  }

  get count(): number {
    return this.#count;
  }

  at(index: number): bigint {
    return this.#ids[index] ?? 0n;
  }

  /** An ID with its place, for people. */
  shown(index: number): string {
    return `${this.#ids[index]} ${this.#placeOf(index)}`;
  }

  /** When and by which shard an ID was acknowledged. */
  #placeOf(index: number): string {
    const shard = this.#shards[index] ?? NO_SHARD;
    const of = shard === NO_SHARD ? "" : `, shard ${shard}`;
    const source = this.#sourceNames[this.#sources[index] ?? 0];
    return `at ${inSeconds(this.#atMs[index] ?? 0)} (${source}${of})`;
  }

  /**
   * Finds every ID that came more than once, in about 75 ns per ID. `count`: acknowledgements beyond the first of each
   * ID. `examples`: the smallest repeated IDs, each with its first places.
   */
  repetitions() {
    const sorted = this.#ids.slice(0, this.#count).sort();
    const repeated: bigint[] = [];
    let count = 0;
    for (let at = 1; at < sorted.length; at += 1) {
      const id = sorted[at];
      if (id === undefined || id !== sorted[at - 1]) continue;
      count += 1;
      if (repeated.length < EXAMPLES_MAX && repeated.at(-1) !== id) repeated.push(id);
    }
    const examples = repeated.map((id) => `${id} ${this.#placesOf(id).join(" and ")}`);
    const distinct = sorted.length - count;
    return { count, examples, distinct, smallest: sorted.at(0), largest: sorted.at(-1) };
  }

  #placesOf(id: bigint): string[] {
    const places: string[] = [];
    let at = this.#ids.indexOf(id);
    while (at >= 0 && at < this.#count && places.length < REPETITIONS_SHOWN) {
      places.push(this.#placeOf(at));
      at = this.#ids.indexOf(id, at + 1);
    }
    return places;
  }
}

/** Milliseconds as seconds, for people. */
export function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`;
}
