/** IDs out of a buffer: one, or many at once as blocks. */
import { type Block, idAt } from "./block.ts";
import { type BlockBuffer, countOf } from "./block-buffer.ts";

/** The ID that the last `advance` moved to. */
export function idOf({ block, offset }: BlockBuffer): bigint {
  return idAt(block, offset);
}

/** The shard that granted it. */
export function shardOf({ inUse }: BlockBuffer): number {
  return inUse?.stock.shard ?? 0;
}

/** So many IDs at least may be handed out now; just so many where stocks do not age. */
export function leftAt(buffer: BlockBuffer, nowMs: number): number {
  const { inUse, ahead } = buffer;
  const inUseLeft = inUse && buffer.isFresh(inUse.stock, nowMs) ? inUse.count - inUse.used : 0;
  return inUseLeft + (ahead && buffer.isFresh(ahead, nowMs) ? countOf(ahead) : 0);
}

/**
 * Makes the next `count` IDs come from one stock. Switches to the stock fetched ahead if only that one has enough: the
 * rest of the stock in use is a gap. False if neither has enough.
 */
export function openFor(buffer: BlockBuffer, count: number, nowMs: number): boolean {
  const { inUse } = buffer;
  // Nor may one ahead that is too old, or too small, stay there: while it does no other is fetched.
  if (!inUse || !buffer.isFresh(inUse.stock, nowMs)) buffer.switchToNext(nowMs);
  return hasLeft(buffer, count) || (hasAhead(buffer, count) && buffer.switchToNext(nowMs));
}

function hasLeft({ inUse }: BlockBuffer, count: number): boolean {
  return inUse !== undefined && inUse.count - inUse.used >= count;
}

function hasAhead({ ahead }: BlockBuffer, count: number): boolean {
  return ahead !== undefined && countOf(ahead) >= count;
}

/** Takes `count` IDs, 1 or more; undefined, and none of them, where there are fewer. */
export function takeBlocks(buffer: BlockBuffer, count: number, nowMs: number): Block[] | undefined {
  if (count === 1) return buffer.advance(nowMs) ? [{ first: idOf(buffer), count }] : undefined;
  if (leftAt(buffer, nowMs) < count) return undefined;
  const blocks: Block[] = [];
  for (let missing = count; missing > 0 && buffer.advance(nowMs); ) {
    const { block, offset } = buffer;
    const many = Math.min(missing, block.count - offset);
    blocks.push({ ...block, first: idOf(buffer), count: many });
    buffer.skip(many - 1);
    missing -= many;
  }
  return blocks;
}
