/** Something whose time per ID is measured, in a process of its own. */
export interface Piece {
  readonly idsPerRun: number;
  /** Makes ready what the next run uses up; not timed. */
  prepare?(): void | Promise<void>;
  /** Makes its IDs, so that V8 can leave none out: it keeps them, or its answer depends on each. */
  run(): number;
  /** Puts by what the run made; not timed. */
  keep?(): void;
  /** Of a generator: what its IDs and its pace say. */
  judge?(): Verdict;
}

export interface Verdict {
  /** IDs looked at: those of the timed runs, up to a bound. */
  readonly checked: number;
  /** How many of them had come before. */
  readonly repeats: number;
  /** Calls that threw instead of giving an ID, per ID. */
  readonly throwsPerId: number;
  /** Of a few IDs after a pause. */
  readonly burstNsPerId: number;
  /** It is slower than in a burst, since it waits for its clock. */
  readonly waits: boolean;
}

/** A piece by its id; made in the process that measures it only. */
export interface PieceEntry {
  readonly id: string;
  readonly name: string;
  /** `idsChecked`: how many IDs a generator is to keep for its verdict. */
  make(idsChecked: number): Piece | Promise<Piece>;
}
