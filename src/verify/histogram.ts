/**
 * Counts values in buckets at most 0.8 % wide: the latencies of a run in 30 kB, however many.
 */
const SUB_BUCKET_BITS = 7;
const SUB_BUCKETS = 2 ** SUB_BUCKET_BITS;
const BUCKETS = (32 - SUB_BUCKET_BITS + 1) * SUB_BUCKETS;
const VALUE_MAX = 2 ** 32 - 1;

export class Histogram {
  readonly #counts = new Float64Array(BUCKETS);
  #total = 0;
  #max = 0;

  /** Adds an integer, 0 or greater; values above 2^32 − 1 count in the last bucket. */
  add(value: number): void {
    const bucket = bucketOf(Math.min(VALUE_MAX, value));
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#total += 1;
    this.#max = Math.max(this.#max, value);
  }

  get total(): number {
    return this.#total;
  }

  /** The largest value, exactly; 0 if empty. */
  get max(): number {
    return this.#max;
  }

  /** The value that `share` (0 to 1) of all are at or below; undefined if empty. */
  at(share: number): number | undefined {
    return this.#total === 0 ? undefined : this.ranked(Math.max(1, Math.ceil(this.#total * share)));
  }

  /** The value of a rank, from 1 (the smallest) to `total`. */
  ranked(rank: number): number {
    let left = rank;
    for (const [bucket, count] of this.#counts.entries()) {
      left -= count;
      if (left <= 0) return Math.min(this.#max, middleOf(bucket));
    }
    return this.#max;
  }
}

function bucketOf(value: number): number {
  const shift = Math.max(0, 31 - SUB_BUCKET_BITS - Math.clz32(value));
  return shift * SUB_BUCKETS + (value >>> shift);
}

function middleOf(bucket: number): number {
  const shift = Math.max(0, Math.floor(bucket / SUB_BUCKETS) - 1);
  return (bucket - shift * SUB_BUCKETS) * 2 ** shift + (2 ** shift - 1) / 2;
}
