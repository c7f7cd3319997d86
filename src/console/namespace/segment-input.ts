/** A new segment namespace: what was typed, and the request body that creates it. */

import type { FieldError } from "../../core/allowed.ts";
import { idAt } from "../../core/blocks/block.ts";
import { SEGMENT_FIELDS } from "../../core/layout/fields.ts";
import { DESCRIPTION_CHARS_MAX } from "../../core/limits.ts";
import { defineNamespace } from "../../core/namespace/namespace.ts";
import { blockOf } from "../../core/segment/segment.ts";
import {
  isDecimal,
  type SegmentDefinition,
  type SegmentInput,
  segmentNumbersOf,
} from "../../core/segment/segment-definition.ts";
import { type Texts, typed, wholesIn } from "./texts.ts";

/** The fields of a new segment, in their order. */
export const SEGMENT_NAMES = ["step", "start", "max", "delta", "remainder", "description"] as const;

/** The fields of an address. */
export function segmentTextsIn(query: Texts): Texts {
  return Object.fromEntries(SEGMENT_NAMES.map((name) => [name, query[name] ?? ""]));
}

/** The default of each field. */
export function segmentDefaults(): Texts {
  const checked = segmentChecked({});
  return checked.ok
    ? Object.fromEntries(SEGMENT_NAMES.map((name) => [name, `${checked.definition[name]}`]))
    : {};
}

export type SegmentChecked =
  | {
      readonly ok: true;
      readonly definition: SegmentDefinition;
      /** The body of PUT /v1/namespaces/{namespace}. */
      readonly body: SegmentInput;
    }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** Checks a new segment as the service will. An empty text is the default. */
export function segmentChecked(texts: Texts): SegmentChecked {
  const { values, errors: wrong } = wholesIn(SEGMENT_FIELDS, texts);
  const ends = LONG_NAMES.map((name) => [name, typed(texts, name)] as const).filter(
    ([, text]) => text !== "",
  );
  const description = typed(texts, "description");
  const errors = [
    ...wrong,
    ...ends.filter(([, text]) => !isDecimal(text)).map(([field]) => ({ field, detail: DECIMAL })),
    ...descriptionErrors(description),
  ];
  if (errors.length > 0) return { ok: false, errors };
  const body: SegmentInput = {
    kind: "segment",
    ...values,
    ...Object.fromEntries(ends),
    ...(description !== "" && { description }),
  };
  const result = defineNamespace(body);
  if (result.kind === "defined" && result.definition.kind === "segment") {
    return { ok: true, definition: result.definition, body };
  }
  return { ok: false, errors: result.kind === "invalid" ? result.errors : [] };
}

/** The fields that exceed the exact range of a JS number. */
const LONG_NAMES = ["start", "max"] as const;
const DECIMAL = "must be an integer from 0 to 2^63 − 1";

/** The errors of a segment's description. */
export function descriptionErrors(description: string): FieldError[] {
  if (description.length <= DESCRIPTION_CHARS_MAX) return [];
  const detail = `must have at most ${DESCRIPTION_CHARS_MAX} characters`;
  return [{ field: "description", detail }];
}

/** The first IDs of a segment, and whether more follow. */
export function firstIds(definition: SegmentDefinition): readonly string[] {
  const numbers = segmentNumbersOf(definition);
  const block = blockOf(numbers, { from: numbers.start, until: numbers.max + 1n });
  if (!block) return [];
  const length = Math.min(FIRST_SHOWN, block.count);
  const shown = Array.from({ length }, (_, place) => `${idAt(block, place)}`);
  return block.count > length ? [...shown, "…"] : shown;
}

const FIRST_SHOWN = 3;
