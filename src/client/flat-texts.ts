/**
 * Many IDs as decimal texts at once: written as bytes (core/blocks/block-writer), decoded together and cut apart. That
 * is faster than DecimalRun here: the engine joins each of its two-part texts when it is read.
 */
import { type Block, idAt } from "../core/blocks/block.ts";
import { type Surround, writeBlock } from "../core/blocks/block-writer.ts";

/** IDs decoded together, about 20 kB of text: a caller that keeps one ID keeps the text of all. */
const TOGETHER = 1024;
const BARE: Surround = { before: "", after: "" };

const decoder = new TextDecoder();
let scratch = new Uint8Array(0);

/** Writes the IDs of a block into a list from `at` on, as decimal texts. Returns the place after the last. */
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

/** For a part in which the number of digits grows. */
function oneByOneInto(ids: string[], at: number, part: Block): number {
  for (let offset = 0; offset < part.count; offset += 1) ids[at + offset] = `${idAt(part, offset)}`;
  return at + part.count;
}
