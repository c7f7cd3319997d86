/** Of several runs, only the latest may change anything. */
export class Turns {
  #last = 0;

  /** Begins the next run. The returned check throws once another run began. */
  next(): Check {
    this.#last += 1;
    const turn = this.#last;
    return () => {
      if (turn !== this.#last) throw new Error("too late");
    };
  }
}

/** Throws if a later run began. */
export type Check = () => void;
