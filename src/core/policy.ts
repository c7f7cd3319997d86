/** How a namespace's lines behave. Times in whole ms. */
export interface Policy {
  /** How far the clock may step back and be forgiven: the last lane goes on from where it was. */
  readonly maxStepBackMs: number;
  /** How far demand may run the last lane ahead of the clock. */
  readonly maxBorrowMs: number;
  /** The longest one shard call waits, counted in waits asked for. */
  readonly maxWaitMs: number;
  /** The first sequence of a fresh tick is drawn from 0..randomStart−1; 0 is off. At most 2^sequenceBits. */
  readonly randomStart: number;
  /** How far past the clock a mark is written. A restart may skip as much of the line. */
  readonly reserveMs: number;
}
