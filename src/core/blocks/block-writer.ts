/**
 * Writes blocks as text, in bytes, without a BigInt per ID.
 *
 * IDs of a block are consecutive, except in segments with a delta. So the high digits stay the same for
 * radix^lowDigits IDs. They are copied by doubling; the low digits of each ID come from a table.
 */

import { digitsOf, type Encoding, encode } from "../codec.ts";
import { MAX_ID } from "../limits.ts";
import { type Block, idAt } from "./block.ts";

/** ASCII text around each ID: quotes and a comma, or a line end. */
export interface Surround {
  readonly before: string;
  readonly after: string;
}

/** A table of low digits: radix^count entries, at most LOW_SPAN_MAX. */
interface LowDigits {
  readonly count: number;
  /** radix^count: the number of IDs that share their high digits. */
  readonly span: number;
  /** The digits of 0..span−1, padded with the digit zero, count bytes each. */
  readonly bytes: Uint8Array;
  /** `bytes` as 32-bit words: a table of four digits (decimal) writes an ID with one store instead of four. */
  readonly words: Uint32Array;
}

const WORD_BYTES = 4;

/** Most entries of a table: fits the cache of a core, and the high digits rarely change. */
const LOW_SPAN_MAX = 10_000;

const lowDigits = new Map<Encoding, LowDigits>();

/** Upper bound of the bytes that `writeBlock` writes for these blocks. */
export function bytesMax(
  blocks: readonly Block[],
  encoding: Encoding,
  { before, after }: Surround,
): number {
  let bytes = 0;
  for (const block of blocks) {
    const { count } = block;
    const longest = encode(idAt(block, count - 1), encoding).length;
    bytes += count * (before.length + longest + after.length);
  }
  return bytes;
}

/**
 * Writes every ID of a block into `target` from `at` on, in order. Returns the offset after the last byte written.
 * `target` must have room (see bytesMax). Throws RangeError if an ID is above 2^63 − 1.
 */
export function writeBlock(
  target: Uint8Array,
  at: number,
  block: Block,
  encoding: Encoding,
  surround: Surround,
): number {
  const { first, count, stride = 1 } = block;
  if (first < 0n || (count > 0 && idAt(block, count - 1) > MAX_ID)) {
    throw new RangeError(`cannot write ${count} IDs from ${first} on: not in 0..${MAX_ID}`);
  }
  if (stride !== 1) return writeSpaced(target, at, block, encoding, surround);
  const end = first + BigInt(count);
  const low = lowDigitsOf(encoding);
  const span = BigInt(low.span);
  let place = at;
  for (let id = first; id < end; ) {
    const high = id / span;
    const from = Number(id - high * span);
    const many = Math.min(low.span - from, Number(end - id));
    place =
      high === 0n
        ? writeShort(target, place, { from, many }, encoding, surround)
        : writeRun(target, place, { from, many }, encode(high, encoding), low, surround);
    id += BigInt(many);
  }
  return place;
}

/** Writes IDs that are not consecutive one by one: segments with a delta are rare. */
function writeSpaced(
  target: Uint8Array,
  at: number,
  block: Block,
  encoding: Encoding,
  { before, after }: Surround,
): number {
  let place = at;
  for (let offset = 0; offset < block.count; offset += 1) {
    const text = encode(idAt(block, offset), encoding);
    place = writeAscii(target, place, before + text + after);
  }
  return place;
}

/** Writes ASCII text. Returns the offset after its last byte. */
export function writeAscii(target: Uint8Array, at: number, text: string): number {
  for (let index = 0; index < text.length; index += 1) target[at + index] = text.charCodeAt(index);
  return at + text.length;
}

/** `many` IDs that share their high digits, from the low digits `from` on. */
interface Run {
  readonly from: number;
  readonly many: number;
}

function writeRun(
  target: Uint8Array,
  at: number,
  { from, many }: Run,
  high: string,
  low: LowDigits,
  { before, after }: Surround,
): number {
  const head = before.length + high.length;
  const stride = head + low.count + after.length;
  const end = at + many * stride;
  writeAscii(target, writeAscii(target, at, before + high) + low.count, after);
  // Doubling: each copy is as long as all copies before it.
  for (let filled = stride; filled < end - at; filled *= 2) {
    target.copyWithin(at + filled, at, Math.min(at + filled, end - filled));
  }
  const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
  writeLow(view, at + head, stride, { from, many }, low);
  return end;
}

/** Writes the low digits of each ID, a fixed stride apart. */
function writeLow(
  target: DataView,
  at: number,
  stride: number,
  { from, many }: Run,
  { count, words, bytes }: LowDigits,
): void {
  const end = at + many * stride;
  // The tables have an entry for every value below span.
  if (count === WORD_BYTES) {
    let value = from;
    for (let place = at; place < end; place += stride) {
      target.setUint32(place, words[value] as number, true);
      value += 1;
    }
    return;
  }
  let source = from * count;
  for (let place = at; place < end; place += stride) {
    for (let digit = 0; digit < count; digit += 1) {
      target.setUint8(place + digit, bytes[source + digit] as number);
    }
    source += count;
  }
}

/** Writes IDs without high digits, and without leading zeros. */
function writeShort(
  target: Uint8Array,
  at: number,
  { from, many }: Run,
  encoding: Encoding,
  { before, after }: Surround,
): number {
  let place = at;
  for (let id = from; id < from + many; id += 1) {
    place = writeAscii(target, place, before + encode(BigInt(id), encoding) + after);
  }
  return place;
}

function lowDigitsOf(encoding: Encoding): LowDigits {
  const known = lowDigits.get(encoding);
  if (known) return known;
  const digits = digitsOf(encoding);
  const radix = digits.length;
  const count = Math.floor(Math.log(LOW_SPAN_MAX) / Math.log(radix) + 1e-9);
  const span = radix ** count;
  const bytes = new Uint8Array(span * count);
  for (let value = 0; value < span; value += 1) {
    let rest = value;
    for (let digit = count - 1; digit >= 0; digit -= 1) {
      bytes[value * count + digit] = digits.charCodeAt(rest % radix);
      rest = Math.floor(rest / radix);
    }
  }
  const words = new Uint32Array(span);
  const view = new DataView(bytes.buffer);
  if (count === WORD_BYTES) {
    for (let value = 0; value < span; value += 1) {
      words[value] = view.getUint32(value * WORD_BYTES, true);
    }
  }
  const made = { count, span, bytes, words };
  lowDigits.set(encoding, made);
  return made;
}
