/** Detects the encoding of an ID: all possible ones, the likeliest first. */
import { decode, ENCODINGS, type Encoding } from "../core/codec.ts";
import { decompose } from "../core/layout/id.ts";
import { type Layout, tickStartMs } from "../core/layout/layout.ts";

/** IDs may lead the clock by a day. */
const LEAD_MAX_MS = 86_400_000;

/**
 * The encodings in which the text is an ID of that layout. Those that give a time between the layout's epoch and
 * `nowMs` come first, the latest time before the others: in a wrong encoding, a text is often an ID of long ago.
 * Then the order of ENCODINGS. Without a layout, all encodings in which the text is a number.
 */
export function encodingsOf(text: string, layout: Layout | undefined, nowMs: number): Encoding[] {
  if (!layout) return ENCODINGS.filter((encoding) => decode(text, encoding) !== undefined);
  const possible = ENCODINGS.filter((encoding) => idOf(text, encoding, layout) !== undefined);
  // Digits alone are read as decimal, whatever their time.
  if (possible[0] === "decimal") return possible;
  const likelihood = (encoding: Encoding): number => {
    const tick = idOf(text, encoding, layout)?.tick ?? 0;
    return tickStartMs(layout, tick) <= nowMs + LEAD_MAX_MS ? tick : 0;
  };
  return possible.toSorted((one, other) => likelihood(other) - likelihood(one));
}

function idOf(text: string, encoding: Encoding, layout: Layout) {
  const id = decode(text, encoding);
  return id === undefined ? undefined : decompose(layout, id);
}
