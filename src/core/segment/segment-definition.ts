/** Definitions of segment namespaces. */

import { type FieldError, integerFrom } from "../allowed.ts";
import type { SEGMENT_FIELDS, ValuesOf } from "../layout/fields.ts";
import { MAX_ID, SEGMENT_STEP_DEFAULT } from "../limits.ts";
import { blockOf, type SegmentNumbers } from "./segment.ts";

/** The stored definition of a segment namespace. */
export interface SegmentDefinition extends ValuesOf<typeof SEGMENT_FIELDS> {
  readonly kind: "segment";
  /** A decimal text, 0 to 2^63 − 1: it can exceed the exact range of a JS number. */
  readonly start: string;
  readonly max: string;
  readonly description: string;
}

/**
 * The requested definition. Omitted start, max, delta and remainder stay as they are; other omitted fields get the
 * default.
 */
export type SegmentInput = Pick<SegmentDefinition, "kind"> & Partial<SegmentDefinition>;

const START_DEFAULT = "1";

/** Applies an input to a stored definition, or to a new namespace. `errors` lists the invalid fields. */
export function defineSegment(
  input: SegmentInput,
  stored?: SegmentDefinition,
): { readonly definition: SegmentDefinition; readonly errors: readonly FieldError[] } {
  const definition: SegmentDefinition = {
    kind: "segment",
    step: input.step ?? Math.max(SEGMENT_STEP_DEFAULT, input.delta ?? stored?.delta ?? 1),
    start: input.start ?? stored?.start ?? START_DEFAULT,
    max: input.max ?? stored?.max ?? `${MAX_ID}`,
    delta: input.delta ?? stored?.delta ?? 1,
    remainder: input.remainder ?? stored?.remainder ?? 0,
    description: input.description ?? "",
  };
  return { definition, errors: errorsOf(definition) };
}

/** Whether a text is a plain decimal number from 0 to 2^63 − 1. */
export function isDecimal(text: string): boolean {
  return /^(?:0|[1-9]\d{0,18})$/.test(text) && BigInt(text) <= MAX_ID;
}

/** The numbers that a definition allows. */
export function segmentNumbersOf(definition: SegmentDefinition): SegmentNumbers {
  const { start, max, delta, remainder } = definition;
  return { start: BigInt(start), max: BigInt(max), delta, remainder };
}

/** The fixed fields that would change. */
export function segmentConflicts(stored: SegmentDefinition, wished: SegmentDefinition): string[] {
  const fixed = ["start", "delta", "remainder"] as const;
  const changed: string[] = fixed.filter((field) => stored[field] !== wished[field]);
  // Isolates and clients may hold numbers up to the stored max.
  if (BigInt(wished.max) < BigInt(stored.max)) changed.push("max");
  return changed;
}

function errorsOf(definition: SegmentDefinition): FieldError[] {
  const { step, delta, remainder } = definition;
  const numbers = segmentNumbersOf(definition);
  const { start, max } = numbers;
  const errors: FieldError[] = [];
  if (start > max) errors.push({ field: "start", detail: `must be at most max (${max})` });
  if (remainder >= delta) {
    errors.push({ field: "remainder", ...integerFrom(0, delta - 1, ", less than delta") });
  }
  if (step < delta) {
    const detail = `must be at least delta (${delta}), or a fetch could bring no ID`;
    errors.push({ field: "step", detail, min: delta });
  }
  if (errors.length === 0 && !blockOf(numbers, { from: start, until: max + 1n })) {
    const detail = "must be larger: no number from start to max has this remainder";
    errors.push({ field: "max", detail });
  }
  return errors;
}
