import { EXAMPLES_MAX, REPETITIONS_SHOWN } from "./limits.ts";

/** An answer that brought IDs. */
export interface Acknowledgement {
  /** When the answer came, in ms since the run began. */
  readonly atMs: number;
  /** The kind of the request, an index into the rules' sources. */
  readonly source: number;
  readonly shard: number | undefined;
}

export interface Repetitions {
  /** Acknowledgements beyond the first of each ID. */
  readonly count: number;
  readonly distinct: number;
  readonly smallest: bigint | undefined;
  readonly largest: bigint | undefined;
  /** The smallest repeated IDs, each with the indices of the first answers that have it. */
  readonly examples: readonly { readonly id: bigint; readonly answers: readonly number[] }[];
}

const NO_SHARD = -1;

/** Every acknowledged ID of a run in the order of the answers, in flat arrays: there may be millions. */
export class AcknowledgedIds {
  readonly #ids: BigUint64Array;
  /** Of each answer: the index of its first ID. */
  readonly #firsts: Uint32Array;
  readonly #atMs: Float32Array;
  readonly #sources: Uint8Array;
  readonly #shards: Int32Array;
  #idCount = 0;
  #answerCount = 0;

  /** Memory is committed as it is used, so that a large capacity costs nothing in itself. */
  constructor(answersMax: number, idsMax: number) {
    this.#ids = new BigUint64Array(idsMax);
    this.#firsts = new Uint32Array(answersMax);
    this.#atMs = new Float32Array(answersMax);
    this.#sources = new Uint8Array(answersMax);
    this.#shards = new Int32Array(answersMax);
  }

  /** Adds an answer; returns its index. Throws RangeError if the capacity is exceeded. */
  add(ids: readonly bigint[], { atMs, source, shard }: Acknowledgement): number {
    const answer = this.#answerCount;
    if (answer === this.#firsts.length || this.#idCount + ids.length > this.#ids.length) {
      throw new RangeError("more was acknowledged than requested");
    }
    this.#firsts[answer] = this.#idCount;
    this.#atMs[answer] = atMs;
    this.#sources[answer] = source;
    this.#shards[answer] = shard ?? NO_SHARD;
    this.#ids.set(ids, this.#idCount);
    this.#idCount += ids.length;
    this.#answerCount += 1;
    return answer;
  }

  get count(): number {
    return this.#idCount;
  }

  /** The answer at an index. Its time is rounded to 32 bits: by less than 1 ms in the first two hours. */
  answer(index: number): Acknowledgement {
    const shard = this.#shards[index] ?? NO_SHARD;
    return {
      atMs: this.#atMs[index] ?? 0,
      source: this.#sources[index] ?? 0,
      shard: shard === NO_SHARD ? undefined : shard,
    };
  }

  /** The ID at an index, in the order of the answers. */
  idAt(index: number): bigint {
    return this.#ids[index] ?? 0n;
  }

  /** Finds every ID that came more than once, in about 75 ns per ID. */
  repetitions(): Repetitions {
    const sorted = this.#ids.slice(0, this.#idCount).sort();
    const repeated: bigint[] = [];
    let count = 0;
    for (let at = 1; at < sorted.length; at += 1) {
      const id = sorted[at];
      if (id === undefined || id !== sorted[at - 1]) continue;
      count += 1;
      if (repeated.length < EXAMPLES_MAX && repeated.at(-1) !== id) repeated.push(id);
    }
    const examples = repeated.map((id) => ({ id, answers: this.#answersWith(id) }));
    const distinct = sorted.length - count;
    return { count, distinct, smallest: sorted.at(0), largest: sorted.at(-1), examples };
  }

  #answersWith(id: bigint): number[] {
    const answers: number[] = [];
    let at = this.#ids.indexOf(id);
    while (at >= 0 && at < this.#idCount && answers.length < REPETITIONS_SHOWN) {
      answers.push(this.answerOf(at));
      at = this.#ids.indexOf(id, at + 1);
    }
    return answers;
  }

  /** The answer that has the ID at an index: the last one that begins at or before it. */
  answerOf(at: number): number {
    let low = 0;
    let high = this.#answerCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#firsts[middle] ?? at) <= at) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
