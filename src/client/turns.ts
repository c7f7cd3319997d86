/** Of tasks that follow one another the last one counts: those before it may change nothing any more. */
export class Turns {
  #last = 0;

  /** Begins the next task. What it returns throws once another one began. */
  next(): Check {
    this.#last += 1;
    const turn = this.#last;
    return () => {
      if (turn !== this.#last) throw new Error("too late");
    };
  }
}

/** Throws in a task that may change nothing any more. */
export type Check = () => void;
