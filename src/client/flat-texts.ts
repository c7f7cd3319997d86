/**
 * Many IDs as decimal texts at once: written as bytes (core/block-writer), decoded together and cut apart. Texts put
 * together of two parts, as DecimalRun makes them, are joined by the engine when they are read, which costs more
 * than all of this.
 */
import { type Block, idAt } from "../core/block.ts";
import { bytesMax, type Surround, writeBlock } from "../core/block-writer.ts";

/** IDs decoded together: whoever keeps one keeps the bytes of all, some 20 kB. */
const TOGETHER = 1024;
/** IDs written at once: some 80 kB. */
const WRITTEN_MAX = 4096;
const BARE: Surround = { before: "", after: "" };

const decoder = new TextDecoder();
let scratch = new Uint8Array(0);

/** Writes the IDs of a block into a list from `at` on, as decimal texts; one past the last place. */
export function flatTextsInto(ids: string[], at: number, block: Block): number {
  let place = at;
  for (let offset = 0; offset < block.count; offset += WRITTEN_MAX) {
    const count = Math.min(WRITTEN_MAX, block.count - offset);
    place = partInto(ids, place, { ...block, first: idAt(block, offset), count });
  }
  return place;
}

function partInto(ids: string[], at: number, part: Block): number {
  const { length } = `${part.first}`;
  const room = bytesMax([part], "decimal", BARE);
  if (room !== length * part.count) return oneByOneInto(ids, at, part);
  if (scratch.length < room) scratch = new Uint8Array(room);
  writeBlock(scratch, 0, part, "decimal", BARE);
  let place = at;
  for (let from = 0; from < room; from += TOGETHER * length) {
    const text = decoder.decode(scratch.subarray(from, Math.min(room, from + TOGETHER * length)));
    for (let begin = 0; begin < text.length; begin += length) {
      ids[place] = text.slice(begin, begin + length);
      place += 1;
    }
  }
  return place;
}

/** Where IDs become longer somewhere in between. */
function oneByOneInto(ids: string[], at: number, part: Block): number {
  for (let offset = 0; offset < part.count; offset += 1) ids[at + offset] = `${idAt(part, offset)}`;
  return at + part.count;
}
