/**
 * Many IDs as decimal texts at once: written as bytes (core/blocks/block-writer), decoded together and cut apart. Texts put
 * together of two parts, as DecimalRun makes them, are joined by the engine when they are read, which costs more
 * than all of this.
 */
import { type Block, idAt } from "../core/blocks/block.ts";
import { type Surround, writeBlock } from "../core/blocks/block-writer.ts";

/** IDs written and decoded together, some 20 kB: whoever keeps one keeps the text of all. */
const TOGETHER = 1024;
const BARE: Surround = { before: "", after: "" };

const decoder = new TextDecoder();
let scratch = new Uint8Array(0);

/** Writes the IDs of a block into a list from `at` on, as decimal texts; one past the last place. */
export function flatTextsInto(ids: string[], at: number, block: Block): number {
  let place = at;
  for (let offset = 0; offset < block.count; offset += TOGETHER) {
    const count = Math.min(TOGETHER, block.count - offset);
    place = partInto(ids, place, { ...block, first: idAt(block, offset), count });
  }
  return place;
}

function partInto(ids: string[], at: number, part: Block): number {
  const { length } = `${part.first}`;
  if (`${idAt(part, part.count - 1)}`.length !== length) return oneByOneInto(ids, at, part);
  const room = length * part.count;
  if (scratch.length < room) scratch = new Uint8Array(room);
  writeBlock(scratch, 0, part, "decimal", BARE);
  const text = decoder.decode(scratch.subarray(0, room));
  let place = at;
  for (let begin = 0; begin < room; begin += length) {
    ids[place] = text.slice(begin, begin + length);
    place += 1;
  }
  return place;
}

/** Where IDs become longer somewhere in between. */
function oneByOneInto(ids: string[], at: number, part: Block): number {
  for (let offset = 0; offset < part.count; offset += 1) ids[at + offset] = `${idAt(part, offset)}`;
  return at + part.count;
}
