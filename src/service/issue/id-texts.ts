/** Text forms of IDs: JSON for one response, lines for a stream. */
import type { Block } from "../../core/blocks/block.ts";
import { bytesMax, type Surround, writeAscii, writeBlock } from "../../core/blocks/block-writer.ts";
import { type Encoding, encode } from "../../core/codec.ts";
import type { IdEncoding } from "./issue-request.ts";

const QUOTED: Surround = { before: '"', after: '",' };
const NUMBER: Surround = { before: "", after: "," };
const LINE: Surround = { before: "", after: "\n" };

/**
 * A shared buffer for responses before they are copied. Each use has no await, so one buffer serves all requests. A new
 * array would be filled with zeros first.
 */
let scratch = new Uint8Array(0);

const BEGIN = '{"ids":[';
const END = "]}";

/** The response `{"ids":[…]}`: strings, or numbers if the encoding is `number`. */
export function idsJson(
  blocks: readonly Block[],
  encoding: IdEncoding,
): string | Uint8Array<ArrayBuffer> {
  const surround = encoding === "number" ? NUMBER : QUOTED;
  const { before, after } = surround;
  const [only, second] = blocks;
  if (only?.count === 1 && !second) {
    return BEGIN + before + encode(only.first, textOf(encoding)) + after.slice(0, -1) + END;
  }
  const room = BEGIN.length + bytesMax(blocks, textOf(encoding), surround) + END.length;
  const bytes = scratchOf(room);
  const end = writeBlocks(bytes, writeAscii(bytes, 0, BEGIN), blocks, encoding, surround);
  // The last ID has no comma.
  return bytes.slice(0, writeAscii(bytes, end - 1, END));
}

/** IDs as text, one per line. */
export function idLines(blocks: readonly Block[], encoding: IdEncoding): Uint8Array<ArrayBuffer> {
  const bytes = scratchOf(bytesMax(blocks, textOf(encoding), LINE));
  return bytes.slice(0, writeBlocks(bytes, 0, blocks, encoding, LINE));
}

/** IDs as a list of texts. */
export function idTexts(blocks: readonly Block[], encoding: IdEncoding): string[] {
  const [only, second] = blocks;
  if (only?.count === 1 && !second) return [encode(only.first, textOf(encoding))];
  return new TextDecoder().decode(idLines(blocks, encoding)).trimEnd().split("\n");
}

function writeBlocks(
  target: Uint8Array,
  at: number,
  blocks: readonly Block[],
  encoding: IdEncoding,
  surround: Surround,
): number {
  let place = at;
  for (const block of blocks) {
    place = writeBlock(target, place, block, textOf(encoding), surround);
  }
  return place;
}

function scratchOf(bytes: number): Uint8Array<ArrayBuffer> {
  if (scratch.length < bytes) scratch = new Uint8Array(bytes);
  return scratch;
}

function textOf(encoding: IdEncoding): Encoding {
  return encoding === "number" ? "decimal" : encoding;
}
