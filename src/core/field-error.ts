/** What of a wish cannot be, field by field. */
export interface FieldError {
  readonly field: string;
  readonly detail: string;
}

export type FieldErrors = readonly FieldError[];

/** Nothing where the value lies in least..most, else what the field takes. */
export function takesWhole(field: string, value: number, least: number, most: number): FieldErrors {
  if (value >= least && value <= most) return [];
  return [{ field, detail: `takes a whole number from ${least} to ${most} here` }];
}
