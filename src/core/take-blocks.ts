import type { Block } from "./block.ts";
import type { BlockBuffer } from "./block-buffer.ts";

/** Takes `count` IDs of a buffer at once, as blocks; undefined, and none of them, where it has fewer. */
export function takeBlocks(buffer: BlockBuffer, count: number, nowMs: number): Block[] | undefined {
  if (count === 1) return buffer.advance(nowMs) ? [{ first: buffer.id, count }] : undefined;
  if (buffer.leftAt(nowMs) < count) return undefined;
  const blocks: Block[] = [];
  for (let missing = count; missing > 0 && buffer.advance(nowMs); ) {
    const { block, offset, id } = buffer;
    const many = Math.min(missing, block.count - offset);
    blocks.push({ ...block, first: id, count: many });
    buffer.skip(many - 1);
    missing -= many;
  }
  return blocks;
}
