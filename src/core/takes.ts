/** What a parameter or field takes: for people, and for programs. */
export interface Takes {
  /** An end of a sentence that begins with the name. */
  readonly detail: string;
  /** The least value, inclusive. Absent if no least value applies. */
  readonly min?: number;
  /** The greatest value, inclusive. Absent if no greatest value applies. */
  readonly max?: number;
  /** All values, if they are few. */
  readonly allowed?: readonly (string | number)[];
}

/** An integer of least..most. `more`: what else the detail says. */
export function wholeTakes(least: number, most: number, more = ""): Takes {
  return { detail: `takes a whole number from ${least} to ${most}${more}`, min: least, max: most };
}

/** One of a few values. `more`: what else the detail says. */
export function oneOfTakes(allowed: readonly (string | number)[], more = ""): Takes {
  return { detail: `takes ${allowed.join(", ")}${more}`, allowed };
}

/** Whether it is an integer of least..most. */
export function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}
