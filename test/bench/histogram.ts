/** Latencies counted in fixed buckets, exact below 128 µs and within 1/64 above: nothing is allocated per value. */
const SUB_BUCKET_BITS = 6;
const SUB_BUCKETS = 2 ** SUB_BUCKET_BITS;
const BUCKETS = (32 - SUB_BUCKET_BITS + 1) * SUB_BUCKETS;
const MICROSECONDS_MAX = 2 ** 32 - 1;

export class Histogram {
  readonly #counts = new Uint32Array(BUCKETS);

  add(latencyMs: number): void {
    const bucket = bucketOf(Math.min(MICROSECONDS_MAX, Math.round(latencyMs * 1000)));
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
  }

  counts(): number[] {
    return Array.from(this.#counts);
  }
}

/** The counts of both. */
export function addedCounts(one: readonly number[], other: readonly number[]): number[] {
  return one.map((count, at) => count + (other[at] ?? 0));
}

/** The latency that `share` of all stayed at or below, in ms; undefined where there are none. */
export function latencyMsAt(counts: readonly number[], share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let left = Math.max(1, Math.ceil(total * share));
  for (const [bucket, count] of counts.entries()) {
    left -= count;
    if (left <= 0) return middleOf(bucket) / 1000;
  }
  return undefined;
}

function bucketOf(microseconds: number): number {
  const shift = Math.max(0, 31 - SUB_BUCKET_BITS - Math.clz32(microseconds));
  return shift * SUB_BUCKETS + (microseconds >>> shift);
}

/** In µs. */
function middleOf(bucket: number): number {
  const shift = Math.max(0, Math.floor(bucket / SUB_BUCKETS) - 1);
  return (bucket - shift * SUB_BUCKETS) * 2 ** shift + (2 ** shift - 1) / 2;
}
