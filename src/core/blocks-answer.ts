/** Runs of IDs, as the service answers them over HTTP and RPC. */
export interface BlocksAnswer {
  readonly blocks: readonly {
    /** Decimal. */
    readonly first: string;
    readonly count: number;
    /** Distance between the IDs; only of segments, 1 otherwise. */
    readonly step?: number;
  }[];
  readonly shard: number;
  /** How long they may be used, in ms since they were asked for. */
  readonly freshForMs: number;
}
