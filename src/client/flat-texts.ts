/**
 * Many IDs as decimal texts at once: written as bytes (core/block-writer), decoded together and cut apart. Texts put
 * together of two parts, as DecimalRun makes them, are joined by the engine when they are read, which costs more
 * than all of this.
 */
import { type Block, idAt } from "../core/block.ts";
import { bytesMax, type Surround, writeBlock } from "../core/block-writer.ts";

/** IDs decoded together: whoever keeps one keeps the bytes of all, some 10 kB. */
const TOGETHER = 512;
const BARE: Surround = { before: "", after: "" };

const decoder = new TextDecoder();
let scratch = new Uint8Array(0);

/** Adds the IDs of a block to a list, as decimal texts. */
export function flatTextsInto(ids: string[], block: Block): void {
  for (let offset = 0; offset < block.count; offset += TOGETHER) {
    const count = Math.min(TOGETHER, block.count - offset);
    partInto(ids, { ...block, first: idAt(block, offset), count });
  }
}

function partInto(ids: string[], part: Block): void {
  const length = `${part.first}`.length;
  const last = `${idAt(part, part.count - 1)}`;
  const room = bytesMax([part], "decimal", BARE);
  if (scratch.length < room) scratch = new Uint8Array(room);
  const end = writeBlock(scratch, 0, part, "decimal", BARE);
  const text = decoder.decode(scratch.subarray(0, end));
  if (last.length === length) {
    for (let at = 0; at < end; at += length) ids.push(text.slice(at, at + length));
    return;
  }
  // Somewhere in it the IDs become longer.
  for (let offset = 0; offset < part.count; offset += 1) ids.push(`${idAt(part, offset)}`);
}
