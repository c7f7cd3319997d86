/** The values that a parameter or field allows, for people and for programs. */
export interface Allowed {
  /** The end of a sentence that begins with the name: "must be …". */
  readonly detail: string;
  /** The least value, inclusive. Absent if no least value applies. */
  readonly min?: number;
  /** The greatest value, inclusive. Absent if no greatest value applies. */
  readonly max?: number;
  /** All values, if they are few. */
  readonly allowed?: readonly (string | number)[];
}

/** A rejected field of a body, and its allowed values. */
export interface FieldError extends Allowed {
  readonly field: string;
}

/** Allows the integers from `least` to `most`. `more` is appended to the detail. */
export function integerFrom(least: number, most: number, more = ""): Allowed {
  return { detail: `must be an integer from ${least} to ${most}${more}`, min: least, max: most };
}

/** Allows a few values. `more` is appended to the detail. */
export function anyOf(allowed: readonly (string | number)[], more = ""): Allowed {
  return { detail: `must be one of ${allowed.join(", ")}${more}`, allowed };
}

/** The error of a field outside of `least` to `most`; empty if the value is within. */
export function rangeErrors(
  field: string,
  value: number,
  least: number,
  most: number,
): readonly FieldError[] {
  if (value >= least && value <= most) return [];
  return [{ field, ...integerFrom(least, most, " in this namespace") }];
}

/** Whether a value is an integer from `least` to `most`. */
export function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}
