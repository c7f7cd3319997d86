import { type Takes, wholeTakes } from "./takes.ts";

/** What of a input cannot be, field by field. */
export interface FieldError extends Takes {
  readonly field: string;
}

export type FieldErrors = readonly FieldError[];

/** Nothing where the value lies in least..most, else what the field takes. */
export function takesWhole(field: string, value: number, least: number, most: number): FieldErrors {
  if (value >= least && value <= most) return [];
  return [{ field, ...wholeTakes(least, most, " here") }];
}
