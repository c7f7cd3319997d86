/** Takes IDs from a buffer: one, or many as blocks. */
import { type Block, idAt } from "./block.ts";
import { type BlockBuffer, countOf } from "./block-buffer.ts";

/** The ID at the buffer's cursor. */
export function idOf({ block, offset }: BlockBuffer): bigint {
  return idAt(block, offset);
}

/** The shard of the stock in use. */
export function shardOf({ inUse }: BlockBuffer): number {
  return inUse?.stock.shard ?? 0;
}

/** A lower bound of the IDs that the buffer can issue now; exact if stocks do not age. */
export function leftAt(buffer: BlockBuffer, nowMs: number): number {
  const { inUse, ahead } = buffer;
  const inUseLeft = inUse && buffer.isFresh(inUse.stock, nowMs) ? inUse.count - inUse.used : 0;
  return inUseLeft + (ahead && buffer.isFresh(ahead, nowMs) ? countOf(ahead) : 0);
}

/**
 * Ensures that the next `count` IDs come from one stock. Switches to the prefetched stock if only that one has enough;
 * the rest of the stock in use is then a gap. Returns false if neither has enough.
 */
export function openFor(buffer: BlockBuffer, count: number, nowMs: number): boolean {
  const { inUse } = buffer;
  // A prefetched stock that is too old or too small must not stay: it would block the next fetch.
  if (!inUse || !buffer.isFresh(inUse.stock, nowMs)) buffer.switchToNext(nowMs);
  return hasLeft(buffer, count) || (hasAhead(buffer, count) && buffer.switchToNext(nowMs));
}

function hasLeft({ inUse }: BlockBuffer, count: number): boolean {
  return inUse !== undefined && inUse.count - inUse.used >= count;
}

function hasAhead({ ahead }: BlockBuffer, count: number): boolean {
  return ahead !== undefined && countOf(ahead) >= count;
}

/** Takes `count` IDs, ≥ 1. Returns undefined and takes none if the buffer has fewer. */
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
