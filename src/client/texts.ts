import type { Block } from "../core/blocks/block.ts";
import { DecimalRun } from "../core/blocks/decimal-run.ts";

/** Adds the IDs of a block to a list, as decimal texts. */
export function textsInto(ids: string[], { first, count, stride }: Block): void {
  const texts = new DecimalRun(first, stride);
  for (let offset = 0; offset < count; offset += 1) ids.push(texts.at(offset));
}
